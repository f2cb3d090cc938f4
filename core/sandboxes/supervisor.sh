# First process of an embedded sandbox: starts dispatchers and shells on named pipes, for a host
# that asks for them over stdin.
# Usage: supervisor.sh PIPES STATE START DISPATCHER CARRY [PROCESSES]
pipes=$1 state=$2 start=$3 dispatcher=$4 carry=$5
[ -n "$6" ] && ulimit -u "$6" 2>/dev/null
trap : INT TERM HUP
set -m # else what is started in the background ignores SIGINT, with all that it runs

# `script` gives it a terminal of this sandbox's own; the host resizes it by its name
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
  shell)
    shell "$name" "$cols" "$rows" \
      <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
    ;;
  esac
done
