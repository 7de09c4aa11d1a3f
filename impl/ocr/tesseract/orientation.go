package tesseract

/*
#include "binding.h"
*/
import "C"

// Orientation is what the OSD model says of a page.
type Orientation struct {
	// Clockwise is how far the page in the image is turned clockwise from upright: 0, 90, 180 or 270 degrees. Turning
	// the image the other way by as much makes it upright.
	Clockwise  int
	Confidence float64 // not bounded; 15 and more is reasonably sure
	// Script is Tesseract's name of a script, such as "Latin" or "Fraktur".
	Script           string
	ScriptConfidence float64 // not bounded
}

// Orientation finds orientation and script of the image that is set. The engine must have been opened with OSD. It is
// false where the page shows too few characters to tell.
func (e *Engine) Orientation() (Orientation, bool) {
	if e.api == nil || e.model != OSD {
		return Orientation{}, false
	}
	var degrees C.int
	var confidence, scriptConfidence C.float
	var script *C.char // belongs to the engine
	if C.uncial_detect(e.api, &degrees, &confidence, &script, &scriptConfidence) == 0 {
		return Orientation{}, false
	}
	return Orientation{int(degrees), float64(confidence), C.GoString(script), float64(scriptConfidence)}, true
}
