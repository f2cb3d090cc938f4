#!/usr/bin/env bash
# docker_engine.sh answers:    succeed if a Docker engine answers; connects the way the program does.
# docker_engine.sh has IMAGE:  succeed if the engine has the image.
# docker_engine.sh start FILE: start an engine if none answers and we are allowed to; write its process id to FILE.
# docker_engine.sh stop FILE:  stop the engine whose process id is in FILE, and no other.
# docker_engine.sh prepare FILE IMAGE: start the engine and build the test image if it is missing; on failure,
#                       print the reason.
set -eu
cd "$(dirname "$0")/.."

ask() { .venv/bin/python -c "from sandbox_tui.core.sandboxes.docker.engine import *; $1" 2>/dev/null; }

answers() { ask 'connect(timeout=5).close()'; }

has() { ask "import sys; sys.exit(not engine_status('$1').has_image)"; }

# Succeeds if the process in FILE is still an engine: the system reuses process ids.
is_engine() { [ "$(cat "/proc/$(cat "$1" 2>/dev/null)/comm" 2>/dev/null)" = dockerd ]; }

start() {
  local file=$1 left=60
  answers && return
  [ -z "${DOCKER_HOST:-}" ] || return 1 # an engine on another machine or socket
  [ "$(id -u)" = 0 ] && command -v dockerd >/dev/null || return 1
  echo "· starting a Docker engine"
  setsid dockerd >"$file.log" 2>&1 </dev/null &
  echo $! >"$file"
  until answers; do
    left=$((left - 1))
    if [ "$left" = 0 ] || ! kill -0 "$(cat "$file")" 2>/dev/null; then
      tail -n 5 "$file.log" >&2
      stop "$file"
      return 1
    fi
    sleep 0.5
  done
}

stop() {
  local file=$1 left=60
  if is_engine "$file"; then
    kill "$(cat "$file")" 2>/dev/null || true
    while is_engine "$file" && [ "$left" -gt 0 ]; do
      left=$((left - 1))
      sleep 0.5
    done
  fi
  rm -f "$file"
}

prepare() {
  if ! start "$1" >&2; then
    echo "no Docker engine answers, and none could be started"
    return 1
  fi
  has "$2" && return
  echo "· building the test image (takes about a minute, only once)" >&2
  .venv/bin/sandbox-tui image build --from-packages --small --tag "$2" >.cache/image.log 2>&1 && return
  echo "the test image could not be built: $(tail -n 1 .cache/image.log)"
  return 1
}

"$@"
