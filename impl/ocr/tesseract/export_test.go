package tesseract

var LinesKept = linesKept

var (
	UseNetwork     = useNetwork
	LayersComputed = layersComputed
)

func (e *Engine) BlocksAsRightToLeft() []Block { return e.collect(true) }

var (
	ErrClosed = errClosed
	ErrImage  = errImage
	ErrModel  = errModel
)
