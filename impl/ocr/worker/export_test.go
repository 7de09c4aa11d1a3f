package worker

// Serve is Run without the hello, and with a reader instead of engines.
var Serve = serve

// CutPage is cutPage.
var CutPage = cutPage
