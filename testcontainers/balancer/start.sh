#!/bin/sh
# Round robin over api1, api2, ...; $1 is their number. Replicas that are not ready get no requests.
set -eu
{
	cat <<-EOF
		defaults
		  mode http
		  timeout connect 2s
		  timeout client 4m
		  timeout server 4m
		  option redispatch
		  retries 2
		  default-server check inter 500ms fall 2 rise 1
		frontend in
		  bind :8080
		  default_backend api
		backend api
		  balance roundrobin
		  option httpchk GET /readyz
	EOF
	i=1
	while [ "$i" -le "$1" ]; do
		echo "  server api$i api$i:8080"
		i=$((i + 1))
	done
} >/tmp/haproxy.cfg
exec haproxy -f /tmp/haproxy.cfg
