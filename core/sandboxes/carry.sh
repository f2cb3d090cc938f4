# Sourced before each command by way of BASH_ENV: brings the shell's state back, and keeps it when
# the command ends. Two state files take turns, and `saved` is written last, so that a command that
# is killed in between leaves the older state whole.
unset BASH_ENV
__sbx_dir=$__SBX_DIR __sbx_in=$__SBX_IN __sbx_out=$__SBX_OUT __sbx_mark=$__SBX_MARK
unset __SBX_DIR __SBX_IN __SBX_OUT __SBX_MARK
shopt -s expand_aliases
[ -r "$__sbx_in" ] && . "$__sbx_in" >/dev/null 2>&1
set +eux
__sbx_save() {
  { set +eux; } 2>/dev/null
  local __sbx_name __sbx_kept=()
  for __sbx_name in "${!a@}" "${!b@}" "${!c@}" "${!d@}" "${!e@}" "${!f@}" "${!g@}" "${!h@}" \
    "${!i@}" "${!j@}" "${!k@}" "${!l@}" "${!m@}" "${!n@}" "${!o@}" "${!p@}" "${!q@}" "${!r@}" \
    "${!s@}" "${!t@}" "${!u@}" "${!v@}" "${!w@}" "${!x@}" "${!y@}" "${!z@}" "${!A@}" "${!B@}" \
    "${!C@}" "${!D@}" "${!E@}" "${!F@}" "${!G@}" "${!H@}" "${!I@}" "${!J@}" "${!K@}" "${!L@}" \
    "${!M@}" "${!N@}" "${!O@}" "${!P@}" "${!Q@}" "${!R@}" "${!S@}" "${!T@}" "${!U@}" "${!V@}" \
    "${!W@}" "${!X@}" "${!Y@}" "${!Z@}" "${!_@}"; do
    case $__sbx_name in
    __sbx* | BASH* | EPOCH* | COMP_* | DIRSTACK | EUID | UID | PPID | GROUPS | SHELLOPTS | SHLVL) ;;
    FUNCNAME | PIPESTATUS | RANDOM | SRANDOM | SECONDS | LINENO | HISTCMD | OPTIND | OPTERR | _) ;;
    PWD | PS[0124] | PROMPT_COMMAND | SANDBOX_CALL | HOSTTYPE | MACHTYPE | OSTYPE) ;;
    *) __sbx_kept+=("$__sbx_name") ;;
    esac
  done
  {
    builtin printf 'cd -- %q\n' "$PWD"
    builtin declare -p "${__sbx_kept[@]}"
    builtin declare -f
    builtin declare -Fx
    builtin alias -p
  } >|"$__sbx_out" 2>/dev/null && builtin printf '%s\n' "$__sbx_mark" >|"$__sbx_dir/saved"
}
trap __sbx_save EXIT
