# Stops every process except the first and this one; uses only builtins. A parent must be stopped
# before its child: a shell takes a job that stops for the end of the command. script(1) must come after
# its child: it stops itself when its child stops, and would do so late if it was stopped first.
# thaw.sh does not continue processes that were already stopped (`stopped_before`).
pids=() stopped_before=()
state_of() {
  local stat
  read -r stat <"/proc/$1/stat" || { state=X; return; }
  comm=${stat#*(} comm=${comm%)*} stat=${stat##*) }
  state=${stat%% *}
} 2>/dev/null
wait_until_stopped() { # waits for process $1, at most $2 microseconds
  local latest=$((${EPOCHREALTIME/./} + $2)) try
  for ((try = 0; try < 20000; try++)); do
    state_of "$1"
    [[ $state == [TtZX] || ${EPOCHREALTIME/./} -gt latest ]] && return
  done
}
for dir in /proc/[0-9]*; do pids[${dir#/proc/}]=1; done
for pid in "${!pids[@]}"; do
  state_of "$pid"
  [[ $state == [Tt] && $comm != script ]] && stopped_before[pid]=1
  [[ $pid -gt 1 && $pid != "$$" && $comm != script ]] && kill -STOP "$pid" && wait_until_stopped "$pid" 50000
done 2>/dev/null
for pid in "${!pids[@]}"; do
  state_of "$pid"
  [[ $comm == script ]] && wait_until_stopped "$pid" 250000 # it may have to wait for the CPU
done
kill -STOP -1 2>/dev/null # processes that were started meanwhile
:
