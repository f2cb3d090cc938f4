# Sourced before each command through BASH_ENV: restores the shell's state, and saves it when the
# command ends. Two state files alternate, and `saved` is written last: when a command is killed in
# between, or the disk is full, the older state stays intact.
#
# Carried: directory, variables, functions, aliases, umask, shopt options, and which of the initial
# variables are unset. Not carried: `set` options (one `set -e` would end every later command at its
# first failure), traps, limits, and prompt variables.
unset BASH_ENV
shopt -s expand_aliases
[ -n "$__SBX_LINES" ] && export LD_PRELOAD=$__SBX_LINES _STDBUF_O=L
__SBX_SHOPT=$BASHOPTS
__sbx_names=($__SBX_NAMES)
if [ -r "$__SBX_IN" ]; then
  . "$__SBX_IN" >/dev/null 2>&1
  if [ -n "$__SBX_LARGE" ]; then
    # a large state: the kernel does not start programs with such large environment variables
    mapfile -t __sbx_exported < <(compgen -e)
    for __sbx_name in "${__sbx_exported[@]}"; do
      __sbx_value=${!__sbx_name}
      [ ${#__sbx_value} -gt 100000 ] && export -n "$__sbx_name"
    done
  fi
fi
__sbx_dir=$__SBX_DIR __sbx_out=$__SBX_OUT __sbx_mark=$__SBX_MARK __sbx_shopt=$__SBX_SHOPT
export SANDBOX_CALL=${__sbx_mark% *}
unset __SBX_DIR __SBX_IN __SBX_OUT __SBX_MARK __SBX_NAMES __SBX_SHOPT __SBX_LINES __SBX_LARGE __sbx_name \
  __sbx_value __sbx_exported
set +eux
__sbx_save() {
  { set +eux; } 2>/dev/null
  {
    builtin printf 'builtin cd -- %q\n' "$PWD" # the first line is also read on its own
    [[ $BASHOPTS == "$__sbx_shopt" ]] || builtin shopt -p
    builtin umask -p
    for __sbx_name in "${__sbx_names[@]}"; do
      [[ -v $__sbx_name ]] || builtin printf 'unset %s\n' "$__sbx_name"
    done
    # not part of the state: variables of this shell only
    builtin unset -v BASH BASH_ALIASES BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_COMPAT \
      BASH_EXECUTION_STRING BASH_LOADABLES_PATH BASH_SUBSHELL BASHPID \
      BASH_VERSION COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS FUNCNAME GROUPS HISTCMD \
      HOSTTYPE LINENO MACHTYPE OPTERR OPTIND OSTYPE PIPESTATUS PWD RANDOM SECONDS SHLVL SRANDOM _ \
      PS0 PS1 PS2 PS4 PROMPT_COMMAND POSIXLY_CORRECT SANDBOX_CALL BASH_ENV \
      __sbx_name __sbx_names __sbx_shopt
    builtin unset -f __sbx_save
    builtin declare -p
    builtin declare -f
    builtin declare -Fx
    builtin alias -p
    builtin printf ':\n' # fails if the file could not be written completely
  } >|"$__sbx_out" 2>/dev/null && builtin printf '%s\n' "$__sbx_mark" >|"$__sbx_dir/saved"
}
trap __sbx_save EXIT
