#!/usr/bin/env bash
# Installs ccrawl on the machines of the fleet: see --help, and docs/fleet.md.
set -euo pipefail

usage() {
  cat << 'END'
Usage: deploy/install.sh [OPTION]...

Builds one binary, copies it to every server of the fleet, installs the units, and enables them.
Starts nothing unless told to. Can be run again at any time: what an operator has written stays.

  --servers A,B    these servers of the fleet alone; all of them where it is not given
  --kind KIND      the list: domains or urls (domains)
  --start          start what was installed
  --no-build       take the binary as it is
  --versions       install nothing; print what every machine has
  --binary FILE    the binary that is built, or taken (dist/ccrawl)
  --fleet FILE     the list of servers, one a line; its place is a server's shard (deploy/fleet)
  --root DIR       on the servers, everything below this folder; %h in it is the server's name
  --ssh-config F   configuration file for ssh
  -h, --help       this

It ends with 0 when every server was installed, or asked, 1 when one was not, 2 when the command line
is wrong.
END
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(dirname "$here")
servers=()
kind=domains
start=no
build=yes
versions=no
binary=$checkout/dist/ccrawl
fleet=$here/fleet
root=
ssh=(ssh -T -o ConnectTimeout=20)

wrong() {
  echo "install.sh: $1" >&2
  exit 2
}

fail() {
  echo "install.sh: Cannot install: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  option=$1
  shift
  case $option in
    --servers=* | --kind=* | --binary=* | --fleet=* | --root=* | --ssh-config=*)
      set -- "${option#*=}" "$@"
      option=${option%%=*}
      ;;
    --servers | --kind | --binary | --fleet | --root | --ssh-config)
      [ $# -gt 0 ] || wrong "$option needs a value"
      ;;
  esac
  case $option in
    --servers)
      IFS=', ' read -r -a more <<< "$1"
      servers+=(${more[@]+"${more[@]}"})
      [ ${#servers[@]} -gt 0 ] || wrong "--servers needs a value"
      ;;
    --kind) kind=$1 ;;
    --binary) binary=$1 ;;
    --fleet) fleet=$1 ;;
    --root) root=${1%/} ;;
    --ssh-config) ssh+=(-F "$1") ;;
    --start) start=yes ;;
    --no-build) build=no ;;
    --versions) versions=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong "there is no option $option; --help lists them" ;;
  esac
  case $option in
    --start | --no-build | --versions) ;;
    *) shift ;;
  esac
done

case $kind in
  domains | urls) ;;
  *) wrong "--kind $kind: it is domains or urls" ;;
esac
case $root in
  "" | /*) ;;
  *) wrong "--root $root: it is a path from / on" ;;
esac
[ -f "$fleet" ] || wrong "--fleet $fleet: there is no such file"

# The fleet, in its order; a server's place in it is its shard.
machines=()
while read -r line || [ -n "$line" ]; do
  line=${line%%#*}
  line=${line%"${line##*[![:space:]]}"}
  [ -n "$line" ] || continue
  case $line in
    -* | *[!A-Za-z0-9@._:-]*) wrong "$fleet: \"$line\" is no name of a machine" ;;
  esac
  for other in ${machines[@]+"${machines[@]}"}; do
    [ "${other#*@}" != "${line#*@}" ] || wrong "$fleet: ${line#*@} is there twice: it would have two shards"
  done
  machines+=("$line")
done < "$fleet"
[ ${#machines[@]} -gt 0 ] || wrong "$fleet: names no machine"

shard_of() {
  local i
  for ((i = 0; i < ${#machines[@]}; i++)); do
    if [ "${machines[i]}" = "$1" ]; then
      echo "$i"
      return 0
    fi
  done
  return 1
}

[ ${#servers[@]} -gt 0 ] || servers=("${machines[@]}")
for server in "${servers[@]}"; do
  shard_of "$server" > /dev/null ||
    wrong "--servers $server: the fleet in $fleet is ${machines[*]}; a machine that is not in it has no shard"
done

# One connection to each server, so that a password is asked for once. The path of a socket is short.
sockets=$(mktemp -d /tmp/ccrawl-ssh.XXXXXX)
work=$(mktemp -d "${TMPDIR:-/tmp}/ccrawl-install.XXXXXX")
ssh+=(-o ControlMaster=auto -o "ControlPath=$sockets/%C" -o ControlPersist=600)

finish() {
  local server
  for server in "${machines[@]}"; do
    "${ssh[@]}" -O exit "$server" > /dev/null 2>&1 || true # it is not there where it was not reached
  done
  rm -rf "$work" "$sockets"
}

trap finish EXIT

# A word as the shell on the far side reads it.
quote() {
  printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

# far SERVER SCRIPT [WORD]...: runs a script of this folder there.
far() {
  local server=$1 script=$2 words="" word
  shift 2
  for word in "$@"; do words="$words $(quote "$word")"; done
  "${ssh[@]}" "$server" "${sudo}sh -s --$words" < "$here/$script"
}

root_of() {
  local name=${1#*@}
  printf %s "${root//%h/$name}"
}

hash() {
  local sum
  if command -v sha256sum > /dev/null; then sum=$(sha256sum < "$1"); else sum=$(shasum -a 256 < "$1"); fi
  echo "${sum%% *}"
}

failed=()
sudo=

# What the servers are: one binary has to run on all of them.
reached=()
users=()
target=
reach() {
  local server answer system machine user mine
  for server in "${servers[@]}"; do
    if ! answer=$(far "$server" _probe.sh); then
      echo "$server: cannot be reached" >&2
      failed+=("$server")
      continue
    fi
    read -r system machine user <<< "$answer"
    case "$system $machine" in
      "Linux x86_64") mine=x86_64-unknown-linux-gnu ;;
      "Linux aarch64") mine=aarch64-unknown-linux-gnu ;;
      *)
        echo "$server: is $system on $machine: there is no binary for it" >&2
        failed+=("$server")
        continue
        ;;
    esac
    [ -z "$target" ] || [ "$target" = "$mine" ] ||
      fail "$server is $mine and ${reached[0]} is $target: give --servers of one kind at a time"
    target=$mine
    reached+=("$server")
    users+=("$user")
  done
  [ ${#reached[@]} -gt 0 ] || fail "no server could be reached"
}

build() {
  if [ "$build" = yes ]; then
    command -v deno > /dev/null || fail "deno is not there to build with: npm install -g deno, or --no-build"
    if [ -n "$(git -C "$checkout" status --porcelain 2> /dev/null)" ]; then
      echo "build: the checkout has changes that are in no commit; the version will not tell" >&2
    fi
    mkdir -p "$(dirname "$binary")"
    if (cd "$checkout" && deno task --quiet compile --target "$target" --out "$work/plain") > "$work/log" 2>&1; then
      mv -f "$work/plain/ccrawl-$target" "$binary"
    else
      case "$target" in
        "$(uname -m)"-*-"$(uname -s | tr '[:upper:]' '[:lower:]')"-*) ;;
        *)
          cat "$work/log" >&2
          fail "it could not be compiled for $target, and the offline form is for this kind of machine alone"
          ;;
      esac
      echo "build: no base binary for $target to be had; building the offline form" >&2
      (cd "$checkout" && deno task --quiet compile:offline --out "$binary") > "$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail "the binary could not be built"
      }
    fi
  fi
  [ -f "$binary" ] || fail "there is no $binary: leave --no-build out, or name another by --binary"
  echo "binary: $binary, sha256 $(hash "$binary")"
}

# install SERVER SHARD USER: sends everything, and the hash of the hashes by itself.
install() {
  local server=$1 stage=$work/stage folder file
  sudo=
  if [ "$3" != 0 ] && [ -z "$root" ]; then sudo="sudo -n "; fi
  rm -rf "$stage"
  mkdir -p "$stage/settings"
  cp "$binary" "$stage/ccrawl"
  cp -R "$here/systemd" "$here/env" "$stage/"
  root_of "$server" > "$stage/settings/root"
  echo "$kind" > "$stage/settings/kind"
  echo "${server#*@}" > "$stage/settings/server"
  echo "$2" > "$stage/settings/shard"
  echo "${#machines[@]}" > "$stage/settings/shards"
  echo "$start" > "$stage/settings/start"
  (cd "$stage" && find . -type f | LC_ALL=C sort | while read -r file; do
    echo "$(hash "$file")  $file"
  done) > "$work/SHA256SUMS"
  mv "$work/SHA256SUMS" "$stage/"
  # shellcheck disable=SC2016 # it is the server's shell that is to read it
  folder=$(tar -cf - -C "$stage" . | "${ssh[@]}" "$server" \
    'd=$(mktemp -d "${TMPDIR:-/tmp}/ccrawl-install.XXXXXX") || exit
    if tar -xf - -C "$d"; then echo "$d"; else rm -rf "$d"; exit 1; fi') || {
    echo "Cannot install: the copy did not get through" >&2
    return 1
  }
  far "$server" _apply.sh "$folder" "$(hash "$stage/SHA256SUMS")"
}

install_all() {
  local i server status
  for ((i = 0; i < ${#reached[@]}; i++)); do
    server=${reached[i]}
    # Not behind an `if` or `||`, where nothing inside would stop at what fails.
    set +e
    (
      set -e
      install "$server" "$(shard_of "$server")" "${users[i]}"
    ) 2>&1 | sed "s|^|$server: |"
    status=${PIPESTATUS[0]}
    set -e
    [ "$status" = 0 ] || failed+=("$server")
  done
}

if [ "$versions" = no ]; then
  reach
  build
  install_all
  echo
fi

# The whole fleet, whatever was installed now: a rate can be compared only where these are the same.
sudo=
row='%-20s %-7s %-10s %-14s %-10s %-20s %-10s %s\n'
# shellcheck disable=SC2059
printf "$row" server shard version commit deno v8 recrawl publish
commits=
unasked=()
for server in "${machines[@]}"; do
  shard="$(shard_of "$server")/${#machines[@]}"
  if ! line=$(far "$server" _version.sh "$(root_of "$server")" "$kind" 2> "$work/said"); then
    printf '%-20s %-7s cannot be asked\n' "$server" "$shard"
    unasked+=("$server")
    cat "$work/said" >&2
    continue
  fi
  if [ "$line" = none ]; then
    printf '%-20s %-7s not installed\n' "$server" "$shard"
    continue
  fi
  IFS=$'\t' read -r version commit deno v8 _ recrawl publish <<< "$line"
  # shellcheck disable=SC2059
  printf "$row" "$server" "$shard" "$version" "$commit" "$deno" "$v8" "$recrawl" "$publish"
  case " $commits " in
    *" $commit "*) ;;
    *) commits="$commits $commit" ;;
  esac
done
case ${commits# } in
  *" "*) echo "They are not the same:$commits. Rates of these machines cannot be compared." >&2 ;;
esac

if [ "$versions" = yes ] && [ ${#unasked[@]} -gt 0 ]; then
  echo "install.sh: could not ask ${unasked[*]}, for the reasons above" >&2
  exit 1
fi
if [ ${#failed[@]} -gt 0 ]; then
  fail "not done on ${failed[*]}, for the reasons above; it can be run again"
fi
