# For a person's shell: the distribution's settings, then the state of the model's shell.
[ -r /etc/bash.bashrc ] && . /etc/bash.bashrc
[ -r ~/.bashrc ] && . ~/.bashrc
{
  [ -r /run/sandbox-tui/saved ] && read -r _ slot </run/sandbox-tui/saved &&
    . "/run/sandbox-tui/state.$slot"
} >/dev/null 2>&1
unset __sbx_dir __sbx_out __sbx_mark
unset COLUMNS LINES LD_PRELOAD _STDBUF_O PAGER GIT_PAGER SANDBOX_CALL slot PROMPT_COMMAND
shopt -s checkwinsize
PS1='\[\e[33m\]you\[\e[0m\] \[\e[2m\]\w\[\e[0m\] ❯ '
