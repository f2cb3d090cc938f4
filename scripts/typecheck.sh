#!/usr/bin/env bash
# typecheck.sh [FILE...]: pyright over the four packages, or over files of them such as core/run/run.py.
# The packages import each other as `sandbox_tui.core` and so on, as they are installed; typecheck/
# holds a link of that name to this folder, so that pyright finds them.
set -eu
cd "$(dirname "$0")/.."
mkdir -p typecheck
ln -sfn .. typecheck/sandbox_tui
exec .venv/bin/pyright "${@/#/typecheck/sandbox_tui/}"
