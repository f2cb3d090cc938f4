# Hangs up the shell whose process id is in the file $f, and kills the rest of its session.
shell=
read -r shell 2>/dev/null <"$f"
[ "${shell:-0}" -gt 1 ] || shell=99999999 # it has not started
kill -HUP "$shell" 2>/dev/null
for try in {1..20}; do
  kill -0 "$shell" 2>/dev/null || break
  sleep 0.05
done
for stat in /proc/[0-9]*/stat; do
  read -r line <"$stat" || continue
  fields=(${line##*) })
  [ "${fields[3]}" = "$shell" ] && kill -KILL "${line%% *}"
done 2>/dev/null
rm -f "$f" "${f%.pid}.tty"
