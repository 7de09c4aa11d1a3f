#!/bin/sh
# Starts the server in the foreground. A lock file that exists can only be left from a killed server, because nothing else runs here.
set -eu
rm -f /var/lib/postgresql/data/postmaster.pid
if [ -n "${TLS_KEY:-}" ]; then # offer TLS, and refuse connections without it
	umask 077
	printf '%s' "$TLS_KEY" >/tmp/server.key
	printf '%s' "$TLS_CERTIFICATE" >/tmp/server.crt
	printf 'hostssl all all all trust\n' >/tmp/hba.conf
	set -- -c ssl=on -c ssl_key_file=/tmp/server.key -c ssl_cert_file=/tmp/server.crt -c hba_file=/tmp/hba.conf "$@"
fi
exec /usr/lib/postgresql/15/bin/postgres -D /var/lib/postgresql/data \
	-c listen_addresses='*' -c max_connections=300 -c log_min_messages=fatal "$@"
