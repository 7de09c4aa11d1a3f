#!/bin/sh
# Builds the worker for arm64 and runs it under qemu: the tests of the packages with code in C, and pages that must be read as this
# machine reads them. The workers' sandbox is not tested, because qemu's user mode does not support it. usage: arm64.sh
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
emulate() { docker run --rm -i --network none -v "$work:/out" -v "$PWD:/src:ro" -v "$(go env GOROOT):/go:ro" -v /usr/share/tesseract-ocr:/usr/share/tesseract-ocr:ro "$@"; }

for package in neural tesseract decode; do
	impl/deploy/release/cross.sh "$work" test -c -o "/out/$package.test" "./impl/ocr/$package"
	echo "== impl/ocr/$package"
	# TestBuild compiles for arm64, as cross.sh just did.
	emulate -w "/src/impl/ocr/$package" -e UNCIAL_EMULATOR=qemu-aarch64-static uncial-cross-arm64 qemu-aarch64-static "/out/$package.test" -test.skip ^TestBuild
done
impl/deploy/release/cross.sh "$work" build -trimpath -buildvcs=false -o /out/ ./impl/cmd/uncial-worker
echo "== impl/cmd/uncial-worker"
cat >"$work/worker" <<'END'
#!/bin/sh
exec docker run --rm -i --network none -v "$(dirname "$0"):/out" -v /usr/share/tesseract-ocr:/usr/share/tesseract-ocr:ro -e UNCIAL_WORKER_PROTOCOL \
	-e UNCIAL_MODELS=/usr/share/tesseract-ocr/5/tessdata -e OMP_THREAD_LIMIT=1 uncial-cross-arm64 qemu-aarch64-static /out/uncial-worker
END
chmod +x "$work/worker"
UNCIAL_EMULATED_WORKER=$work/worker go test -tags emulated -count=1 -v -timeout 30m -run '^TestWorker_ReadsTheSameOnOtherProcessors$' ./impl/cmd/uncial-worker
