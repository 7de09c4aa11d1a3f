#!/bin/sh
# Prepares this machine to run the test containers. It may be run any number of times.
#   1. Container engine: uses the one that is running; otherwise, on Debian as root, installs and starts docker.io.
#   2. Base image of all Dockerfiles: uses the one that is there, unless it lacks the licences of its packages, which our images must contain.
#      Otherwise pulls it; if no image registry answers, builds it with debootstrap.
set -eu

base=debian:bookworm-slim
state=${XDG_RUNTIME_DIR:-/run}/uncial
log=/var/log/uncial-dockerd.log

say() { echo "containers: $*"; }
fail() { echo "containers: $*" >&2; exit 1; }
answers() { docker info >/dev/null 2>&1; }
present() { docker image inspect "$base" >/dev/null 2>&1; }
licensed() { docker run --rm --network none --entrypoint test "$base" -s /usr/share/doc/libc6/copyright >/dev/null 2>&1; }
start() {
	server=$$ # always alive, for when the service manager started the engine
	if [ -d /run/systemd/system ]; then
		say "starting the service docker"
		systemctl start docker || fail "docker.service did not start; see: journalctl -u docker"
	else
		say "starting dockerd (its log: $log)"
		mkdir -p "$state"
		setsid nohup dockerd --pidfile "$state/docker.pid" </dev/null >"$log" 2>&1 &
		server=$!
	fi
	n=0
	until answers; do
		n=$((n + 1))
		kill -0 "$server" 2>/dev/null || n=$((n + 5)) # it ended: only an engine that someone else started may still appear
		[ "$n" -lt 60 ] || { [ ! -f "$log" ] || tail -n 5 "$log" >&2; fail "dockerd did not come up"; }
		sleep 1
	done
}
install() {
	say "installing $*"
	export DEBIAN_FRONTEND=noninteractive
	apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 ||
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null; } ||
		fail "could not install $*"
}

if ! answers; then
	why=$(docker version 2>&1 >/dev/null | tail -n 1 || true)
	[ -z "${DOCKER_HOST:-}" ] ||
		fail "no container engine answers at DOCKER_HOST=$DOCKER_HOST ($why); start one there, or unset DOCKER_HOST to use this machine"
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 ||
		fail "no container engine answers ($why); start one that this user may use, or on Debian run: sudo $0"
	command -v dockerd >/dev/null 2>&1 && command -v iptables >/dev/null 2>&1 || install docker.io iptables
	answers || start
fi

if present; then
	licensed && exit 0
	say "the image $base lacks the licences of its packages; replacing it"
fi
if timeout 120 docker pull -q "$base" >/dev/null 2>&1 && licensed; then
	say "pulled $base"
	exit 0
fi

[ "$(id -u)" = 0 ] || fail "no image registry answers, and building $base needs root"
command -v debootstrap >/dev/null 2>&1 || install debootstrap
say "no image registry answers; building $base with debootstrap"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
debootstrap --variant=minbase --include=ca-certificates bookworm "$dir" >"$dir.log" 2>&1 ||
	{ tail -5 "$dir.log" >&2; rm -f "$dir.log"; fail "debootstrap failed"; }
rm -f "$dir.log"
# If a proxy inspects TLS, containers need its certificate, which is among those of the host.
if [ -d /usr/local/share/ca-certificates ]; then
	cp -r /usr/local/share/ca-certificates/. "$dir/usr/local/share/ca-certificates/" && chroot "$dir" update-ca-certificates >/dev/null 2>&1 || true
fi
cp /etc/ssl/certs/ca-certificates.crt "$dir/etc/ssl/certs/ca-certificates.crt" 2>/dev/null || true
mirror=$(awk '$1 == "deb" { print $2; exit }' "$dir/etc/apt/sources.list")
printf 'deb %s bookworm main\ndeb %s bookworm-updates main\ndeb %s-security bookworm-security main\n' "$mirror" "$mirror" "$mirror" >"$dir/etc/apt/sources.list"
rm -rf "$dir"/var/cache/apt/archives/*.deb "$dir"/var/lib/apt/lists/* "$dir"/usr/share/man/* "$dir"/usr/share/locale/*
find "$dir/usr/share/doc" -type f ! -name copyright -delete # the licences stay, as in Debian's own image
tar -C "$dir" -c . | docker import -c 'CMD ["bash"]' - "$base" >/dev/null || fail "docker import of $base failed; see the message above"
licensed || fail "the image $base was built, but no container of it starts, or it has no licences; see: docker run --rm $base ls /usr/share/doc/libc6"
say "built $base"
