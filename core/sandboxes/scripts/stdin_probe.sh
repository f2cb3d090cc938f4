# Finds a process of call $call, younger than process $after, that waits for terminal input. Prints its
# name, then 1 if the terminal does not echo, else 0. Run with the dispatcher's op `e`, for `belonging`.
terminal_reader() {
  local pid dir name line fields terminal number syscall waits settings
  local reading=0 # the number of read(2)
  [[ $HOSTTYPE == aarch64 || $HOSTTYPE == riscv64 ]] && reading=63
  belonging "$call" "$after"
  for pid in "${members[@]}"; do
    dir=/proc/$pid terminal= syscall=() waits=
    read -r line <"$dir/stat" || continue
    fields=(${line##*) })
    number=${fields[4]}
    # asleep, in the foreground of a pseudo-terminal (majors 136 to 143)
    [[ ${fields[0]} == S && ${fields[2]} == "${fields[5]}" ]] || continue
    ((number >> 8 >= 136 && (number >> 8 & 0xfff) <= 143)) || continue
    terminal=/dev/pts/$((((number >> 8 & 0xfff) - 136 << 8) + (number & 0xff) + (number >> 12 & 0xfff00)))
    settings=$(stty -a -F "$terminal") || continue
    settings=" ${settings//$'\n'/ } "
    read -r waits <"$dir/wchan"
    if read -r -a syscall <"$dir/syscall" && [[ ${syscall[0]} == "$reading" ]]; then
      [[ $dir/fd/$((syscall[1])) -ef $terminal || $dir/fd/$((syscall[1])) -ef /dev/tty ]] || continue
    elif [[ $waits == n_tty_read || $waits == wait_woken && -z ${syscall[0]} ]]; then
      : # the kernel does not say which file it reads: assume its terminal
    else
      # waits for several files: for keys, if it has turned off the terminal's line mode
      [[ $waits == *poll* || $waits == *select* ]] || continue
      [[ $dir/fd/0 -ef $terminal && $settings == *" -icanon "* ]] || continue
    fi
    read -r name <"$dir/comm"
    printf '%s\n' "$name"
    [[ $settings == *" -echo "* && $settings == *" icanon"* ]] && echo 1 || echo 0
    return
  done
} 2>/dev/null
terminal_reader
