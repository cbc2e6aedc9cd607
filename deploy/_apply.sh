#!/bin/sh
# On a server, as root: puts what install.sh has sent to a folder into its places.
#
#   _apply.sh FOLDER SUM
#
# SUM is what the folder's SHA256SUMS must hash to, and came another way than the folder did. All is
# checked before anything is touched; every file appears whole or not at all.
set -eu

say() {
  echo "$1"
}

fail() {
  echo "Cannot install: $1" >&2
  exit 1
}

hash() {
  sum=$(sha256sum < "$1")
  echo "${sum%% *}"
}

# What runs of the lists that are here is no longer what is installed. It is remembered, for an install that
# starts them, should this one not be it or not come to its end.
touched() {
  changed=yes
  for list in domains urls; do
    [ ! -e "$root/etc/ccrawl/recrawl-$list.env" ] || : > "$root/etc/ccrawl/recrawl-$list.restart"
  done
}

# put FILE PLACE MODE: says whether PLACE has changed.
put() {
  if [ -f "$root$2" ] && cmp -s "$1" "$root$2"; then
    return 0
  fi
  mkdir -p "$root${2%/*}"
  new=$root${2%/*}/.${2##*/}.new
  cp "$1" "$new"
  chmod "$3" "$new"
  touched
  mv -f "$new" "$root$2"
  say "$2: written"
}

# Where it is there, it is somebody's: a link never lands on it.
put_once() {
  mkdir -p "$root${2%/*}"
  new=$root${2%/*}/.${2##*/}.new
  rm -f "$new"
  (umask 077 && cp "$1" "$new")
  chmod "$3" "$new"
  if ln "$new" "$root$2" 2> /dev/null; then
    say "$2: written"
  elif [ -e "$root$2" ]; then
    say "$2: left as it is"
  else
    rm -f "$new"
    fail "$2 cannot be written"
  fi
  rm -f "$new"
}

# The last value that a settings file gives to a variable.
setting() {
  sed -n "s/^[[:space:]]*$2=//p" "$1" | tail -n 1 | tr -d "\"' \t\r"
}

control() {
  if [ -n "$root" ]; then
    systemctl --root="$root" "$@" < /dev/null
  else
    systemctl "$@" < /dev/null
  fi
}

install_binary() {
  place=$root/usr/local/bin/ccrawl
  want=$(hash ccrawl)
  if [ -f "$place" ] && [ "$(hash "$place")" = "$want" ]; then
    say "/usr/local/bin/ccrawl: has it already, sha256 $want"
    return 0
  fi
  mkdir -p "${place%/*}"
  new=${place%/*}/.ccrawl.new
  trap 'rm -rf "$new" "$folder"' EXIT
  cp ccrawl "$new"
  chmod 755 "$new"
  sync
  have=$(hash "$new")
  [ "$have" = "$want" ] || fail "the copy in ${place%/*} has sha256 $have, not $want; the one that was there stays"
  mkdir -p cache
  XDG_CACHE_HOME=$folder/cache "$new" version > /dev/null 2> why < /dev/null || {
    why=$(head -n 3 why)
    fail "the binary does not run here, the one that was there stays: $why"
  }
  touched
  mv -f "$new" "$place"
  trap 'rm -rf "$folder"' EXIT
  say "/usr/local/bin/ccrawl: written, sha256 $want"
}

main() {
  folder=$1
  changed=no
  cd "$folder"
  trap 'rm -rf "$folder"' EXIT
  [ "$(hash SHA256SUMS)" = "$2" ] || fail "the list of hashes arrived damaged, nothing was touched"
  sha256sum --check --quiet --strict SHA256SUMS > damage 2>&1 ||
    fail "what arrived is damaged, nothing was touched: $(head -n 3 damage)"

  root=$(cat settings/root)
  kind=$(cat settings/kind)
  server=$(cat settings/server)
  shard=$(cat settings/shard)
  shards=$(cat settings/shards)
  start=$(cat settings/start)
  [ -z "$root" ] || mkdir -p "$root"
  for tool in systemctl systemd-sysusers systemd-tmpfiles; do
    command -v "$tool" > /dev/null || fail "$tool is not there: this needs a system that systemd runs"
  done

  install_binary
  put systemd/sysusers.conf /etc/sysusers.d/ccrawl.conf 644
  put systemd/tmpfiles.conf /etc/tmpfiles.d/ccrawl.conf 644
  systemd-sysusers ${root:+"--root=$root"} "$root/etc/sysusers.d/ccrawl.conf" < /dev/null
  systemd-tmpfiles ${root:+"--root=$root"} --create "$root/etc/tmpfiles.d/ccrawl.conf" < /dev/null

  for unit in ccrawl-recrawl@.service ccrawl-publish@.service ccrawl-recrawl.target; do
    put "systemd/$unit" "/etc/systemd/system/$unit" 644
  done
  kilobytes=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo)
  [ -n "$kilobytes" ] || fail "/proc/meminfo does not say how much memory there is"
  cat > memory.conf << END
# 70 % of this machine's memory for all that it crawls, be it two lists. Written by every install. It slows
# runs down, and does not kill them. What is to stand instead goes into another file: systemctl edit ccrawl.slice
[Slice]
MemoryHigh=$((kilobytes * 70 / 100))K
END
  put memory.conf /etc/systemd/system/ccrawl.slice.d/50-memory.conf 644

  sed "s/@SERVER@/$server/; s/@SHARD@/$shard/; s/@SHARDS@/$shards/" "env/recrawl-$kind.env" > recrawl.env
  env=$root/etc/ccrawl/recrawl-$kind.env
  put_once recrawl.env "/etc/ccrawl/recrawl-$kind.env" 644
  : > hf.env
  put_once hf.env /etc/ccrawl/hf.env 600
  chmod 600 "$root/etc/ccrawl/hf.env"
  [ -s "$root/etc/ccrawl/hf.env" ] ||
    say "/etc/ccrawl/hf.env: is empty: put HF_TOKEN=... there before the publisher starts"

  control daemon-reload
  control enable "ccrawl-recrawl@$kind.service" "ccrawl-publish@$kind.service" ccrawl-recrawl.target

  has="$(setting "$env" CCRAWL_SHARD) of $(setting "$env" CCRAWL_SHARDS)"
  [ "$has" = "$shard of $shards" ] ||
    fail "everything is in its place, but /etc/ccrawl/recrawl-$kind.env says that this is shard $has, and the fleet's list that it is $shard of $shards; nothing was started. A fleet is not repartitioned while a list is worked off: put the list of servers right"

  restart=$root/etc/ccrawl/recrawl-$kind.restart
  running=yes
  control is-active --quiet "ccrawl-recrawl@$kind.service" "ccrawl-publish@$kind.service" || running=no
  [ "$running" = yes ] || rm -f "$restart"
  if [ "$start" = yes ]; then
    # One that runs keeps the binary it was started with; a restart seals first, and loses nothing.
    [ ! -e "$restart" ] || control try-restart "ccrawl-recrawl@$kind.service" "ccrawl-publish@$kind.service"
    rm -f "$restart"
    control start ccrawl-recrawl.target
    say "ccrawl-recrawl.target: started"
  elif [ "$changed" = yes ] && [ "$running" = yes ]; then
    say "ccrawl-recrawl@$kind: runs on with what it was started with; systemctl restart ccrawl-recrawl.target"
  fi
}

main "$@"
