#!/bin/sh
# Makes the sample files of this directory with ImageMagick 6, 48 x 32 pixels at 300 dots per inch each. The first part of
# a name says what it shows: colours-*, grey-* and clear-* four quarters, ink-* a black quarter on white.
set -eu
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
at300="-strip -density 300x300 -units PixelsPerInch"
true="-type TrueColor"

convert \( -size 24x16 'xc:rgb(200,30,30)' 'xc:rgb(30,160,40)' +append \) \
	\( -size 24x16 'xc:rgb(40,50,190)' 'xc:rgb(250,250,250)' +append \) -append +repage -depth 8 $at300 "$dir/colours.png"
convert \( -size 24x16 'xc:gray(0)' 'xc:gray(85)' +append \) \
	\( -size 24x16 'xc:gray(170)' 'xc:gray(255)' +append \) -append +repage -depth 8 -colorspace Gray $at300 "$dir/grey.png"
convert -size 48x32 xc:white -fill black -draw 'rectangle 0,0 23,15' -monochrome $at300 "$dir/ink.png"
convert "$dir/colours.png" -alpha set -channel A -fx 'j<16?0.5:1' +channel "$dir/clear.png"
colours="$dir/colours.png" grey="$dir/grey.png" ink="$dir/ink.png" clear="$dir/clear.png"

for c in LZW RLE Zip JPEG; do
	convert "$colours" $at300 $true -quality 95 -compress $c colours-strips-$c.tif
	convert "$colours" $at300 $true -quality 95 -compress $c -define tiff:tile-geometry=16x16 colours-tiles-$c.tif
	convert "$colours" $at300 $true -quality 95 -compress $c -interlace plane colours-planes-$c.tif
done
convert "$colours" $at300 $true -quality 95 -compress JPEG -interlace plane -define tiff:tile-geometry=16x16 colours-planes-tiles-JPEG.tif
convert "$colours" $at300 $true -quality 95 -colorspace YCbCr -compress JPEG -sampling-factor 4:2:0 colours-ycbcr-JPEG.tif
convert "$colours" $at300 $true -compress LZW TIFF64:colours-big-LZW.tif
convert "$colours" $at300 $true -depth 16 -endian MSB -compress LZW colours-16-MSB.tif
convert "$colours" $at300 $true -depth 16 -define tiff:predictor=2 -compress Zip colours-16-predictor.tif
convert "$colours" $at300 $true -define tiff:predictor=2 -compress LZW colours-predictor.tif
convert "$colours" $at300 -type Palette -compress LZW colours-palette.tif
convert "$colours" $at300 -colorspace CMYK -compress LZW colours-cmyk-LZW.tif
convert "$colours" $at300 -colorspace CMYK -compress JPEG -quality 95 colours-cmyk-JPEG.tif
convert "$colours" $at300 -colorspace CMYK -compress Zip -define tiff:tile-geometry=16x16 colours-cmyk-tiles.tif
convert "$colours" $at300 $true -compress ZSTD colours-ZSTD.tif
convert "$colours" $at300 -colorspace CMYK -orient LeftBottom -compress JPEG -quality 95 side-cmyk-JPEG.tif
convert "$clear" $at300 -compress Zip clear-unassociated.tif
convert "$clear" $at300 -define tiff:alpha=associated -compress Zip clear-associated.tif
convert "$grey" $at300 -compress JPEG -quality 95 grey-JPEG.tif
convert "$grey" $at300 -alpha set -compress JPEG -quality 95 grey-alpha-JPEG.tif
for d in 2 4 16; do convert "$grey" $at300 -depth $d -compress LZW grey-$d.tif; done
for c in Fax Group4 RLE None; do convert "$ink" $at300 -compress $c ink-$c.tif; done
convert "$ink" $at300 -compress Group4 -define quantum:polarity=min-is-black ink-Group4-black.tif
convert "$ink" $at300 -compress Group4 -define tiff:fill-order=lsb ink-Group4-lsb.tif
convert "$ink" $at300 -compress Group4 -define tiff:rows-per-strip=5 ink-Group4-strips.tif
convert "$colours" "$grey" "$ink" $at300 -compress LZW pages.tif

convert "$colours" $at300 -quality 95 colours.jpg
convert "$colours" $at300 -quality 95 -interlace JPEG colours-progressive.jpg
convert "$colours" $at300 -quality 95 -sampling-factor 4:2:0 colours-420.jpg
convert "$colours" $at300 -quality 95 -sampling-factor 1x1,2x2,1x1 colours-odd.jpg
convert "$colours" $at300 -colorspace CMYK -quality 95 colours-cmyk.jpg
convert "$grey" $at300 -quality 95 grey.jpg

convert "$colours" $at300 $true -interlace PNG colours-interlaced.png
convert "$colours" $at300 -type Palette colours-palette.png
convert "$colours" $at300 $true -depth 16 -define png:bit-depth=16 colours-16.png
convert "$grey" $at300 -depth 2 grey-2.png
convert "$clear" $at300 clear.png

convert "$colours" $at300 $true BMP3:colours-24.bmp
convert "$colours" $at300 -type Palette BMP3:colours-4.bmp
convert "$colours" $at300 -type Palette -compress RLE BMP3:colours-rle8.bmp
convert "$colours" $true -define bmp:subtype=RGB565 $at300 colours-565.bmp
convert "$colours" $true -define bmp:subtype=RGB555 $at300 colours-555.bmp
convert "$clear" $at300 clear-v4.bmp
convert "$ink" $at300 BMP3:ink.bmp
convert "$colours" -type Palette BMP2:colours-os2.bmp

convert "$colours" -quality 90 colours-lossy.webp
convert "$colours" -define webp:lossless=true colours-lossless.webp
convert "$clear" -quality 90 clear-lossy.webp
convert "$clear" -define webp:lossless=true clear-lossless.webp
convert -delay 10 "$colours" \( -size 48x32 xc:black \) -quality 90 colours-animated.webp
convert -delay 10 "$clear" \( -size 48x32 xc:black \) -define webp:lossless=true clear-animated.webp
