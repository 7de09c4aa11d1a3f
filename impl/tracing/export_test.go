package tracing

// IsOn is isOn.
var IsOn = isOn
