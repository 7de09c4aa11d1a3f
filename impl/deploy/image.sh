#!/bin/sh
# Builds the container images from the programs and THIRD_PARTY_NOTICES in a folder, or that of the mock alone.
# usage: image.sh FOLDER VERSION TAG [mock]
# IMAGE_FLAGS are further flags of docker build, such as --no-cache.
set -eu
cd "$(dirname "$0")/../.."
folder=$1 version=$2 tag=$3 only=${4:-}
context=$(mktemp -d) # nothing else goes to the container engine
trap 'rm -rf "$context"' EXIT
image() { docker build -q --force-rm ${IMAGE_FLAGS:-} "$@" --build-arg "VERSION=$version" -f - "$context" >/dev/null; }

cp "$folder/uncial-mock" "$folder/THIRD_PARTY_NOTICES" LICENSE "$context"
image -t "uncial-mock:$tag" <mock/Dockerfile
[ "$only" != mock ] || { echo "uncial-mock:$tag"; exit; }

cp "$folder/uncial" "$folder/uncial-worker" "$context"
cp impl/ocr/models/own/LICENSE "$context/models-LICENSE"
cp impl/ocr/models/own/README.md "$context/models-README.md"
image --target uncial -t "uncial:$tag" <impl/deploy/Dockerfile
image --target engine -t "uncial-engine:$tag" <impl/deploy/Dockerfile
echo "uncial:$tag" "uncial-engine:$tag" "uncial-mock:$tag"
