# The package in a container without systemd: "download" fetches the packages, "offline" installs and runs them without a network.
# deb.sh runs it as root.
export DEBIAN_FRONTEND=noninteractive
BLOCKS=$PWD/blocks
guide() { echo "== $1"; source "$BLOCKS/$1"; }
if [ "$1" = download ]; then
	apt-get update -qq
	guide download >/tmp/download.log
	exit
fi
guide offline >/tmp/install.log 2>&1 || { tail -20 /tmp/install.log; exit 1; }
grep -q 'systemd does not run here' /tmp/install.log
sed -i 's/^UNCIAL_SANDBOX=require/UNCIAL_SANDBOX=best-effort/' /etc/uncial/uncial.env # a container's own rules may forbid namespaces
(guide serve) >/tmp/serve.log 2>&1 &
for _ in $(seq 60); do uncial health http://127.0.0.1:8080/readyz >/dev/null 2>&1 && break; sleep 1; done
account=$(uncial account create --name plain --plan pro | cut -d ' ' -f 3)
UNCIAL_KEY=$(uncial key create --account "$account") uncial extract /usr/share/doc/uncial/page.jpg | grep -q 'second century of the Christian' ||
	{ cat /tmp/serve.log; exit 1; }
[ "$(stat -c %U /var/lib/uncial/uncial.db-wal)" = uncial ] # a command of root did not lock the service out
echo "The package works without systemd and without a network."
