package tesseract

var LinesKept = linesKept

var UseNetwork = useNetwork
