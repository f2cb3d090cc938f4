#!/usr/bin/env bash
# Runs the tests that could depend on where they run in other places than this one: in a tmux, in the
# C locale on a terminal of 80x24 that can nothing, as a user who is not root, beside a load.
# Each place is one argument; none means all of them.
set -eu -o pipefail
cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
chmod 755 "$work"
busy=()
. scripts/background.sh
trap 'kill "${busy[@]}" "${begun[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

# what a terminal, its variables or a slow machine could change
on_terminals=(
  tests/unit/tui/terminal_io/test_image_protocols.py tests/unit/tui/terminal_io/test_osc_sequences.py
  tests/unit/tui/cli/test_headless.py tests/unit/tui/cli/test_help.py
  tests/screens/widgets/test_key_bar_and_themes.py tests/screens/test_key_sequencer.py
  tests/security/test_program.py
  "tests/security/test_widgets.py::test_nothing_but_our_own_sequences_comes_out[pager]"
  "tests/security/test_widgets.py::test_nothing_but_our_own_sequences_comes_out[home]"
  tests/e2e/test_terminal_messages.py
)
# what a locale or another user could change, too
tests=(
  "${on_terminals[@]}"
  tests/unit/core/config/test_toml_file.py tests/unit/core/base/test_sanitize.py
  tests/unit/sessions/store/test_store.py tests/unit/test_house.py tests/unit/test_light.py
  tests/unit/test_reference.py
)
pytest=("$here/.venv/bin/python" -m pytest -q -n 2 --dist worksteal -p no:cacheprovider)

in_tmux() {
  local socket=elsewhere-$$
  printf '%q ' "${pytest[@]}" "${on_terminals[@]}" >"$work/command"
  tmux -L "$socket" -f /dev/null new-session -d -x 80 -y 24 -c "$here" \
    "bash -c '. $work/command' >$work/said 2>&1; echo \$? >$work/code; tmux -L $socket wait-for -S done"
  tmux -L "$socket" wait-for done || true # it is gone when the session was quicker than this
  cat "$work/said"
  return "$(cat "$work/code")"
}

in_the_c_locale() {
  mkdir -p "$work/home"
  env -i PATH="$PATH" HOME="$work/home" LANG=C LC_ALL=C TERM=dumb COLUMNS=80 LINES=24 \
    "${pytest[@]}" "${tests[@]}"
}

as_somebody_else() {
  if [ "$(id -u)" != 0 ]; then
    echo "· not root: all tests are run as somebody else anyway"
    return
  fi
  local user=elsewhere$$ code=0
  useradd -m "$user"
  a_tree_of_their_own "$user" &&
    (cd "$work/tree" && umask 077 && runuser -u "$user" -- env HOME="/home/$user" \
      "$work/tree/.venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider "${tests[@]}") || code=$?
  userdel -rf "$user" 2>/dev/null || true
  return "$code"
}

# The files and the virtual environment, owned by that user, with a Python that they may run.
a_tree_of_their_own() {
  local tree=$work/tree python name
  mkdir -p "$tree"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -P -t "$tree"
  cp -a .venv "$tree/" # with the times of the files: compiled modules stay valid
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
  echo "✗ no $name here that a user who is not root may run" >&2
  return 1
}

under_load() {
  for _ in $(seq "$(nproc)"); do
    (while :; do :; done) &
    busy+=($!)
  done
  local code=0
  "${pytest[@]}" "${on_terminals[@]}" || code=$?
  kill "${busy[@]}"
  busy=()
  return "$code"
}

# Real terminals share this machine with whatever else runs on it: a place that fails is tried once more.
twice_at_most() {
  "$1" && return
  echo "!! FAILED: ${1//_/ }; once more" >&2
  "$1"
}

# Half of these tests' time is waiting, so the places are tried beside one another; the load comes
# after them, alone.
[ $# != 0 ] || set -- in_tmux in_the_c_locale as_somebody_else under_load
failed=0
for place; do
  [ "$place" = under_load ] || begin "${place//_/ }" twice_at_most "$place"
done
for place; do
  [ "$place" = under_load ] || came_of "${place//_/ }" || failed=$?
done
if [[ " $* " == *" under_load "* ]]; then
  echo "· under load"
  twice_at_most under_load || failed=$?
fi
exit "$failed"
