#!/usr/bin/env bash
# Tests both ends of what pyproject.toml allows: the lowest version of each dependency it names, and
# the newest of all. tests/unit runs there: it imports every module and works every library, and needs
# neither containers nor a terminal; but for tests of what is made of the standard library alone, a
# third of them by their time. Where the newest are those of .venv, whose tests run
# anyway, they are not run twice. That every Python we name gets binary packages is looked up alone;
# langdetect, which the checks of IFBench use, is pure Python and comes as source only.
# The lowest end has the system's Python 3.11 where there is one: Debian 12's is 3.11.2, whose faults
# later ones no longer have.
set -eu -o pipefail
cd "$(dirname "$0")/.."
export UV_COMPILE_BYTECODE=1 HYPOTHESIS_PROFILE=few
uv=$(command -v uv || true)
if [ -z "$uv" ]; then
  .venv/bin/python -m pip install -q --disable-pip-version-check uv
  uv=.venv/bin/uv
fi
of_no_library=(tests/unit/core/evals/pocket tests/unit/test_house.py)
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
  versions "$work/$end/bin/python" >"$work/there"
  versions .venv/bin/python | grep -F -x -f "$work/there" >"$work/both" || true
  if cmp -s "$work/both" "$work/there"; then
    echo "· $end: what .venv has"
    continue
  fi
  echo "· $end: $("$work/$end/bin/python" -V), $(wc -l <"$work/there") packages, $(comm -23 "$work/there" "$work/both" | wc -l) of them other than in .venv"
  # -W: sockets that an old HTTP client forgets are its own, and which test they fail is chance
  "$work/$end/bin/python" -m pytest -q -n 2 -p no:cacheprovider tests/unit \
    -W ignore::pytest.PytestUnraisableExceptionWarning \
    "${of_no_library[@]/#/--ignore=}" || {
    echo "with these packages:" >&2
    comm -23 "$work/there" "$work/both" >&2
    exit 1
  }
done
