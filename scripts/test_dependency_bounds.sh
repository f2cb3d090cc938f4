#!/usr/bin/env bash
# Tests both ends of the range that pyproject.toml allows: the lowest version of each direct dependency,
# and the highest version of everything. Each end runs tests/unit, which imports every module, uses every
# library and needs neither containers nor a terminal. Tests of code that uses only the standard library
# are left out: about 40% of all. An end that resolves to the versions in .venv is skipped,
# because the ordinary tests cover it.
# For each supported Python, the script only resolves the dependencies, to check that binary packages
# exist. langdetect, which IFBench's checks use, is pure Python and comes as source only.
# The lowest end uses the system's Python 3.11 if there is one: Debian 12 has 3.11.2, which has bugs that
# later releases fixed.
set -eu -o pipefail
cd "$(dirname "$0")/.."
export UV_COMPILE_BYTECODE=1 HYPOTHESIS_PROFILE=few
uv=$(command -v uv || true)
if [ -z "$uv" ]; then
  .venv/bin/python -m pip install -q --disable-pip-version-check uv
  uv=.venv/bin/uv
fi
standard_library_only=(tests/unit/core/evals/pocket tests/unit/core/models/tool_formats tests/unit/test_code_rules.py)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for python in 3.11 3.12 3.13 3.14; do
  for end in lowest-direct highest; do
    "$uv" pip compile -q --resolution "$end" --python-version "$python" --only-binary :all: \
      --no-binary langdetect --extra native --extra serve --extra evals --extra ifbench \
      --extra swebench --extra ray --group dev pyproject.toml >"$work/$end-$python.txt"
  done
done

versions() { "$uv" pip freeze -q --exclude-editable --python "$1" | grep -v '^uv==' | sort; }

for end in lowest-direct highest; do
  python=.venv/bin/python
  [ "$end" != lowest-direct ] || [ ! -x /usr/bin/python3.11 ] || python=/usr/bin/python3.11
  "$uv" venv -q --python "$python" "$work/$end"
  "$uv" pip install -q --python "$work/$end/bin/python" --resolution "$end" --only-binary :all: \
    --no-binary sandbox-tui --no-binary langdetect -e '.[native,serve,evals,ifbench]' --group dev
  versions "$work/$end/bin/python" >"$work/resolved"
  versions .venv/bin/python | grep -F -x -f "$work/resolved" >"$work/shared" || true
  if cmp -s "$work/shared" "$work/resolved"; then
    echo "· $end: same versions as in .venv"
    continue
  fi
  echo "· $end: $("$work/$end/bin/python" -V), $(wc -l <"$work/resolved") packages, $(comm -23 "$work/resolved" "$work/shared" | wc -l) of them differ from .venv"
  # -W: old HTTP clients leak sockets, and the warning would fail whichever test happens to run then
  "$work/$end/bin/python" -m pytest -q -n 2 -p no:cacheprovider tests/unit \
    -W ignore::pytest.PytestUnraisableExceptionWarning \
    "${standard_library_only[@]/#/--ignore=}" || {
    echo "packages that differ from .venv:" >&2
    comm -23 "$work/resolved" "$work/shared" >&2
    exit 1
  }
done
