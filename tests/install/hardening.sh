# How what is installed is hardened (cmake/hardening.cmake). Read by run.sh.

# Relocations are done before anything runs, and read-only then; the stack and the sizes of
# buffers are checked.
is_hardened() { # FILE
  readelf -hlW "$1" >"$work/headers"
  grep -E 'Type: +DYN' "$work/headers"
  grep GNU_RELRO "$work/headers"
  none -E 'GNU_STACK.* RWE ' <"$work/headers"
  readelf -dW "$1" | grep -E 'BIND_NOW|FLAGS.* NOW'
  readelf --dyn-syms -W "$1" >"$work/symbols"
  grep -w __stack_chk_fail "$work/symbols"
  grep -E ' __(vsnprintf|memcpy)_chk' "$work/symbols"
}

# Each object of ours says that jumps and returns can be checked in it.
checks_control_flow() {
  local objects
  echo 'int one(void) { return 1; }' | "$CC" -fcf-protection -x c -c - -o "$work/one.o" || return 0 # another processor's
  readelf -nW "$work/one.o" | grep 'IBT, SHSTK' || return 0
  objects=$(ar t "$prefix/$lib/libcpb.a" | wc -l)
  [ "$objects" -gt 50 ]
  [ "$(readelf -nW "$prefix/$lib/libcpb.a" | grep -c 'IBT, SHSTK')" = "$objects" ]
}

# It is for our own code only, and can be left out.
leaves_others_alone() {
  none -rE 'stack-protector|FORTIFY|relro' "$prefix/$lib/cmake" "$prefix/$lib/pkgconfig"
  cd "$work/larger/build"
  grep -q -e -fstack-protector-strong cpb/src/CMakeFiles/cpb_objects.dir/flags.make
  grep -q relro cpb/src/CMakeFiles/cpb_shared.dir/link.txt
  none -E 'stack-protector|FORTIFY|relro' CMakeFiles/larger.dir/flags.make CMakeFiles/larger.dir/link.txt
  cmake -DCPB_HARDENING=OFF .
  none -rE 'stack-protector|FORTIFY|relro' --include=flags.make --include=link.txt .
}
