#!/usr/bin/env bash
# setup.sh demo|test|lint: a virtual environment in .venv, and the Debian packages that are missing.
set -eu
what=${1:-demo}
cd "$(dirname "$0")/.."

say() { printf '· %s\n' "$*"; }

python() {
  # the first Python that is new enough
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      echo "$name"
      return
    fi
  done
  echo "Python 3.11 or newer is needed: apt-get install python3 python3-venv" >&2
  exit 1
}

make_environment() {
  local wanted=.venv/.ready-$what
  if [ -e "$wanted" ] && [ "$wanted" -nt pyproject.toml ]; then
    return
  fi
  if command -v uv >/dev/null; then
    say "installing with uv"
    if [ "$what" = demo ]; then
      [ -x .venv/bin/python ] || uv venv -q --python "$(python)" .venv
      uv pip install -q --python .venv/bin/python -e .
    else
      UV_PROJECT_ENVIRONMENT=.venv uv sync -q --python "$(python)" --inexact
    fi
  else
    say "installing with pip"
    [ -x .venv/bin/python ] || "$(python)" -m venv .venv
    .venv/bin/python -m pip install -q --upgrade pip
    if [ "$what" = demo ]; then
      .venv/bin/python -m pip install -q -e .
    else
      .venv/bin/python -m pip install -q -e . --group dev
    fi
  fi
  touch "$wanted"
}

# The packages whose program is not there yet: "program:package ...".
missing_packages() {
  local pair
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || printf '%s ' "${pair#*:}"
  done
}

install_packages() {
  local packages
  packages=$(missing_packages "$@")
  [ -n "$packages" ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing $packages"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
  else
    echo "Missing: $packages" >&2
    echo "    sudo apt-get install -y --no-install-recommends $packages" >&2
  fi
}

make_environment
case $what in
demo)
  # a running engine is enough; without one the embedded sandbox needs bwrap
  docker info >/dev/null 2>&1 || install_packages bwrap:bubblewrap
  ;;
test)
  install_packages bwrap:bubblewrap tmux:tmux dockerd:docker.io iptables:iptables \
    mmdebstrap:mmdebstrap pkill:procps vi:vim-tiny git:git script:bsdutils /usr/bin/python3:python3
  ;;
esac
