# First process of an embedded sandbox: starts dispatchers and shells on named pipes, for a host
# that asks for them over stdin. Usage: supervisor.sh PIPES STATE START DISPATCHER [PROCESSES]
pipes=$1 state=$2 start=$3 dispatcher=$4
[ -n "$5" ] && ulimit -u "$5" 2>/dev/null
trap : INT TERM HUP
while read -r what name cols rows; do
  case $what in
  dispatcher)
    bash -c "$dispatcher" sandbox "$state" "$start" lines \
      <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
    ;;
  shell)
    # `script` gives it a terminal of this sandbox's own; the host resizes it by its name
    cd -- "$start"
    COLUMNS=$cols LINES=$rows script -qefc \
      "tty >$state/$name.tty; stty cols $cols rows $rows; exec bash --rcfile $state/bashrc -i" \
      /dev/null <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
    ;;
  esac
done
