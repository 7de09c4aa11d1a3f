#!/bin/sh
# Builds the images of a release from the programs that build.sh left in bin/, saves them and lists all that is in the engine's image.
# usage: images.sh VERSION OUT
set -eu
cd "$(dirname "$0")/../../.."
version=$1 out=$2
native=$(mktemp -d)
trap 'rm -rf "$native"' EXIT
impl/deploy/image.sh bin "$version" "$version"
docker run --rm --network none --user 0 --entrypoint bash -v "$PWD/impl/deploy/release:/release:ro" -v "$native:/out" "uncial-engine:$version" \
	/release/libraries.sh /out
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) go -C gen/tools/release run . sbom -native "$native" "$version" "$PWD/bin/uncial" "$PWD/bin/uncial-worker" \
	>"$out/uncial_${version}_image_engine_amd64.cdx.json"
docker save "uncial:$version" "uncial-engine:$version" "uncial-mock:$version" | gzip -n >"$out/uncial_${version}_images_amd64.tar.gz"
(cd "$out" && rm -f SHA256SUMS && sha256sum -- * >SHA256SUMS)
