#!/bin/sh
# Builds a release: archives, the Debian package, the bill of materials, licences and checksums. usage: build.sh VERSION OUT [PLATFORM...]
# Two builds of the same commit give the same bytes; `make test-release` compares them.
set -eu
cd "$(dirname "$0")/../../.."
version=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
contract=$(awk '$1 == "version:" {print $2; exit}' openapi.yaml)
[ "$version" = "$contract" ] || { echo "release: VERSION=$version, but the contract has $contract; change openapi.yaml, Chart.yaml and CHANGELOG.md together" >&2; exit 1; }
go test ./internal/version ./contracttests/internal/compat >/dev/null || { echo "release: versions differ, or the contract lost something since gen/released; run go test ./internal/version ./contracttests/internal/compat" >&2; exit 1; }
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
go -C gen/tools/release test . >/dev/null || { echo "release: the tests of gen/tools/release fail; run go -C gen/tools/release test ." >&2; exit 1; }
mkdir -p "$out"
rm -f "$out"/uncial_* # of an earlier build
out=$(cd "$out" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
flags="-trimpath -buildvcs=false"
ld="-s -w -buildid= -X uncial/internal/version.Version=$version"

# pack FOLDER: an archive whose bytes depend only on its files.
pack() {
	tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go-w -cf - "$1" | gzip -9n >"$out/$1.tar.gz"
	echo "$1.tar.gz"
}

# worker ARCH FOLDER: builds the worker, which needs a C compiler and Tesseract for its processor; those for other processors are in a container. It also lists the
# packages of the libraries that the worker loads, in the folder native.ARCH.
worker() {
	if [ "$1" = "$(go env GOHOSTARCH)" ]; then
		CGO_ENABLED=1 go build $flags -ldflags "$ld" -o "$2/" ./impl/cmd/uncial-worker
		impl/deploy/release/libraries.sh "$stage/native.$1" ldd "$2/uncial-worker"
		return
	fi
	impl/deploy/release/cross.sh "$2" build $flags -mod=readonly -ldflags "$ld" -o /out/ ./impl/cmd/uncial-worker
	mkdir "$stage/native.$1"
	docker run --rm --network none -v "$PWD:/src:ro" -v "$2:/programs:ro" -v "$stage/native.$1:/out" uncial-cross-arm64 \
		/src/impl/deploy/release/libraries.sh /out qemu-aarch64-static /lib/ld-linux-aarch64.so.1 --list /programs/uncial-worker
}

for platform in "$@"; do
	os=${platform%/*} arch=${platform#*/}
	name=uncial_${version}_${os}_$arch
	mkdir -p "$stage/$name"
	programs="./mock/cmd/uncial-mock ./contracttests/cmd/uncial-contract" native=
	[ "$os" != linux ] || programs="$programs ./impl/cmd/uncial"
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build $flags -ldflags "$ld" -o "$stage/$name/" $programs
	cp LICENSE README.md CHANGELOG.md openapi.yaml "$stage/$name/"
	cp mock/README.md "$stage/$name/mock.md"
	cp contracttests/README.md "$stage/$name/contract-suite.md"
	if [ "$os" = linux ]; then
		worker "$arch" "$stage/$name"
		native="-native $stage/native.$arch"
		mkdir "$stage/$name/models"
		cp impl/ocr/models/own/LICENSE impl/ocr/models/own/README.md "$stage/$name/models/"
		cp impl/deploy/README.md "$stage/$name/operators-guide.md"
	fi
	go -C gen/tools/release run . notices $native "$stage/$name"/uncial* >"$stage/$name/THIRD_PARTY_NOTICES"
	go -C gen/tools/release run . sbom $native "$version" "$stage/$name"/uncial* >"$out/$name.cdx.json"
	pack "$name"
	if [ "$platform" = "linux/$(go env GOHOSTARCH)" ]; then
		mkdir -p bin
		cp "$stage/$name"/uncial* "$stage/$name/THIRD_PARTY_NOTICES" bin/
		impl/deploy/debian/build.sh "$version" "$contract" "$out" >/dev/null
	fi
done
cp openapi.yaml "$out/openapi.yaml"
(cd "$out" && rm -f SHA256SUMS && sha256sum -- * >SHA256SUMS)
echo "$out"
