#!/usr/bin/env bash
# Runs all tests: the fast ones first, then those on real sandboxes and in real terminals.
# SANDBOX_TUI_REQUIRE_DOCKER=1 makes a missing Docker engine a failure instead of a loud skip.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache
engine=$PWD/.cache/dockerd.pid
image=sandbox-tui-test:latest
why=

skipping() { printf '\n!! SKIPPED: everything %s, because %s\n\n' "$1" "$2" >&2; }

trap 'scripts/engine.sh stop "$engine"' EXIT
scripts/engine.sh start "$engine" || why="no Docker engine answers, and none could be started here"
if [ -z "$why" ] && ! scripts/engine.sh has "$image"; then
  echo "· building the test image (about a minute, once)"
  .venv/bin/sandbox-tui image build --from-packages --small --tag "$image" >.cache/image.log 2>&1 ||
    why="the test image could not be built: $(tail -n 1 .cache/image.log)"
fi
if [ -n "$why" ]; then
  if [ "${SANDBOX_TUI_REQUIRE_DOCKER:-}" = 1 ]; then
    echo "✗ $why" >&2
    exit 1
  fi
  skipping "that needs Docker" "$why"
fi
command -v bwrap >/dev/null || skipping "that needs bubblewrap" "bwrap is not installed"
command -v tmux >/dev/null || skipping "in a real terminal" "tmux is not installed"

folders=(tests/unit)
for folder in tests/*/; do
  case $folder in
  tests/unit/ | tests/perf/ | tests/journeys/ | */__pycache__/) ;;
  *) folders+=("${folder%/}") ;;
  esac
done
# One more at a time than there are processors: most of them wait for a terminal, a container or a
# server. The journeys come first: what the program wrote down while they were made is looked
# through by the last of all tests.
workers=$(($(nproc) < 8 ? $(nproc) + 1 : 8))
failed=0
if [ $# -eq 0 ]; then
  rm -rf .cache/journeys .pytest_cache/v/cache/lastfailed
  .venv/bin/pytest -n "$workers" --dist worksteal tests/journeys --ignore tests/journeys/test_coverage.py ||
    failed=$?
  mkdir -p .cache/journeys && touch .cache/journeys/whole
  folders+=(tests/journeys/test_coverage.py)
else
  folders+=(tests/journeys)
fi
.venv/bin/pytest -n "$workers" --dist worksteal "${folders[@]}" "$@" || failed=$?
# Real terminals and containers share this machine with whatever else runs on it: what failed is run
# once more, alone, and both results are printed. What fails again has failed.
if [ $# -eq 0 ] && [ "$failed" != 0 ]; then
  printf '\n!! FAILED above; each of those once more, alone\n\n' >&2
  coverage=tests/journeys/test_coverage.py
  failed=0
  .venv/bin/pytest --last-failed --last-failed-no-failures none --maxfail 3 --ignore tests/perf \
    --ignore "$coverage" tests || failed=$?
  [ "$failed" != 5 ] || failed=0 # none but the coverage of the journeys
  .venv/bin/pytest "$coverage" || failed=$?
fi
exit "$failed"
