# First process of an embedded sandbox: starts dispatchers and shells on named pipes, as the host
# requests over stdin.
# Usage: supervisor.sh PIPES STATE START DISPATCHER CARRY FILES [PROCESSES]
pipes=$1 state=$2 start=$3 dispatcher=$4 carry=$5
ulimit -S -n "$6" 2>/dev/null
[ -n "$7" ] && ulimit -u "$7" 2>/dev/null
trap : INT TERM HUP
set -m # otherwise background processes and all their children ignore SIGINT

# `script` gives it a terminal inside this sandbox; the host resizes it by its name
shell() {
  cd -- "$start"
  begin="tty >$state/$1.tty; echo \$\$ >$state/$1.pid; stty sane cols $2 rows $3"
  TERM=xterm-256color COLUMNS=$2 LINES=$3 \
    script -qefc "$begin; exec bash --rcfile $state/bashrc -i" /dev/null
  echo $? >"$state/$1.code"
}

while read -r what name cols rows; do
  case $what in
  dispatcher)
    bash -c "$dispatcher" sandbox "$state" "$start" lines "$carry" \
      <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
    ;;
  clean) # a separate state folder, without the state of the model's shell
    bash -c "$dispatcher" sandbox "$state/$cols" "$start" blocks "$carry" \
      <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
    ;;
  shell)
    shell "$name" "$cols" "$rows" \
      <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
    ;;
  esac
done
