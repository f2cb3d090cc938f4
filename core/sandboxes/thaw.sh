# Lets every process go on that stands still because of freeze.sh, children before their parents, and
# prints how many those were; builtins only. To be repeated until it prints 0: a program may have been
# told of its child's stop only now, and stop itself.
pids=() order=() count=0
for dir in /proc/[0-9]*; do pids[${dir#/proc/}]=1; done
for pid in "${!pids[@]}"; do order=("$pid" "${order[@]}"); done
for pid in "${order[@]}"; do
  [[ $pid -gt 1 && $pid != "$$" && -z ${stood[pid]} ]] || continue
  read -r stat <"/proc/$pid/stat" || continue
  stat=${stat##*) }
  [[ ${stat%% *} == T ]] && kill -CONT "$pid" && count=$((count + 1))
done 2>/dev/null
echo "$count"
