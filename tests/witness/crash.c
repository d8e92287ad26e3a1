/* A library that crashes two calls deep. */
__attribute__((noinline)) static int Inner(volatile int* at) { return *at = 1; }
int Crash(void) { return Inner((int*)16) + 1; }
