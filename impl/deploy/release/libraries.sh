#!/bin/bash
# Lists the Debian packages of libraries, with their licences, for the bill of materials and the notices: OUT/packages.tsv has name,
# version and architecture, OUT/NAME.copyright the licences. usage: libraries.sh OUT [COMMAND...]
# COMMAND prints what a program loads, as ldd does; without it all packages of the machine are listed.
set -euo pipefail
out=$1
shift
mkdir -p "$out"

# owner prints the package of a file. /lib is a link to /usr/lib, and packages know their files by either name.
owner() {
	local file name
	file=$(realpath "$1")
	for name in "$file" "${file#/usr}" "/usr$file"; do
		dpkg-query -S "$name" 2>/dev/null | cut -d ' ' -f 1 | tr -d , | sed 's/:$//' && return
	done
	echo "libraries: no package has $1" >&2
	return 1
}

packages=()
if [ $# -gt 0 ]; then
	loaded=$("$@" | awk '$2 == "=>" {print $3; next} /^\t*\// {print $1}')
	for file in $loaded; do packages+=("$(owner "$file")"); done
fi
dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\n' "${packages[@]}" | LC_ALL=C sort -u >"$out/packages.tsv"
cut -f 1 "$out/packages.tsv" | while read -r name; do
	cp "/usr/share/doc/$name/copyright" "$out/$name.copyright" || { echo "libraries: $name has no file of licences" >&2; exit 1; }
done
