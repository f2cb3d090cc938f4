# Stops every process but the first and this one; builtins only. A parent must stand still before its
# child is stopped: a shell that sees its job stop takes that for the end of the command. script(1) is
# the other way round: it stops itself when its child is, and would do so late if it was stopped first.
# What stands still already stays so (see thaw.sh).
pids=() stood=()
state_of() {
  local stat
  read -r stat <"/proc/$1/stat" || { state=X; return; }
  comm=${stat#*(} comm=${comm%)*} stat=${stat##*) }
  state=${stat%% *}
} 2>/dev/null
standing() {
  for try in {1..500}; do
    state_of "$1"
    [[ $state == [TtZX] ]] && return
  done
}
for dir in /proc/[0-9]*; do pids[${dir#/proc/}]=1; done
for pid in "${!pids[@]}"; do
  state_of "$pid"
  [[ $state == [Tt] ]] && stood[pid]=1
  [[ $pid -gt 1 && $pid != "$$" && $comm != script ]] && kill -STOP "$pid" && standing "$pid"
done 2>/dev/null
for pid in "${!pids[@]}"; do
  state_of "$pid"
  [[ $comm == script ]] && standing "$pid"
done
kill -STOP -1 2>/dev/null # whatever was started meanwhile
:
