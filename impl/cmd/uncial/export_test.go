package main

// Run is main with its surroundings as parameters.
var Run = run
