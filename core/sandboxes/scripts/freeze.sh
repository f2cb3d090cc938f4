# Stops every process but the first and this one; builtins only. A parent must be stopped before its
# child: a shell that sees its job stop takes that for the end of the command. script(1) is the other
# way round: it stops itself when its child stops, and would do so late if it was stopped first.
# Processes that are stopped already are left so by thaw.sh (`stood`).
pids=() stood=()
state_of() {
  local stat
  read -r stat <"/proc/$1/stat" || { state=X; return; }
  comm=${stat#*(} comm=${comm%)*} stat=${stat##*) }
  state=${stat%% *}
} 2>/dev/null
standing() { # waits until process $1 is stopped, at most $2 microseconds
  local latest=$((${EPOCHREALTIME/./} + $2)) try
  for ((try = 0; try < 20000; try++)); do
    state_of "$1"
    [[ $state == [TtZX] || ${EPOCHREALTIME/./} -gt latest ]] && return
  done
}
for dir in /proc/[0-9]*; do pids[${dir#/proc/}]=1; done
for pid in "${!pids[@]}"; do
  state_of "$pid"
  [[ $state == [Tt] && $comm != script ]] && stood[pid]=1
  [[ $pid -gt 1 && $pid != "$$" && $comm != script ]] && kill -STOP "$pid" && standing "$pid" 50000
done 2>/dev/null
for pid in "${!pids[@]}"; do
  state_of "$pid"
  [[ $comm == script ]] && standing "$pid" 250000 # it may have to wait for the processor
done
kill -STOP -1 2>/dev/null # processes started meanwhile
:
