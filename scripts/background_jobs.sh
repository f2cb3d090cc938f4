# Sourced by scripts that run commands in the background; $work is their temporary folder.
declare -A job_pids=()

# start_job NAME COMMAND...: run COMMAND in the background.
start_job() {
  "${@:2}" >"$work/$1.log" 2>&1 &
  job_pids[$1]=$!
}

# finish_job NAME: wait for the job, print its output and return its exit code.
finish_job() {
  local code=0
  wait "${job_pids[$1]}" || code=$?
  unset "job_pids[$1]"
  echo "· $1"
  cat "$work/$1.log"
  [ "$code" = 0 ] || echo "✗ $1 failed" >&2
  return "$code"
}
