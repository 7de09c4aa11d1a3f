package tesseract

var LinesKept = linesKept
