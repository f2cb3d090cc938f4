#!/usr/bin/env bash
# setup.sh demo|test|lint: a virtual environment in .venv, and the Debian packages that are missing.
# Where packages cannot be installed it says which line would, and goes on without them.
set -eu
what=${1:-demo}
cd "$(dirname "$0")/.."
# As pip does. Where Python is told to write no byte code, every start would compile all it imports.
export UV_COMPILE_BYTECODE=1

say() { printf '· %s\n' "$*"; }

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() {
  [ $# -gt 0 ] || return 0
  if may_install; then
    say "installing $*"
    apt-get update -qq || true # what is known already may do
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null &&
      return
  fi
  printf '!! missing: %s\n' "$*" >&2
  printf '     sudo apt-get install -y --no-install-recommends %s\n' "$*" >&2
}

# Packages whose program is not there yet, from pairs "program:package".
install_programs() {
  local pair missing=()
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
  done
  apt_install ${missing[@]+"${missing[@]}"}
}

# The first Python that is new enough, or nothing.
find_python() {
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
}

make_environment() {
  local python
  .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
  python=$(find_python)
  if [ -z "$python" ]; then
    apt_install python3 python3-venv
    python=$(find_python)
  fi
  if [ -z "$python" ]; then
    echo "✗ sandbox-tui needs Python 3.11 or newer, and there is none on this machine." >&2
    exit 1
  fi
  rm -rf .venv # what is there, if anything, does not run
  if command -v uv >/dev/null; then
    uv venv -q --python "$python" .venv
    return
  fi
  "$python" -c 'import ensurepip' 2>/dev/null || apt_install python3-venv
  "$python" -m venv .venv
}

# Installs into .venv what is named. One that uv made has no pip in it.
pip_install() {
  if .venv/bin/python -c 'import pip' 2>/dev/null; then
    .venv/bin/python -m pip install -qq --disable-pip-version-check "$@"
  else
    uv pip install -q --python .venv/bin/python "$@"
  fi
}

install_project() {
  local group=$1 ready
  ready=.venv/.ready-$group
  [ -e "$ready" ] && [ "$ready" -nt pyproject.toml ] && return
  say "installing the program${2:+ and $2}"
  if [ "$group" = demo ]; then
    pip_install -e .
  elif ! sync_with_lock; then
    if .venv/bin/python -c 'import pip' 2>/dev/null; then
      pip_install --upgrade 'pip>=25.1' # the first that knows groups
    fi
    pip_install -e . --group dev
  fi
  touch "$ready"
}

# The very versions of uv.lock, where uv is here and reaches the place it names.
sync_with_lock() {
  command -v uv >/dev/null || return 1
  UV_PROJECT_ENVIRONMENT=.venv uv sync -q --frozen --inexact && return
  say "the locked versions cannot be had here; taking those that can"
  return 1
}

make_environment
case $what in
demo)
  install_project demo
  install_programs bwrap:bubblewrap
  ;;
lint)
  install_project dev "what checks it"
  # pyright runs on node
  command -v node >/dev/null || pip_install 'pyright[nodejs]'
  ;;
test)
  install_project dev "what tests it"
  install_programs bwrap:bubblewrap tmux:tmux dockerd:docker.io iptables:iptables \
    mmdebstrap:mmdebstrap newuidmap:uidmap chromium:chromium pkill:procps vi:vim-tiny git:git script:bsdutils /usr/bin/python3:python3
  ;;
*)
  echo "usage: scripts/setup.sh demo|test|lint" >&2
  exit 2
  ;;
esac
