# The dispatcher: runs commands for a host that sends requests over stdin. Needs bash and coreutils.
#
#   bash -c "$(cat dispatcher.sh)" sandbox STATE_DIR START_DIR lines|blocks CARRY
#
# A request is five fields, each ended by NUL: op, nonce, call, size, argument.
#   c  run `argument` with bash, in the carried shell state
#   f  the same with the `size` bytes that follow the fields
#   t  as c, on its own terminal; `argument` starts with its columns and rows
#   T  as f, on its own terminal
#   i  write `argument` to the terminal of the running command
#   x  run `argument` without state; the `size` bytes that follow are its stdin
#   k  send signal `nonce` to process group `argument` and to all processes of `call`
#   e  evaluate `argument` here: only builtins, so that it works if no process can start
#   y  kill all processes of `call`, whose first process was `argument`
#   z  kill all processes of all calls except `call`: after a fork bomb nothing else can start
#   w  no more commands follow: exit when no process of the last one, `call`, is left
# Output goes to our stdout and stderr unchanged; its end is marked in both (R is 0x1e):
#   NUL R nonce " B " pid NUL                               stdout: the command has started
#   NUL R nonce " E " code " " survivors " " saved NUL      stdout: it has ended
#   NUL R nonce " E" NUL                                    stderr: it has ended
#   NUL R nonce " N" NUL                                    both: it did not start, and never will
# A command never learns the nonce, so it cannot forge its own end.

# CARRY is the text of shell_state.sh, which is written again if a command deleted it.

SBX=$1 carry=$4
mkdir -p "$SBX" || exit 125
cd -- "$2" 2>/dev/null || cd /
trap : INT TERM HUP PIPE
exec 5<&0 0</dev/null 9>&2
export SHELL # otherwise each bash would look it up in the accounts
names=$(compgen -e)
names=${names//$'\n'/ }
commands_path=$PATH # this program's PATH starts with the system's folders
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
since=1 # the youngest process when the last command arrived
runner=

for lib in /usr/libexec/coreutils/libstdbuf.so /usr/lib/*/coreutils/libstdbuf.so; do
  # C programs buffer whole blocks on a pipe; line buffering shows each line at once
  [ -r "$lib" ] && [ "$3" = lines ] && break
  lib=
done
[ -n "$lib" ] && names+=" LD_PRELOAD _STDBUF_O"

# Sets `members`: processes of call $1 (empty: of any call but $3) younger than process $2, except $4.
# Identified by their environment, which children inherit even if they leave the process group.
belonging() {
  members=()
  local dirs=() dir pid entry environ youngest
  read -r _ _ _ _ youngest </proc/loadavg
  if ((youngest >= $2 && youngest - $2 < 50)); then
    # few or no new processes: faster than a scan of all
    for ((pid = $2 + 1; pid <= youngest; pid++)); do dirs+=("/proc/$pid"); done
  else
    dirs=(/proc/[0-9]*)
  fi
  for dir in "${dirs[@]}"; do
    pid=${dir#/proc/}
    # ids wrap around after the largest: scan all in that case
    [[ ($pid -gt $2 || $youngest -lt $2) && $pid != "$4" ]] || continue
    environ=()
    if mapfile -d '' environ <"$dir/environ"; then
      for entry in "${environ[@]}"; do
        [[ $entry == SANDBOX_CALL=* ]] || continue
        if [[ -z $1 && $entry != "SANDBOX_CALL=$3" || $entry == "SANDBOX_CALL=$1" ]]; then
          members+=("$pid")
          continue 2
        fi
      done
      [[ $dir/fd/1 -ef /proc/self/fd/1 || $dir/fd/2 -ef /proc/self/fd/9 ]] || continue
    fi
    adopted "$dir" && members+=("$pid")
  done 2>/dev/null
}

# Daemons with their own environment (`env -i`, `su -`), or of another user, whose environment is
# unreadable: they have lost their parent and, unlike a user's shell, have no terminal.
adopted() {
  local stat fields
  read -r stat <"$1/stat" || return 1
  fields=(${stat##*) })
  [[ ${fields[0]} != Z && ${fields[1]} == 1 && ${fields[4]} == 0 ]] &&
    [[ ${1#/proc/} != "$$" && ${1#/proc/} != "$BASHPID" ]]
}

# Runs commands one after the other, while the loop below keeps listening. Both this process and the
# one that becomes the next command are forked in advance, since a fork takes time.
runner() {
  local nonce call since pid code slot last lastslot large
  exec 5<&- 6<&0 0</dev/null 2>/dev/null # bash's messages about jobs are not output of a command
  trap '' INT TERM HUP PIPE              # signals are meant for commands, and would end the wait
  trap 'read_request && not_started' EXIT # no process could be forked: report it for the next command
  set -m                                 # a process group for each job, which does not ignore SIGINT
  hash bash                              # otherwise each job would search PATH for it
  while :; do
    pid=
    bring_state
    become_command &
    pid=$!
    wait "$pid"
    code=$?
    # 128 or more and nothing to read: it was killed before it got a command
    if [ "$code" -lt 128 ] || read -r -t 0 -u 6; then read_request && ended || break; fi
  done
}

# Reads the part of a request that the waiting runner needs; fails if the dispatcher has ended.
read_request() {
  local field=
  while [ "$field" != $'\036' ]; do IFS= read -r -d '' -u 6 field || return 1; done
  read -r -d '' -u 6 nonce && read -r -d '' -u 6 call && read -r -d '' -u 6 since
}

# Reports to the host that the command has ended.
ended() {
  local survivors=0 saved=0
  belonging "$call" "$since"
  survivors=${#members[@]}
  if [ "$survivors" = 0 ] && kill -0 -- "-$pid"; then survivors=1; fi
  read_saved
  [ "$last" = "$call" ] && saved=1
  printf '\0\036%s E\0' "$nonce" >&9
  printf '\0\036%s E %s %s %s\0' "$nonce" "$code" "$survivors" "$saved"
}

# Reports to the host that no process could be started, or that the command arrived incomplete.
not_started() {
  printf '\0\036%s N\0' "$nonce" >&9
  printf '\0\036%s N\0' "$nonce"
}

# Reads the number and the state file of the last command whose state was saved.
read_saved() {
  last=0 lastslot=1
  [ -r "$SBX/saved" ] && read -r last lastslot <"$SBX/saved"
}

# Exports what shell_state.sh needs, as far as it is known before the command arrives.
bring_state() {
  [ -r "$SBX/pre" ] || { mkdir -p "$SBX" && printf '%s' "$carry" >"$SBX/pre"; }
  slot=0 large=
  read_saved
  [ "$lastslot" = 0 ] && slot=1
  IFS= read -rN 100000 _ <"$SBX/state.$lastslot" && large=1
  export BASH_ENV=$SBX/pre __SBX_DIR=$SBX __SBX_IN=$SBX/state.$lastslot __SBX_OUT=$SBX/state.$slot
  export __SBX_NAMES=$names __SBX_LINES=$lib __SBX_LARGE=$large
}

# Waits for a command, then executes bash with it, on a terminal if it has one. HUP is ignored, so that
# background services survive the end of the terminal, as they do without one.
become_command() {
  local terminal file argument word line
  trap - INT TERM HUP PIPE
  PATH=$commands_path
  IFS= read -r -d '' -u 6 nonce && IFS= read -r -d '' -u 6 call &&
    IFS= read -r -d '' -u 6 terminal && IFS= read -r -d '' -u 6 file &&
    IFS= read -r -d '' -u 6 argument || exit
  if [ -n "$file" ]; then set -- "$file"; else set -- -c "$argument"; fi
  export __SBX_MARK="$call $slot" SANDBOX_CALL=$call
  printf '\0\036%s B %s\0' "$nonce" "$BASHPID"
  if [ -z "$terminal" ]; then
    exec bash "$@" 6<&- 7>&- 2>&9 9>&-
  fi
  line="stty sane $terminal; SHELL='$SHELL'; trap '' HUP; exec bash"
  for word; do line+=" '${word//\'/\'\\\'\'}'"; done
  __SBX_LINES= # a terminal is line-buffered anyway
  SHELL=/bin/sh exec script -qefc "$line" /dev/null <&7 6<&- 7>&- 2>&9 9>&-
}

# Passes a command to the runner: the text $2, or the content of the file $1.
hand_over() {
  local fields
  read -r _ _ _ _ since </proc/loadavg
  fields=("$nonce" "$call" "$terminal" "$1" "$2" $'\036' "$nonce" "$call" "$since")
  { [ -n "$runner" ] && kill -0 "$runner"; } 2>/dev/null || start_runner
  trap - EXIT # from now on the runner reports
  printf '%s\0' "${fields[@]}" >&6
}

start_runner() {
  exec 6>&- # otherwise the next runner would hold it open, and wait for its end
  exec 6> >(runner)
  runner=$!
}

# Prepares for a command on a terminal of $1 columns and $2 rows, which script(1) holds.
set_terminal() {
  terminal=
  if ! command -v script >/dev/null; then
    echo 'sandbox-tui: there is no script(1) here, so this command has no terminal.' >&2
    return 1
  fi
  # carries the user's input; it is open at both ends, so it never ends
  if ! { : >&7; } 2>/dev/null; then
    mkdir -p "$SBX" && mkfifo "$SBX/in.$$" && exec 7<>"$SBX/in.$$" && rm -f "$SBX/in.$$" || return 1
    runner= # the runner needs it too
  fi
  while read -r -t 0 -u 7 && IFS= read -r -d '' -n 1 -u 7; do :; done # input for the previous command
  terminal="cols $1 rows $2"
}

# Writes the bytes that follow a request to a file; reads them all, even if the disk is full. Exits if
# the connection ends before the last byte: half a command must not run.
take() {
  head -c "$size" <&5 | { cat || { cat >/dev/null; false; }; } >"$1" 2>/dev/null || return 1
  [ "$(stat -c %s "$1")" = "$size" ] || exit 0
}

# Kills the processes of a call (see belonging), and those started meanwhile; `most` is their number.
# On a busy machine, a fork bomb starts more while they are listed: they are stopped until a list
# holds no new one, then killed, until none is left.
end_all() {
  local round pass stopped
  most=0
  for ((round = 0; round < 10; round++)); do
    stopped=
    for ((pass = 0; pass < 30; pass++)); do
      belonging "$@"
      [ ${#members[@]} -gt 0 ] || return 0
      ((${#members[@]} <= most)) || most=${#members[@]}
      [ "$stopped" != "${members[*]}" ] || break
      stopped="${members[*]}"
      kill -s STOP "${members[@]}"
    done
    kill -s KILL "${members[@]}"
  done 2>/dev/null
}

answer() {
  printf '\0\036%s E %s 0 0\0' "$nonce" "$1"
  printf '\0\036%s E\0' "$nonce" >&2
}

while IFS= read -r -d '' -u 5 op && IFS= read -r -d '' -u 5 nonce &&
  IFS= read -r -d '' -u 5 call && IFS= read -r -d '' -u 5 size &&
  IFS= read -r -d '' -u 5 argument; do
  case $op in
  c | f | t | T) trap not_started EXIT ;; # bash exits if it cannot fork
  esac
  case $op in
  c | f) terminal= ;;
  t | T)
    rest=${argument#* }
    set_terminal "${argument%% *}" "${rest%% *}"
    argument=${rest#* }
    ;;
  esac
  case $op in
  c | t) hand_over '' "$argument" ;;
  f | T)
    if take "$SBX/command"; then
      hand_over "$SBX/command" ''
    else
      hand_over '' 'echo "bash: there is no room for a command of this length" >&2; exit 126'
    fi
    ;;
  x)
    if [ "$size" -gt 0 ]; then
      # input that the command leaves unread must not be parsed as fields
      head -c "$size" <&5 | {
        (eval "$argument")
        code=$?
        IFS= read -r -d '' -n 1 _ && cat >/dev/null
        exit $code
      }
    else
      (eval "$argument")
    fi
    answer $?
    ;;
  i) [ -z "$terminal" ] || printf %s "$argument" >&7 ;;
  k)
    {
      # `script` would end before it has forwarded its program's last output
      [[ $terminal && $nonce != KILL ]] || kill -s "$nonce" -- "-$argument"
      belonging "$call" "$since" '' "$argument"
      [ ${#members[@]} -gt 0 ] && kill -s "$nonce" "${members[@]}"
    } 2>/dev/null
    ;;
  e)
    eval "$argument"
    answer $?
    ;;
  y)
    end_all "$call" $((argument - 1))
    answer 0
    ;;
  z)
    end_all "" 1 "$call"
    echo "$most"
    answer 0
    ;;
  w)
    belonging "$call" "$since"
    while [ ${#members[@]} -gt 0 ]; do
      read -r -t 5 -u 5 _ || [ $? -gt 128 ] || exit 0
      belonging "$call" "$since"
    done
    exit 0
    ;;
  esac
done
