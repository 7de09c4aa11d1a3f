#!/bin/sh
# Installs the Debian packages that Uncial needs, or lists those that are missing.
# usage: debian-packages.sh list|run|test|bench|browser|cluster
#   list  print the packages for building and running the service
#   run   install the packages for building and running the service
#   test  install these and the packages for the tests
#   bench  install what the benchmarks compare with: tesseract and pgbench
#   browser  install the packages for the tests in a browser
#   cluster  install the packages for the tests on Kubernetes
set -eu

run="gcc libc6-dev pkg-config libtesseract-dev libleptonica-dev ca-certificates
tesseract-ocr-eng tesseract-ocr-enm tesseract-ocr-deu tesseract-ocr-frk tesseract-ocr-fra tesseract-ocr-frm
tesseract-ocr-lat tesseract-ocr-ita tesseract-ocr-ita-old tesseract-ocr-spa tesseract-ocr-spa-old tesseract-ocr-grc
tesseract-ocr-nld tesseract-ocr-por tesseract-ocr-script-frak tesseract-ocr-script-latn tesseract-ocr-osd"
test="tesseract-ocr poppler-utils libvips-tools libtiff-tools qpdf ghostscript libxml2-utils webp curl python3-torch python3-numpy
libopenblas0-pthread gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
bench="tesseract-ocr postgresql-15"
browser="chromium"
cluster="containerd runc containernetworking-plugins iptables nftables iproute2 mount"

case "${1:-}" in
run) want=$run ;;
test) want="$run $test" ;;
bench) want="$run $bench" ;;
browser) want="$browser" ;;
cluster) want="$cluster" ;;
list) echo $run; exit 0 ;;
*) echo "usage: $0 list|run|test|bench|browser|cluster" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "This system is not Debian. Install a C compiler, pkg-config, Tesseract 5 with headers and the language packs by hand." >&2
	echo "The Debian packages are:" $want >&2
	pkg-config --exists tesseract lept 2>/dev/null && exit 0
	exit 1
fi

missing=
for p in $want; do
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)" = installed ] || missing="$missing $p"
done
# npm lints the contract, type-checks the generated TypeScript client and fetches axe-core. Any version of it works, whether from Debian or not.
[ "$1" = test ] || [ "$1" = browser ] && ! command -v npm >/dev/null 2>&1 && missing="$missing npm"
[ -n "$missing" ] || exit 0

as=
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as=sudo
	else
		echo "Debian packages are missing. Install them as root:" >&2
		echo "  sudo apt-get install --no-install-recommends$missing" >&2
		exit 1
	fi
fi
echo "Installing Debian packages:$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The list of available packages may be old or missing: refresh it once and try again.
if ! $as apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1; then
	if ! { $as apt-get update -qq && $as apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
		cat "$log" >&2
		echo "Installing the packages failed; see the messages above." >&2
		exit 1
	fi
fi
