package source

// Named returns what fetches a URL of the command line.
var Named = (*Reader).argumentFetcher
