# Run after a snapshot was restored: removes the names of processes and terminals of the sandbox it was
# taken from. Commands are counted from 1 again, so the number of the last saved one must be forgotten
# (see shell_state.sh). Needs: state=FOLDER.
cd "$state" 2>/dev/null || exit 0
rm -rf -- *.pid *.tty in.* command run-*
if [ -r saved ]; then
  read -r last slot <saved
  printf '0 %s\n' "$slot" >saved
fi
