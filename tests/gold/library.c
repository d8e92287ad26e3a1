// The one library of which every library of a generated tree is a stamped copy (stamp.h). It needs nothing.
// Its only code calls dlopen for somebody else, so that the loader takes this library for the caller; the
// address of dlopen is passed in, and the call must not become a jump.
void* CallDlopen(void* (*function)(const char*, int), const char* name, int flags) {
  void* handle = function(name, flags);
  __asm__ volatile("" ::: "memory");
  return handle;
}
