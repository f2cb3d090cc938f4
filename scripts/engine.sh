#!/usr/bin/env bash
# engine.sh start FILE: start a Docker engine where none answers and we may; its pid goes to FILE.
# engine.sh stop FILE:  stop the one that FILE names, if we started it.
set -eu
action=$1 file=$2

answers() { docker info >/dev/null 2>&1; }

start() {
  answers && return 0
  if [ "$(id -u)" != 0 ] || ! command -v dockerd >/dev/null; then
    return 1
  fi
  setsid dockerd >"$file.log" 2>&1 &
  echo $! >"$file"
  local left=60
  until answers; do
    left=$((left - 1))
    if [ $left = 0 ] || ! kill -0 "$(cat "$file")" 2>/dev/null; then
      tail -n 5 "$file.log" >&2
      return 1
    fi
    sleep 0.5
  done
}

stop() {
  [ -e "$file" ] || return 0
  kill "$(cat "$file")" 2>/dev/null || true
  rm -f "$file"
}

"$action"
