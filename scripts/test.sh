#!/usr/bin/env bash
# Runs all tests: first those with real sandboxes and real terminals, then the fast ones.
# With SANDBOX_TUI_REQUIRE_DOCKER=1 a missing Docker engine is a failure; otherwise its tests are skipped
# with a message.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .cache
engine=$PWD/.cache/dockerd.pid
image=sandbox-tui-test:latest

skipping() { printf '\n!! SKIPPED: all tests %s, because %s\n\n' "$1" "$2" >&2; }

trap 'scripts/docker_engine.sh stop "$engine"' EXIT
if ! why=$(scripts/docker_engine.sh prepare "$engine" "$image"); then
  if [ "${SANDBOX_TUI_REQUIRE_DOCKER:-}" = 1 ]; then
    echo "✗ $why" >&2
    exit 1
  fi
  skipping "that needs Docker" "$why"
fi
command -v bwrap >/dev/null || skipping "that needs bubblewrap" "bwrap is not installed"
command -v tmux >/dev/null || skipping "in a real terminal" "tmux is not installed"

# Tests that drive real programs mostly wait for a terminal, a container or a server, and screen tests
# wait for the screen about half of the time, so more tests than processors run in parallel. The
# journeys come first: they take longest, and the very last test checks the coverage they recorded.
driving=(tests/journeys tests/e2e tests/faults tests/integration)
coverage=tests/journeys/test_coverage.py
computing=()
for folder in tests/*/; do
  folder=${folder%/}
  case " ${driving[*]} tests/perf tests/__pycache__ " in
  *" $folder "*) ;;
  *) computing+=("$folder") ;;
  esac
done
processors=$(nproc)
[ "$processors" -le 8 ] || processors=8
failed=0
if [ $# -eq 0 ]; then
  rm -rf .cache/journeys .pytest_cache/v/cache/lastfailed
  .venv/bin/pytest -n $((2 * processors)) --dist worksteal "${driving[@]}" --ignore "$coverage" || failed=$?
  mkdir -p .cache/journeys && touch .cache/journeys/whole
  .venv/bin/pytest -n $((2 * processors)) --dist worksteal "${computing[@]}" "$coverage" || failed=$?
else
  .venv/bin/pytest -n "$processors" --dist worksteal "${computing[@]}" "${driving[@]}" "$@" || failed=$?
fi
# Other programs on this machine can disturb tests with real terminals and containers, so failed tests
# are retried once, alone, and both results are printed. The retry decides. The tests are named one by
# one because pytest's own --last-failed runs everything if it finds none of them.
if [ $# -eq 0 ] && [ "$failed" != 0 ] && [ -s .pytest_cache/v/cache/lastfailed ]; then
  # the coverage test comes last, because it checks what the others recorded
  names='import json, sys; print(*sorted(json.load(sys.stdin), key=lambda name: sys.argv[1] in name), sep="\n")'
  mapfile -t again < <(.venv/bin/python -c "$names" "$coverage" <.pytest_cache/v/cache/lastfailed)
  if [ ${#again[@]} -gt 0 ] && [ ${#again[@]} -le 40 ]; then
    printf '\n!! Tests failed above; retrying each of them once, alone\n\n' >&2
    failed=0
    .venv/bin/pytest --maxfail 3 "${again[@]}" || failed=$?
  fi
fi
exit "$failed"
