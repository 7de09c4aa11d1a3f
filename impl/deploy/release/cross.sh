#!/bin/sh
# Runs the go command in a container with the compiler and the libraries of arm64. usage: cross.sh OUT ARGUMENT...
# In the container, OUT is /out. Go, its modules and its cache are those of this machine.
set -eu
cd "$(dirname "$0")/../../.."
out=$1
shift
docker build -q -t uncial-cross-arm64 - <impl/deploy/release/cross.Dockerfile >/dev/null
go mod download
exec docker run --rm --network none -v "$PWD:/src:ro" -v "$(go env GOROOT):/go:ro" -v "$(go env GOMODCACHE):/modules:ro" -v "$out:/out" \
	-e GOMODCACHE=/modules -e GOPROXY=off -e GOSUMDB=off -e GOCACHE=/cache -v "$(go env GOCACHE):/cache" -w /src uncial-cross-arm64 \
	/go/bin/go "$@"
