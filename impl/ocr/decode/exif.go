package decode

import "math"

// Tags of TIFF 6.0 and Exif 2.3 that say how to show an image.
const (
	tagOrientation    = 274
	tagXResolution    = 282
	tagYResolution    = 283
	tagResolutionUnit = 296
)

const (
	inch       = 2    // ResolutionUnit; 3 is the centimetre
	perInch    = 2.54 // centimetres
	perMeter   = 0.0254
	exifPrefix = "Exif\x00\x00"
)

// readExif sets what an Exif block says: a TIFF of its own, of which the first directory describes the image.
func (f *frame) readExif(block []byte) {
	t, err := newTIFF(block)
	if err != nil {
		return
	}
	if d, _, err := t.directory(t.first); err == nil {
		f.readPresentation(d)
	}
}

// readPresentation sets orientation and resolution from a directory, where it holds them.
func (f *frame) readPresentation(d directory) {
	if o := d.first(tagOrientation, 1); o >= 1 && o <= 8 {
		f.orientation = int(o)
	}
	unit := float64(1)
	if d.first(tagResolutionUnit, inch) == 3 {
		unit = perInch
	}
	if x, y := d.rational(tagXResolution)*unit, d.rational(tagYResolution)*unit; x > 0 && y > 0 && d.first(tagResolutionUnit, inch) != 1 {
		f.dpiX, f.dpi = x, y
	}
}

// rational is the first value of a tag of type RATIONAL or FLOAT, 0 where there is none.
func (d directory) rational(tag uint16) float64 {
	e := d.entries[tag]
	switch {
	case e.kind == 5 && len(e.value) >= 8:
		n, m := d.order.Uint32(e.value), d.order.Uint32(e.value[4:])
		if m != 0 {
			return float64(n) / float64(m)
		}
	case e.kind == 11 && len(e.value) >= 4:
		if v := math.Float32frombits(d.order.Uint32(e.value)); !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) {
			return float64(v)
		}
	}
	return 0
}
