#!/usr/bin/env bash
# Runs all tests: the fast ones first, then those on real sandboxes and in real terminals.
# SANDBOX_TUI_REQUIRE_DOCKER=1 makes a missing Docker engine a failure instead of a loud skip.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache
image=sandbox-tui-test:latest
why=

scripts/engine.sh start "$PWD/.cache/dockerd.pid" || why="no Docker engine answers, and none could be started here"
trap 'scripts/engine.sh stop "$PWD/.cache/dockerd.pid"' EXIT
if [ -z "$why" ] && ! docker image inspect "$image" >/dev/null 2>&1; then
  echo "· building the test image (about a minute, once)"
  .venv/bin/sandbox-tui image build --from-packages --small --tag "$image" >.cache/image.log 2>&1 ||
    why="the test image could not be built: $(tail -n 1 .cache/image.log)"
fi
if [ -n "$why" ]; then
  if [ "${SANDBOX_TUI_REQUIRE_DOCKER:-}" = 1 ]; then
    echo "✗ $why" >&2
    exit 1
  fi
  printf '\n!! SKIPPED: everything that needs Docker, because %s\n\n' "$why" >&2
fi
if ! command -v bwrap >/dev/null; then
  printf '\n!! SKIPPED: everything that needs bubblewrap, because bwrap is not installed\n\n' >&2
fi
if ! command -v tmux >/dev/null; then
  printf '\n!! SKIPPED: everything in a real terminal, because tmux is not installed\n\n' >&2
fi
.venv/bin/pytest tests/unit tests/integration tests/e2e "$@"
