#!/bin/sh
# Builds the Debian package from what `make build` built. usage: build.sh VERSION CONTRACT OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=$("$here/version.sh" "$1" "$2") out=$3
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

umask 022
"$here/../install.sh" "$stage" /usr
mkdir -p "$stage/DEBIAN"
chmod 755 "$stage"
doc=$stage/usr/share/doc/uncial
rm "$doc/LICENSE" # Debian has its text
{
	echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
	printf '\nFiles: *\nCopyright: the authors of Uncial\nLicense: Apache-2.0\n'
	printf ' On Debian systems, /usr/share/common-licenses/Apache-2.0 has the text.\n'
	printf '\nFiles: usr/libexec/uncial/uncial-worker (the models in it)\nCopyright: see models/README.md\nLicense: CC-BY-SA-4.0\n'
	printf ' models/LICENSE has the text, and models/README.md the attributions.\n'
	printf '\nComment: THIRD_PARTY_NOTICES.gz has the licences of the modules that are linked into the programs.\n'
} >"$doc/copyright"
gzip -9n "$doc/THIRD_PARTY_NOTICES" "$doc/CHANGELOG.md"
mv "$doc/CHANGELOG.md.gz" "$doc/changelog.gz"

echo /etc/uncial/uncial.env >"$stage/DEBIAN/conffiles"
install -m 755 "$here/postinst" "$here/prerm" "$here/postrm" "$stage/DEBIAN/"
models=$("$here/../debian-packages.sh" list | tr ' ' '\n' | grep '^tesseract-ocr-' | paste -sd, | sed 's/,/, /g')
sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$(dpkg --print-architecture)/" -e "s/@SIZE@/$(du -sk "$stage" | cut -f 1)/" -e "s/@MODELS@/$models/" \
	"$here/control.in" >"$stage/DEBIAN/control"
(cd "$stage" && find usr lib -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
find "$stage" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
rm -f "$out"/uncial_*.deb # earlier builds, so that bin/uncial_*.deb is one file
package=$out/uncial_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group -Zxz -z4 --build "$stage" "$package" >/dev/null
echo "$package"
