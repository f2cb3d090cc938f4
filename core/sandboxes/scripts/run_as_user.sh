# Sets the array `become` to a command line that runs the words after it as user $user; exits with 126
# if that user cannot be used. Runs only the system's programs: the model may have put others on PATH.
path=$PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin
become=()
if [ "$(id -un)" != "$user" ]; then
  group=$(id -g -- "$user") || exit 126
  home=$(getent passwd "$user" | cut -d: -f6)
  setpriv=$(type -P setpriv) || { echo "there is no setpriv(1) here" >&2; exit 126; }
  become=("$setpriv" --reuid="$user" --regid="$group" --init-groups --)
  "${become[@]}" true || exit 126
  export HOME=${home:-/} USER=$user LOGNAME=$user
fi
PATH=$path
