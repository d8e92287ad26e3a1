// The template of every library in a generated tree (stamp.h). It needs nothing.
// Its only code calls dlopen on behalf of the program, so that the loader sees this library as the caller; the
// address of dlopen is passed in, and the call must not become a jump.
void* CallDlopen(void* (*function)(const char*, int), const char* name, int flags) {
  void* handle = function(name, flags);
  __asm__ volatile("" ::: "memory");
  return handle;
}
