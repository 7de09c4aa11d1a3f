#!/bin/sh
# Uses the package as the operator's guide says, in a fresh Debian container with systemd: the blocks of the guide that are marked
# "tested: package" run in their order, with checks between them. usage: deb.sh
# It builds two versions of the package, for the upgrade. Needs Docker; takes about 10 minutes.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
name=uncial-test-deb-$$
trap 'docker rm -f $name >/dev/null 2>&1; rm -rf "$work"' EXIT

docker build -q -t uncial-operator - <impl/deploy/test/Dockerfile >/dev/null
mkdir "$work/test"
for package in uncial=1.1.0-rc1 uncial-new=1.1.0-rc2; do
	make --no-print-directory deb VERSION="${package#*=}" >"$work/make.log" 2>&1 || { cat "$work/make.log"; exit 1; }
	cp bin/uncial_*.deb "$work/test/${package%=*}.deb" # as the README says; bin/ holds the latest package alone
done
cp impl/deploy/test/journey.sh impl/deploy/test/plain.sh "$work/test/"
impl/deploy/test/blocks.sh impl/deploy/README.md "$work/test/blocks"

# systemd as init needs these rights; the service itself has none of them.
docker run -d --name "$name" --hostname uncial --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
	--tmpfs /run --tmpfs /run/lock --tmpfs /tmp:exec -v /sys/fs/cgroup:/sys/fs/cgroup:rw --cgroupns=host uncial-operator >/dev/null
docker cp "$work/test/." "$name:/root/"
plain=$name-plain
trap 'docker rm -f $name $plain >/dev/null 2>&1; rm -rf "$work"' EXIT
docker run -d --name "$plain" --init debian:bookworm-slim sleep 3600 >/dev/null
docker cp "$work/test/." "$plain:/root/"
docker exec -w /root "$plain" bash -euo pipefail plain.sh download
docker network disconnect bridge "$plain"
docker exec -w /root "$plain" bash -euo pipefail plain.sh offline
docker rm -f "$plain" >/dev/null

docker exec -w /root "$name" bash -euo pipefail journey.sh || { docker exec "$name" journalctl -u uncial --no-pager -n 30; exit 1; }
