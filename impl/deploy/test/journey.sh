# What an operator does, in the order of the guide. deb.sh runs it in a container as root; "guide NAME" runs a block of the guide.
BLOCKS=$PWD/blocks
guide() { echo "== $1"; source "$BLOCKS/$1"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
reads() { uncial extract /usr/share/doc/uncial/page.jpg | grep -q 'second century of the Christian' || fail "the page was not read $1"; }
expect() { grep -q -- "$2" <<<"$1" || fail "expected \"$2\" in: $1"; }

apt-get update -qq
export DEBIAN_FRONTEND=noninteractive
guide install >/tmp/install.log 2>&1 || { tail -20 /tmp/install.log; fail install; }
for _ in $(seq 60); do uncial health http://127.0.0.1:8080/readyz >/dev/null 2>&1 && break; sleep 1; done
expect "$(systemctl is-active uncial)" active
journalctl -u uncial -o cat --no-pager | grep -v '^{' | grep -v 'systemd\|uncial.service\|StateDirectory\|DynamicUser' && fail "a line of the log is not JSON"
expect "$(journalctl -u uncial -o cat --no-pager)" 'seccomp'
expect "$(journalctl -u uncial -o cat --no-pager)" 'namespaces (user'
expect "$(systemd-analyze security uncial --no-pager | tail -1)" ' OK '

out=$(uncial account create --name x --plan pro --database sqlite:/tmp/none.db 2>&1) && fail "a mistyped database was created"
expect "$out" 'does not exist'
guide first >/tmp/first.log # not through a pipe, which would lose the key
expect "$(cat /tmp/first.log)" 'Christian'
reads "after the installation"
expect "$(uncial account list 2>&1)" 'Database: sqlite:/var/lib/uncial/uncial.db'
as_user=$(runuser -u nobody -- uncial account list 2>&1) && fail "any user may list accounts"
expect "$as_user" 'run this command as root'
man uncial | grep -q UNCIAL_DATABASE || fail "no manual page"
zsh -fc 'autoload -U compinit; compinit -u -d /tmp/z; whence -v _uncial' | grep -q uncial || fail "no zsh completion"
fish -c 'complete -C "uncial acc"' | grep -q account || fail "no fish completion"
bash -ic 'source /usr/share/bash-completion/bash_completion; _completion_loader uncial; complete -p uncial' 2>/dev/null | grep -q _uncial || fail "no bash completion"
for file in copyright THIRD_PARTY_NOTICES.gz models/LICENSE models/README.md; do [ -s "/usr/share/doc/uncial/$file" ] || fail "no $file"; done

guide prometheus
sleep 40
uncial extract /usr/share/doc/uncial/page.jpg >/dev/null
sleep 20
echo "== the queries of the Grafana dashboard"
jq -r '.panels[].targets[]?.expr' /usr/share/doc/uncial/grafana.json | sed 's/\$job/uncial/; s/\$__rate_interval/1m/g; s/\$__range/1h/g' | sort -u >/tmp/queries
while read -r query; do
	answer=$(curl -sS --get http://127.0.0.1:9090/api/v1/query --data-urlencode "query=$query")
	expect "$answer" '"status":"success"'
	case $query in
	*engine* | *language_model* | *mail* | *fetch*) ;; # not used here
	*) expect "$answer $query" '"value":' ;;
	esac
done </tmp/queries
echo "$(wc -l </tmp/queries) queries"
[ "$(curl -sS http://127.0.0.1:9090/api/v1/rules | jq '[.data.groups[].rules[]] | length')" = 16 ] || fail "alert rules are not loaded"
[ "$(curl -sS --get http://127.0.0.1:9090/api/v1/query --data-urlencode 'query=sum(uncial_points_charged_total)' | jq -r '.data.result[0].value[1]')" -ge 30 ] || fail "points are not counted"

echo "== a killed service restarts"
systemctl kill --signal=KILL --kill-who=main uncial
sleep 5
for _ in $(seq 60); do uncial health http://127.0.0.1:8080/readyz >/dev/null 2>&1 && break; sleep 1; done
reads "after a crash"

echo "127.0.0.1 uncial.example.org" >>/etc/hosts
sed -i 's/^uncial.example.org {/&\n\ttls internal/' /usr/share/doc/uncial/Caddyfile # no public certificate here
export SSL_CERT_FILE=/etc/ssl/certs/test.pem CURL_CA_BUNDLE=/etc/ssl/certs/test.pem
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=uncial.example.org -addext subjectAltName=DNS:uncial.example.org,IP:127.0.0.1 \
	-keyout /etc/ssl/test.key -out /etc/ssl/test.crt 2>/dev/null
systemctl start caddy && sleep 3 && cp /usr/share/doc/uncial/Caddyfile /etc/caddy/Caddyfile && systemctl restart caddy && sleep 5
cat /var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt /etc/ssl/test.crt >/etc/ssl/certs/test.pem
guide caddy
UNCIAL_URL=https://uncial.example.org reads "through Caddy"
expect "$(curl -sS -o /dev/null -w '%{http_code}' https://uncial.example.org/dashboard/sign-in)" 200
systemctl stop caddy
mkdir -p /etc/ssl/uncial && cp /etc/ssl/test.crt /etc/ssl/uncial/fullchain.pem && cp /etc/ssl/test.key /etc/ssl/uncial/key.pem
guide nginx
UNCIAL_URL=https://uncial.example.org reads "through nginx"
expect "$(curl -sS -o /dev/null -w '%{http_code}' https://uncial.example.org/dashboard/sign-in)" 200

guide backup
uncial account create --name "made after the backup" --plan pro
guide upgrade
expect "$(uncial --version)" '1.1.0-rc2'
reads "after the upgrade"
guide rollback
expect "$(uncial --version)" '1.1.0-rc1'
guide restore
for _ in $(seq 60); do uncial health http://127.0.0.1:8080/readyz >/dev/null 2>&1 && break; sleep 1; done
expect "$(uncial account list)" 'A museum'
uncial account list | grep -q 'made after' && fail "the backup was not restored"
reads "after the restore"
guide rotate
expect "$(uncial key list)" scanner

echo "== Postgres with TLS"
cp /etc/ssl/test.crt /etc/uncial/ca.pem
install -o postgres -g postgres -m 600 /etc/ssl/test.key /etc/postgresql/15/main/server.key
install -o postgres -g postgres -m 644 /etc/ssl/test.crt /etc/postgresql/15/main/server.crt
cat >>/etc/postgresql/15/main/conf.d/tls.conf <<'END'
ssl_cert_file = '/etc/postgresql/15/main/server.crt'
ssl_key_file = '/etc/postgresql/15/main/server.key'
END
systemctl start postgresql
sleep 3
guide postgres
UNCIAL_KEY=$(uncial key create --account "$(uncial account list --json | jq -r '.[0].id')" --name pg)
reads "with Postgres"
guide postgres-backup
for _ in $(seq 60); do uncial health http://127.0.0.1:8080/readyz >/dev/null 2>&1 && break; sleep 1; done
reads "after the restore of Postgres"

echo "== figures"
cpu() { cat /proc/[0-9]*/stat 2>/dev/null | awk '/\(uncial/ {ticks += $14 + $15} END {print ticks * 10}'; } # ms of service and workers
before=$(cpu)
for _ in 1 2 3 4 5; do uncial extract /usr/share/doc/uncial/page.jpg >/dev/null; done
echo "$((($(cpu) - before) / 5)) ms of processor time a page; $(($(systemctl show uncial -p MemoryCurrent --value) >> 20)) MiB of memory; $(du -sm /usr/share/tesseract-ocr | cut -f 1) MiB of models; $(nproc) cores"

apt-get remove -y -qq uncial >/dev/null
[ -e /etc/uncial/uncial.env ] || fail "removal deleted the settings"
systemctl is-active -q uncial && fail "the service still runs"
apt-get purge -y -qq uncial >/tmp/purge.log
[ ! -e /etc/uncial/uncial.env ] || fail "purging kept the settings"
[ -s /var/lib/uncial/uncial.db ] || fail "purging deleted the database"
echo "The package works as the guide says."
