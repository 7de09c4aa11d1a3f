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
	// shrinking is how much smaller each side becomes if no quality fits, which needs an image that is nearly noise.
	shrinking = 0.75
	maxShrink = 6
)

// qualities are those of a JPEG, best first. The lowest still shows small print without visible blocks.
var qualities = []int{95, 88, 80}

// errNoSize means that vips did not say how large the image is.
var errNoSize = errors.New("vipsheader named no size")

// Copy makes a copy of an image that the service accepts, in a folder of its own: the same pixels as PNG if that is small
// enough, else a JPEG of high quality, scaled down only as far as the limits demand. frame is the image of a TIFF, from 0.
// The copy is upright. Memory is bounded: vips reads the file strip by strip or tile by tile.
func Copy(ctx context.Context, folder, path string, kind Kind, frame int) (*Prepared, error) {
	// The brackets of options must not meet those of a file name.
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
	master, isTurned, err := header(ctx, folder, "input"+option)
	if err != nil {
		return nil, err
	}
	scale := fit(master)
	if reduction := int(-math.Log2(scale)); kind == JPEG2000 && reduction > 0 {
		// JPEG 2000 stores smaller versions of itself; a whole untiled image needs 12 bytes a pixel.
		option = fmt.Sprintf("[page=%d,access=sequential]", reduction)
	}
	pixels, err := decoded(ctx, folder, "input"+option, master, scale, isTurned)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(filepath.Join(folder, pixels)) }()
	return encode(ctx, folder, pixels, master, isTurned)
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

// header returns the size of an image as stored, and whether its orientation turns it at all.
func header(ctx context.Context, folder, input string) (size volume.Size, isTurned bool, err error) {
	out, err := tool.Run(ctx, folder, "vipsheader", "-a", input)
	if err != nil {
		return size, false, err
	}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		number, _ := strconv.Atoi(value)
		switch name {
		case "width":
			size.Width = number
		case "height":
			size.Height = number
		case "orientation":
			isTurned = number >= 2 && number <= 8
		}
	}
	if size.Width < 1 || size.Height < 1 {
		return size, false, errNoSize
	}
	return size, isTurned, nil
}

// decoded writes the pixels of an image as they will be sent, upright and with 8 bits a channel, to a file in the folder.
func decoded(ctx context.Context, folder, input string, master volume.Size, scale float64, isTurned bool) (string, error) {
	width, height := scaled(master, scale)
	const pixels, upright = "pixels.v", "upright.v"
	_, err := tool.Run(ctx, folder, "vips", "thumbnail_image", input, pixels, strconv.Itoa(width), "--height", strconv.Itoa(height),
		"--size", "down", "--no-rotate")
	if err != nil || !isTurned {
		return pixels, err
	}
	_, err = tool.Run(ctx, folder, "vips", "autorot", pixels, upright)
	return upright, errors.Join(err, os.Remove(filepath.Join(folder, pixels)))
}

// scaled returns both sides at a scale, rounded up.
func scaled(s volume.Size, scale float64) (width, height int) {
	return int(math.Ceil(float64(s.Width) * scale)), int(math.Ceil(float64(s.Height) * scale))
}

// encode writes pixels as the best copy that the service accepts.
func encode(ctx context.Context, folder, pixels string, stored volume.Size, isTurned bool) (*Prepared, error) {
	sent, _, err := header(ctx, folder, pixels)
	if err != nil {
		return nil, err
	}
	master := stored
	if isTurned && (stored.Width > stored.Height) != (sent.Width > sent.Height) {
		master = volume.Size{Width: stored.Height, Height: stored.Width}
	}
	if sent.Width*sent.Height <= losslessPixels {
		// The least compression that pays: the usual one takes four times as long for a tenth of the bytes.
		path, err := try(ctx, folder, "copy.png", "pngsave", pixels, "--compression", "2")
		if path != "" || err != nil {
			return &Prepared{path, master, sent}, err
		}
	}
	for range maxShrink {
		for _, quality := range qualities {
			path, err := try(ctx, folder, "copy.jpg", "jpegsave", pixels, "--Q", strconv.Itoa(quality), "--background", "255", "--strip")
			if path != "" || err != nil {
				return &Prepared{path, master, sent}, err
			}
		}
		smaller := "smaller-" + pixels
		width, height := scaled(sent, shrinking)
		if _, err := tool.Run(ctx, folder, "vips", "thumbnail_image", pixels, smaller, strconv.Itoa(width), "--height", strconv.Itoa(height), "--size", "down"); err != nil {
			return nil, err
		}
		if err := os.Rename(filepath.Join(folder, smaller), filepath.Join(folder, pixels)); err != nil {
			return nil, err
		}
		if sent, _, err = header(ctx, folder, pixels); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no copy of the image has at most %d MiB, the limit of the service", imagefile.MaxBytes>>20)
}

// try saves a copy and returns its path, or "" if it has too many bytes.
func try(ctx context.Context, folder, name, operation, pixels string, options ...string) (string, error) {
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
