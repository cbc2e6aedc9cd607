#!/bin/sh
# On a server: prints what it is, in one line: system, machine, user id.
set -eu
echo "$(uname -s) $(uname -m) $(id -u)"
