package tesseract

var LinesKept = linesKept

var UseNetwork = useNetwork

func (e *Engine) BlocksAsLeftward() []Block { return e.collect(true) }
