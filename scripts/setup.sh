#!/usr/bin/env bash
# setup.sh demo|test|lint: create the virtual environment .venv and install missing Debian packages.
# If packages cannot be installed, print the command that installs them and continue without them.
set -eu
what=${1:-demo}
cd "$(dirname "$0")/.."
# Compile on installation, as pip does: with PYTHONDONTWRITEBYTECODE set, every start would compile all imports.
export UV_COMPILE_BYTECODE=1

say() { printf '· %s\n' "$*"; }

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() {
  [ $# -gt 0 ] || return 0
  if may_install; then
    say "installing $*"
    apt-get update -qq || true # the cached package lists may be enough
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null &&
      return
  fi
  printf '!! missing: %s\n' "$*" >&2
  printf '     sudo apt-get install -y --no-install-recommends %s\n' "$*" >&2
}

# install_programs PROGRAM:PACKAGE...: install the packages whose program is missing.
install_programs() {
  local pair missing=()
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
  done
  apt_install ${missing[@]+"${missing[@]}"}
}

# Print the path of the first Python that is new enough, if any.
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
  rm -rf .venv # if it exists, it does not work
  if command -v uv >/dev/null; then
    uv venv -q --python "$python" .venv
    return
  fi
  "$python" -c 'import ensurepip' 2>/dev/null || apt_install python3-venv
  "$python" -m venv .venv
}

# Install packages into .venv, with uv if it has no pip: uv creates environments without it.
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
      pip_install --upgrade 'pip>=25.1' # the first with --group
    fi
    pip_install -e . --group dev
  fi
  touch "$ready"
}

# Install the exact versions in uv.lock; fails if uv is missing or cannot download them.
sync_with_lock() {
  command -v uv >/dev/null || return 1
  UV_PROJECT_ENVIRONMENT=.venv uv sync -q --frozen --inexact && return
  say "the locked versions are not available; installing others that pyproject.toml allows"
  return 1
}

make_environment
case $what in
demo)
  install_project demo
  install_programs bwrap:bubblewrap
  ;;
lint)
  install_project dev "the linters"
  # pyright runs on node
  command -v node >/dev/null || pip_install 'pyright[nodejs]'
  ;;
test)
  install_project dev "the test tools"
  install_programs bwrap:bubblewrap tmux:tmux dockerd:docker.io iptables:iptables \
    mmdebstrap:mmdebstrap newuidmap:uidmap chromium:chromium pkill:procps vi:vim-tiny git:git script:bsdutils /usr/bin/python3:python3
  ;;
*)
  echo "usage: scripts/setup.sh demo|test|lint" >&2
  exit 2
  ;;
esac
