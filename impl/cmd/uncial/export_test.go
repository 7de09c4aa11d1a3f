package main

// Run is main with the arguments and the output streams as parameters.
var Run = run

// HasLoopback says where the demo may print a link to the dashboard.
var HasLoopback = hasLoopback
