#!/bin/sh
# ccrawl and the deno it runs on, behind this script. The first start unpacks them into the cache folder,
# where later ones find them. A folder of an earlier version may be deleted once nothing of it runs.
set -eu
fail() {
  echo "ccrawl: Cannot start: $1" >&2
  exit 1
}
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${cache:-${TMPDIR:-/tmp}/ccrawl-$(id -u)}/ccrawl
dir=$cache/@NAME@
if [ ! -e "$dir/deno" ]; then
  (
    umask 077
    new=$(mkdir -p "$cache" && mktemp -d "$cache/unpack.XXXXXX") ||
      fail "$cache cannot be written to; point XDG_CACHE_HOME at a folder that can"
    trap 'rm -rf "$new"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if command -v sha256sum > /dev/null; then hash=sha256sum; else hash="shasum -a 256"; fi
    tail -c +@OFFSET@ "$0" | $hash > "$new/sum" &
    mkdir "$new/@NAME@"
    tail -c +@OFFSET@ "$0" | gzip -dc | tar -xf - -C "$new/@NAME@" ||
      fail "$0 could not be unpacked into $cache; is there room for 200 MB, and is the file whole?"
    wait
    read -r sum _ < "$new/sum"
    [ "$sum" = @SUM@ ] || fail "$0 is damaged; copy it again"
    # It does not go where another start was quicker: that one's is as good.
    mv "$new/@NAME@" "$cache/" 2> /dev/null || [ -e "$dir/deno" ] || fail "$dir is in the way; delete it"
  )
fi
if [ ! -O "$cache" ] || [ ! -O "$dir" ]; then
  fail "$cache is another user's; point XDG_CACHE_HOME at a folder of your own"
fi
export DENO_DIR="$dir/cache" DENO_NO_UPDATE_CHECK=1
# Pages come and go by tens of kilobytes: what is given back to the system at once is not held in holes.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-65536}" MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
exec "$dir/deno" run --quiet --allow-all --no-prompt --no-check --no-lock --no-remote --cached-only \
  --v8-flags=@V8_FLAGS@ --config "$dir/app/deno.json" "$dir/app/cli.ts" "$@"
exit 1
