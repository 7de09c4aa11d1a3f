package main

// Run is main with the arguments and the output streams as parameters.
var Run = run
