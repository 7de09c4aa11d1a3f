#!/bin/sh
# Installs what `make build` built. usage: install.sh DESTDIR PREFIX
# Settings are installed only if there are none yet.
set -eu
cd "$(dirname "$0")/../.."
root=$1 prefix=$2
doc=$root$prefix/share/doc/uncial

put() { install -D -m "$1" "$2" "$3"; }
put 755 bin/uncial "$root$prefix/bin/uncial"
put 755 bin/uncial-worker "$root$prefix/libexec/uncial/uncial-worker"

bin/uncial man | gzip -9n >bin/uncial.1.gz
put 644 bin/uncial.1.gz "$root$prefix/share/man/man1/uncial.1.gz"
for shell in bash zsh fish; do bin/uncial completion $shell >bin/completion.$shell; done
put 644 bin/completion.bash "$root$prefix/share/bash-completion/completions/uncial"
put 644 bin/completion.zsh "$root$prefix/share/zsh/vendor-completions/_uncial"
put 644 bin/completion.fish "$root$prefix/share/fish/vendor_completions.d/uncial.fish"

sed "s|/usr/|$prefix/|" impl/deploy/systemd/uncial.service >bin/uncial.service
put 644 bin/uncial.service "$root/lib/systemd/system/uncial.service"
[ -e "$root/etc/uncial/uncial.env" ] || put 640 impl/deploy/uncial.env "$root/etc/uncial/uncial.env"

for file in impl/deploy/README.md CHANGELOG.md LICENSE bin/THIRD_PARTY_NOTICES impl/deploy/proxy/Caddyfile impl/deploy/proxy/nginx.conf \
	impl/deploy/monitoring/prometheus.yml impl/deploy/monitoring/alerts.yaml impl/deploy/monitoring/grafana.json impl/sample/page.jpg; do
	put 644 "$file" "$doc/$(basename "$file")"
done
put 644 impl/ocr/models/own/README.md "$doc/models/README.md"
put 644 impl/ocr/models/own/LICENSE "$doc/models/LICENSE"
put 644 openapi.yaml "$doc/openapi.yaml"
