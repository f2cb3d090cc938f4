#!/usr/bin/env bash
# Runs the tests that are sensitive to their environment in other environments: in tmux, in the C locale
# on a dumb 80x24 terminal, as a non-root user, and under load. Arguments name the environments (the
# functions below); without arguments, all of them run.
set -eu -o pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
chmod 755 "$work"
busy=()
. scripts/background_jobs.sh
trap 'kill "${busy[@]}" "${job_pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

# tests that a terminal, its variables or a slow machine could affect
terminal_tests=(
  tests/unit/tui/terminal_io/test_image_protocols.py tests/unit/tui/terminal_io/test_osc_sequences.py
  tests/unit/tui/cli/test_headless.py tests/unit/tui/cli/test_help.py
  tests/screens/widgets/test_key_bar_and_themes.py tests/screens/test_key_sequencer.py
  tests/security/test_program.py
  "tests/security/test_widgets.py::test_nothing_but_our_own_sequences_comes_out[pager]"
  "tests/security/test_widgets.py::test_nothing_but_our_own_sequences_comes_out[home]"
  tests/e2e/test_terminal_messages.py
)
# plus tests that a locale or another user could affect
tests=(
  "${terminal_tests[@]}"
  tests/unit/core/config/test_toml_file.py tests/unit/core/base/test_sanitize.py
  tests/unit/sessions/store/test_store.py tests/unit/test_code_rules.py tests/unit/test_lazy_imports.py
  tests/unit/test_reference.py
)
pytest=("$here/.venv/bin/python" -m pytest -q -n 2 --dist worksteal -p no:cacheprovider)

in_tmux() {
  local socket=elsewhere-$$
  printf '%q ' "${pytest[@]}" "${terminal_tests[@]}" >"$work/command"
  tmux -L "$socket" -f /dev/null new-session -d -x 80 -y 24 -c "$here" \
    "bash -c '. $work/command' >$work/output 2>&1; echo \$? >$work/code; tmux -L $socket wait-for -S done"
  tmux -L "$socket" wait-for done || true # fails if the session has already ended
  cat "$work/output"
  return "$(cat "$work/code")"
}

in_the_c_locale() {
  mkdir -p "$work/home"
  env -i PATH="$PATH" HOME="$work/home" LANG=C LC_ALL=C TERM=dumb COLUMNS=80 LINES=24 \
    "${pytest[@]}" "${tests[@]}"
}

as_another_user() {
  if [ "$(id -u)" != 0 ]; then
    echo "· skipped: you are not root, so all tests run as a non-root user anyway"
    return
  fi
  local user=elsewhere$$ code=0
  useradd -m "$user"
  copy_checkout "$user" &&
    (cd "$work/tree" && umask 077 && runuser -u "$user" -- env HOME="/home/$user" \
      "$work/tree/.venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider "${tests[@]}") || code=$?
  userdel -rf "$user" 2>/dev/null || true
  return "$code"
}

# copy_checkout USER: copy the files and the virtual environment for USER, with a Python that USER may run.
copy_checkout() {
  local tree=$work/tree python name
  mkdir -p "$tree"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -P -t "$tree"
  cp -a .venv "$tree/" # keeps modification times, so compiled modules stay valid
  grep -rlIF "$here" "$tree"/.venv/bin "$tree"/.venv/lib/*/site-packages/__editable__* \
    "$tree"/.venv/lib/*/site-packages/*.pth | xargs -r sed -i "s|$here|$tree|g"
  chown -R "$1" "$tree"
  name=$(.venv/bin/python -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
  for python in "$(readlink -f .venv/bin/python)" "/usr/bin/$name" "/usr/local/bin/$name"; do
    if runuser -u "$1" -- test -x "$python"; then
      ln -sf "$python" "$tree/.venv/bin/python"
      sed -i "s|^home = .*|home = $(dirname "$python")|" "$tree/.venv/pyvenv.cfg"
      return
    fi
  done
  echo "✗ no $name that a non-root user may run" >&2
  return 1
}

under_load() {
  for _ in $(seq "$(nproc)"); do
    (while :; do :; done) &
    busy+=($!)
  done
  local code=0
  "${pytest[@]}" "${terminal_tests[@]}" || code=$?
  kill "${busy[@]}"
  busy=()
  return "$code"
}

# Other programs on this machine can disturb tests in real terminals, so a failure is retried once.
with_one_retry() {
  "$1" && return
  echo "!! FAILED: ${1//_/ }; retrying once" >&2
  "$1"
}

# These tests spend half of their time waiting, so the environments run in parallel. The load runs alone,
# after them.
[ $# != 0 ] || set -- in_tmux in_the_c_locale as_another_user under_load
failed=0
for environment; do
  [ "$environment" = under_load ] || start_job "${environment//_/ }" with_one_retry "$environment"
done
for environment; do
  [ "$environment" = under_load ] || finish_job "${environment//_/ }" || failed=$?
done
if [[ " $* " == *" under_load "* ]]; then
  echo "· under load"
  with_one_retry under_load || failed=$?
fi
exit "$failed"
