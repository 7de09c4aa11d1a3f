#!/bin/sh
# Prints the version of the Debian package. usage: version.sh VERSION CONTRACT
# Anything but numbers with dots, such as a commit, becomes a version before that of the contract, ordered by SOURCE_DATE_EPOCH, so that
# a later commit is an upgrade.
set -eu
case $1 in
[0-9]*.[0-9]*) version=$1 ;;
*) version=$2~$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y%m%d%H%M%S)~$1 ;;
esac
printf %s "$version" | tr - '~'
