# Ends the foreground processes of an earlier program: the running command (its number is above that of
# the last one whose state was saved), and the user's shells. Background processes of earlier commands
# keep running. Prints the largest command number. Needs: state=FOLDER.
last=0
[ -r "$state/saved" ] && read -r last _ <"$state/saved"
[[ $last =~ ^[0-9]+$ ]] || last=0
most=$last

# Sets `members`: processes of commands after the last one that ended.
foreground() {
  members=()
  local dir entry environ number
  for dir in /proc/[0-9]*; do
    environ=()
    mapfile -d '' environ <"$dir/environ" || continue
    for entry in "${environ[@]}"; do
      [[ $entry == SANDBOX_CALL=* ]] || continue
      number=${entry#*=}
      # negative: a command outside the model's shell, whose caller has ended
      [[ $number == -* ]] && members+=("${dir#/proc/}")
      [[ $number =~ ^[0-9]+$ ]] || continue
      [ "$number" -gt "$most" ] && most=$number
      [ "$number" -gt "$last" ] && members+=("${dir#/proc/}")
    done
  done 2>/dev/null
}

for file in "$state"/*.pid; do
  [ -r "$file" ] || continue
  read -r shell <"$file"
  kill -s HUP -- "-$shell" "$shell" 2>/dev/null
  rm -f "$file"
done
# Killed, not terminated: a shell that ends itself would save the state of an interrupted command.
for signal in STOP STOP KILL; do
  foreground
  [ ${#members[@]} -gt 0 ] && kill -s "$signal" "${members[@]}" 2>/dev/null
done
echo "$most"
