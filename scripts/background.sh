# Sourced by scripts that run commands beside one another; $work is their temporary folder.
declare -A begun=()

# begin NAME COMMAND...: run it beside what follows; `came_of NAME` prints what it said, and fails as it did.
begin() {
  "${@:2}" >"$work/$1.said" 2>&1 &
  begun[$1]=$!
}
came_of() {
  local code=0
  wait "${begun[$1]}" || code=$?
  unset "begun[$1]"
  echo "· $1"
  cat "$work/$1.said"
  [ "$code" = 0 ] || echo "✗ $1 failed" >&2
  return "$code"
}
