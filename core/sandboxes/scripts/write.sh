# Writes stdin, $size bytes, to the file $f; with $exclusive it must not exist yet. The new content is
# written next to the file and then replaces it, with its mode and owner: a full disk or a lost
# connection leaves the old file unchanged. Where that is impossible (hard links, no permission for the
# folder, a mount) the file itself is written. Exit codes: see file_ops.py.
if [ "$exclusive" = 1 ] && { [ -e "$f" ] || [ -L "$f" ]; }; then exit 67; fi
[ -d "$f" ] && exit 65
if [ -L "$f" ]; then
  target=$(readlink -nf -- "$f" && echo .) && f=${target%.}
fi
if [ -e "$f" ] && [ ! -f "$f" ]; then exit 65; fi
folder=${f%/*}/
[ -d "$folder" ] || mkdir -p -- "$folder" 2>/dev/null || exit 66
beside=$folder.sandbox-tui-$$-$RANDOM
trap '[ ! -e "$beside" ] || rm -f -- "$beside"' EXIT

in_place() {
  { cat >"$f"; } 2>/dev/null && exit 0
  [ -w "$f" ] && exit 68
  exit 66
}

if [ -e "$f" ]; then
  [ -w "$f" ] || exit 66
  cp --attributes-only --preserve=mode,ownership,xattr -- "$f" "$beside" 2>/dev/null || in_place
else
  { : >"$beside"; } 2>/dev/null || exit 66
fi
{ cat >"$beside"; } 2>/dev/null || exit 68
written='' names=1
{
  read -r written _
  [ ! -e "$f" ] || read -r _ names
} < <(stat -c '%s %h' -- "$beside" "$f" 2>/dev/null)
[ "$written" = "$size" ] || exit 69
[ "$names" = 1 ] || in_place <"$beside"
mv -fT -- "$beside" "$f" 2>/dev/null || in_place <"$beside"
