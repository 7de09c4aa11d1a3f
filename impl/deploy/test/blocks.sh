#!/bin/sh
# Writes the shell blocks of a manual that are marked "<!-- tested: MACHINE NAME -->" to FOLDER/NAME.
# usage: blocks.sh MANUAL FOLDER
set -eu
mkdir -p "$2"
awk -v folder="$2" '
	/^<!-- tested: / { name = $(NF - 1); next }
	/^```sh$/ && name != "" { file = folder "/" name; next }
	/^```$/ { if (file != "") close(file); file = ""; name = ""; next }
	file != "" { print > file }
' "$1"
