# Continues every process that freeze.sh stopped, children before their parents, and prints how many were
# stopped; uses only builtins. Repeat it until it prints 0: a program may notice only now that its child
# was stopped, and stop itself. A process on a busy machine may not have stopped yet; it is continued too,
# because CONT cancels a STOP that is still pending.
pids=() order=() count=0
for dir in /proc/[0-9]*; do pids[${dir#/proc/}]=1; done
for pid in "${!pids[@]}"; do order=("$pid" "${order[@]}"); done
for pid in "${order[@]}"; do
  [[ $pid -gt 1 && $pid != "$$" && -z ${stopped_before[pid]} ]] || continue
  read -r stat <"/proc/$pid/stat" || continue
  stat=${stat##*) }
  kill -CONT "$pid" && [[ ${stat%% *} == T ]] && count=$((count + 1))
done 2>/dev/null
echo "$count"
