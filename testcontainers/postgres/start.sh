#!/bin/sh
# Starts the server in the foreground. A lock file can only be that of a killed server, because nothing else runs here.
set -eu
rm -f /var/lib/postgresql/data/postmaster.pid
exec /usr/lib/postgresql/15/bin/postgres -D /var/lib/postgresql/data \
	-c listen_addresses='*' -c max_connections=300 -c log_min_messages=fatal "$@"
