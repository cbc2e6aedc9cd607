#!/bin/sh
# On a server, its root folder and a list given: prints the fields of `ccrawl version` with tabs between,
# and what the list's two services are doing.
set -eu
bin=$1/usr/local/bin/ccrawl
kind=$2
if [ ! -x "$bin" ]; then
  echo "none"
  exit 0
fi
cache=$(mktemp -d "${TMPDIR:-/tmp}/ccrawl-version.XXXXXX")
trap 'rm -rf "$cache"' EXIT
state() {
  systemctl is-active "$1@$kind.service" < /dev/null 2> /dev/null || true
}
line=$(XDG_CACHE_HOME=$cache "$bin" version -o tsv --no-header < /dev/null)
printf '%s\t%s\t%s\n' "$line" "$(state ccrawl-recrawl)" "$(state ccrawl-publish)"
