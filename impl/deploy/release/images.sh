#!/bin/sh
# Builds the images of a release from the programs that build.sh left in bin/, saves them and lists the contents of the engine's image.
# The archive depends only on the contents of the images: two builds are identical if they start from the same base image and Debian's
# mirror has the same packages. usage: images.sh VERSION OUT
set -eu
cd "$(dirname "$0")/../../.."
version=$1 out=$2
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
native=$(mktemp -d) saved=$(mktemp -d)
trap 'rm -rf "$native" "$saved"' EXIT
impl/deploy/image.sh bin "$version" "$version"
docker run --rm --network none --user 0 --entrypoint bash -v "$PWD/impl/deploy/release:/release:ro" -v "$native:/out" "uncial-engine:$version" \
	/release/libraries.sh /out
go -C gen/tools/release run . sbom -native "$native" "$version" "$PWD/bin/uncial" "$PWD/bin/uncial-worker" \
	>"$out/uncial_${version}_image_engine_amd64.cdx.json"
archive=$(cd "$out" && pwd)/uncial_${version}_images_amd64.tar.gz
docker save "uncial:$version" "uncial-engine:$version" "uncial-mock:$version" | tar -C "$saved" -x
go -C gen/tools/release run . images "$saved" >"$saved/images.tar"
gzip -n <"$saved/images.tar" >"$archive"
docker load -q -i "$archive" >/dev/null
for image in uncial uncial-engine uncial-mock; do
	docker run --rm --network none "$image:$version" --version | grep -qF "$version" || { echo "release: the image $image does not start" >&2; exit 1; }
done
(cd "$out" && rm -f SHA256SUMS && sha256sum -- * >SHA256SUMS)
