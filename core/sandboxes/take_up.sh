# Ends what the program before left running in the foreground: the command that was under way (its
# number is above that of the last one whose state was kept), and the shells of its person. What
# earlier commands left in the background goes on. Prints the largest number of a command there was.
# Before it: state=FOLDER.
last=0
[ -r "$state/saved" ] && read -r last _ <"$state/saved"
[[ $last =~ ^[0-9]+$ ]] || last=0
most=$last

# Processes of commands after the last one that came to its end.
foreground() {
  members=()
  local dir entry environ number
  for dir in /proc/[0-9]*; do
    environ=()
    mapfile -d '' environ <"$dir/environ" || continue
    for entry in "${environ[@]}"; do
      [[ $entry == SANDBOX_CALL=* ]] || continue
      number=${entry#*=}
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
# Told to end, a shell would save the state of a command that was cut off: it is to be as before it.
for signal in STOP STOP KILL; do
  foreground
  [ ${#members[@]} -gt 0 ] && kill -s "$signal" "${members[@]}" 2>/dev/null
done
echo "$most"
