package decode

import "math"

// Tags of TIFF 6.0 and Exif 2.3 that say how to display an image.
const (
	tagOrientation    = 274
	tagXResolution    = 282
	tagYResolution    = 283
	tagResolutionUnit = 296
)

const (
	noUnit, inch, centimetre = 1, 2, 3 // values of ResolutionUnit
	centimetresPerInch       = 2.54
	inchesPerMetre           = 0.0254 // dots per inch for one dot per metre
	exifPrefix               = "Exif\x00\x00"
)

// readExif reads an Exif block: a TIFF whose first directory describes the image. Broken blocks are
// ignored.
func (f *frame) readExif(block []byte) {
	t, err := newTIFF(block)
	if err != nil {
		return
	}
	if d, _, err := t.directory(t.first); err == nil {
		f.readPresentation(d)
	}
}

// readPresentation sets the orientation and the resolution if the directory has them.
func (f *frame) readPresentation(d directory) {
	if o := d.first(tagOrientation, 1); o >= 1 && o <= 8 {
		f.orientation = int(o)
	}
	unit, scale := d.first(tagResolutionUnit, inch), 1.0
	if unit == centimetre {
		scale = centimetresPerInch
	}
	if x, y := d.rational(tagXResolution)*scale, d.rational(tagYResolution)*scale; x > 0 && y > 0 && unit != noUnit {
		f.dpiX, f.dpiY = x, y
	}
}

// rational returns the first value of a tag of type RATIONAL or FLOAT, or 0 if there is none.
func (d directory) rational(tag uint16) float64 {
	e := d.entries[tag]
	switch {
	case e.kind == kindRational && len(e.value) >= 8:
		n, m := d.order.Uint32(e.value), d.order.Uint32(e.value[4:])
		if m != 0 {
			return float64(n) / float64(m)
		}
	case e.kind == kindFloat && len(e.value) >= 4:
		if v := float64(math.Float32frombits(d.order.Uint32(e.value))); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return 0
}
