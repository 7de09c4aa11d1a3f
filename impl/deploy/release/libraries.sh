#!/bin/bash
# Lists the Debian packages of libraries, with their licences, for the bill of materials and the notices: OUT/packages.tsv has name,
# version and architecture, OUT/NAME.copyright the licences. usage: libraries.sh OUT [COMMAND...]
# COMMAND prints the libraries that a program loads, as ldd does; without COMMAND, all packages of the machine are listed.
set -euo pipefail
out=$1
shift
mkdir -p "$out"

packages=()
if [ $# -gt 0 ]; then
	loaded=$("$@" | awk '$2 == "=>" {print $3; next} /^\t*\// {print $1}')
	[ -n "$loaded" ] || { echo "libraries: no library is loaded, according to: $*" >&2; exit 1; }
	mapfile -t files <<<"$loaded"
	loaded=$(realpath -e -- "${files[@]}") || { echo "libraries: a library is missing, according to: $*" >&2; exit 1; }
	mapfile -t files <<<"$loaded"
	# /lib is a link to /usr/lib, and a package lists its files under either name: ask for both names, of which one is found.
	files=("${files[@]#/usr}")
	declare -A owner
	while IFS= read -r line; do # PACKAGE[, PACKAGE...]: FILE
		file=${line##*: } names=${line%: *}
		owner[${file#/usr}]=${names%%,*}
	done < <(dpkg-query -S "${files[@]}" "${files[@]/#//usr}" 2>/dev/null)
	for file in "${files[@]}"; do
		[ -n "${owner[$file]:-}" ] || { echo "libraries: no package has $file" >&2; exit 1; }
		packages+=("${owner[$file]}")
	done
fi
dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\n' "${packages[@]}" | LC_ALL=C sort -u >"$out/packages.tsv"
cut -f 1 "$out/packages.tsv" | while read -r name; do
	cp "/usr/share/doc/$name/copyright" "$out/$name.copyright" || { echo "libraries: $name has no file of licences" >&2; exit 1; }
done
