#!/bin/sh
# Builds the same commit twice, in different folders, and compares every byte. usage: test.sh VERSION [PLATFORM...]
set -eu
cd "$(dirname "$0")/../../.."
version=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for copy in first the-second; do
	git clone -q . "$work/$copy"
	"$work/$copy/impl/deploy/release/build.sh" "$version" "$work/$copy.out" "$@"
	# Images are those of this machine's processor. The second build must not find the layers of the first.
	[ ! -x "$work/$copy/bin/uncial-worker" ] || IMAGE_FLAGS=--no-cache "$work/$copy/impl/deploy/release/images.sh" "$version" "$work/$copy.out"
done
diff -r "$work/first.out" "$work/the-second.out" || { echo "release: two builds differ" >&2; exit 1; }
(cd "$work/first.out" && sha256sum -c --quiet SHA256SUMS && ls -l)
echo "Two builds are identical."
