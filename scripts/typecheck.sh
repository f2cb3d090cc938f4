#!/usr/bin/env bash
# typecheck.sh [FILE...]: run pyright on the four packages, or on some of their files, such as core/run/run.py.
# The packages import each other by their installed names, such as `sandbox_tui.core`. typecheck/
# contains a link `sandbox_tui` to this folder, so that pyright finds them.
set -eu
cd "$(dirname "$0")/.."
mkdir -p typecheck
ln -sfn .. typecheck/sandbox_tui
exec .venv/bin/pyright "${@/#/typecheck/sandbox_tui/}"
