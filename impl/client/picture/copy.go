package picture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"uncial/impl/client/tool"
	"uncial/impl/volume"
	"uncial/internal/contract/imagefile"
)

// Prepared is a file that can be sent.
type Prepared struct {
	// Path is the file itself, or a copy of it.
	Path string
	// Master is the size of the image in the file, upright as its orientation says, and Sent that of the copy. Both are zero if no
	// copy was made: boxes then need no mapping.
	Master, Sent volume.Size
}

const (
	// losslessPixels is the size up to which a lossless copy is tried: above it, PNG of a scan exceeds 20 MiB.
	losslessPixels = 25_000_000
	// shrinking is the scale of each further try if no quality fits, which happens only to images that are nearly noise.
	shrinking = 0.75
	maxShrink = 6
)

// qualities are the JPEG qualities to try, best first. The lowest still shows small print without visible blocks.
var qualities = []int{95, 88, 80}

// unknownPerMM is the resolution that vips assumes where a file declares none: 25 pixels per inch, which no scan has.
const unknownPerMM = 1

// errNoSize means that vips did not say how large the image is.
var errNoSize = errors.New("vipsheader named no size")

// Copy makes a copy of an image that the service accepts, in a folder of its own: the same pixels as PNG if that is small
// enough, else a JPEG of high quality, scaled down only as far as the limits require. frame is the image of a TIFF, from 0.
// The copy is upright. Memory is bounded: vips reads the file strip by strip or tile by tile.
func Copy(ctx context.Context, folder, path string, kind Kind, frame int) (*Prepared, error) {
	// The brackets of options must not be confused with those of a file name.
	input := filepath.Join(folder, "input")
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.Symlink(absolute, input); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(input) }()
	option := "[access=sequential]"
	if kind == Supported {
		option = fmt.Sprintf("[page=%d,access=sequential]", frame)
		if info, err := Inspect(path); err != nil || info.Format != imagefile.TIFF {
			option = "[access=sequential]"
		}
	}
	stored, err := readHeader(ctx, folder, "input"+option)
	if err != nil {
		return nil, err
	}
	scale := fit(stored.Size)
	if reduction := int(-math.Log2(scale)); kind == JPEG2000 && reduction > 0 {
		// JPEG 2000 stores smaller versions of itself; a whole untiled image needs 12 bytes a pixel.
		option = fmt.Sprintf("[page=%d,access=sequential]", reduction)
	}
	defer func() { _ = os.Remove(filepath.Join(folder, pixels)) }()
	if err := unpack(ctx, folder, "input"+option, stored, scale); err != nil {
		return nil, err
	}
	return encode(ctx, folder, stored)
}

// fit returns the scale, at most 1, at which an image is within the limits of the service on sides and pixels.
func fit(s volume.Size) float64 {
	longer, area := float64(max(s.Width, s.Height)), float64(s.Width)*float64(s.Height)
	scale := min(1, imagefile.MaxSide/longer, math.Sqrt(imagefile.MaxPixels/area))
	if scale < 1 {
		scale *= 0.999 // sides are rounded up
	}
	return scale
}

// header is the description of the image in a file.
type header struct {
	volume.Size            // as stored
	isTurned       bool    // by its orientation
	xPerMM, yPerMM float64 // resolution in pixels per millimeter
}

// readHeader asks vips for the header of an image.
func readHeader(ctx context.Context, folder, input string) (h header, err error) {
	out, err := tool.Run(ctx, folder, "vipsheader", "-a", input)
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		number, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "width":
			h.Width = int(number)
		case "height":
			h.Height = int(number)
		case "orientation":
			h.isTurned = number >= 2 && number <= 8
		case "xres":
			h.xPerMM = number
		case "yres":
			h.yPerMM = number
		}
	}
	if h.Width < 1 || h.Height < 1 {
		return h, errNoSize
	}
	return h, nil
}

// pixels is the file that has the pixels as they will be sent.
const pixels = "pixels.v"

// unpack writes the pixels of an image, upright and with 8 bits a channel.
func unpack(ctx context.Context, folder, input string, stored header, scale float64) error {
	if err := shrink(ctx, folder, input, pixels, stored, scale); err != nil || !stored.isTurned {
		return err
	}
	return replace(ctx, folder, pixels, "autorot")
}

// shrink writes an image at a scale of at most 1, with the resolution that it then has.
func shrink(ctx context.Context, folder, input, output string, from header, scale float64) error {
	width, height := scaled(from.Size, scale)
	_, err := tool.Run(ctx, folder, "vips", "thumbnail_image", input, output, strconv.Itoa(width), "--height", strconv.Itoa(height),
		"--size", "down", "--no-rotate")
	if err != nil {
		return err
	}
	if from.xPerMM == unknownPerMM && from.yPerMM == unknownPerMM {
		scale = 0 // declare none
	}
	if scale == 1 {
		return nil
	}
	return replace(ctx, folder, output, "copy", "--xres", fmt.Sprintf("%f", from.xPerMM*scale), "--yres", fmt.Sprintf("%f", from.yPerMM*scale))
}

// replace applies an operation of vips to a file.
func replace(ctx context.Context, folder, name, operation string, options ...string) error {
	next := "next-" + name
	if _, err := tool.Run(ctx, folder, "vips", append([]string{operation, name, next}, options...)...); err != nil {
		return err
	}
	return os.Rename(filepath.Join(folder, next), filepath.Join(folder, name))
}

// scaled returns both sides at a scale, rounded up.
func scaled(s volume.Size, scale float64) (width, height int) {
	return int(math.Ceil(float64(s.Width) * scale)), int(math.Ceil(float64(s.Height) * scale))
}

// encode writes the pixels as the best copy that the service accepts.
func encode(ctx context.Context, folder string, stored header) (*Prepared, error) {
	sent, err := readHeader(ctx, folder, pixels)
	if err != nil {
		return nil, err
	}
	master := stored.Size
	if stored.isTurned && (stored.Width > stored.Height) != (sent.Width > sent.Height) {
		master = volume.Size{Width: stored.Height, Height: stored.Width}
	}
	if sent.Width*sent.Height <= losslessPixels {
		// Fast compression: the default level takes four times as long to save a tenth of the bytes.
		path, err := try(ctx, folder, "copy.png", "pngsave", "--compression", "2")
		if path != "" || err != nil {
			return &Prepared{path, master, sent.Size}, err
		}
	}
	for range maxShrink {
		for _, quality := range qualities {
			path, err := try(ctx, folder, "copy.jpg", "jpegsave", "--Q", strconv.Itoa(quality), "--background", "255")
			if path != "" || err != nil {
				return &Prepared{path, master, sent.Size}, err
			}
		}
		smaller := "smaller-" + pixels
		if err := shrink(ctx, folder, pixels, smaller, sent, shrinking); err != nil {
			return nil, err
		}
		if err := os.Rename(filepath.Join(folder, smaller), filepath.Join(folder, pixels)); err != nil {
			return nil, err
		}
		if sent, err = readHeader(ctx, folder, pixels); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no copy of the image fits into %d MiB, the limit of the service", imagefile.MaxBytes>>20)
}

// try saves a copy and returns its path, or "" if it has too many bytes.
func try(ctx context.Context, folder, name, operation string, options ...string) (string, error) {
	if _, err := tool.Run(ctx, folder, "vips", append([]string{operation, pixels, name}, options...)...); err != nil {
		return "", err
	}
	path := filepath.Join(folder, name)
	about, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if about.Size() > imagefile.MaxBytes {
		return "", os.Remove(path)
	}
	return path, nil
}
