/* Notes a fatal signal in the journal, and lets it be as fatal as it was. */
#ifndef CULPRIT_WITNESS_CRASH_H_
#define CULPRIT_WITNESS_CRASH_H_

/* For SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT, each only where nobody handles or ignores it. A program
 * that sets a handler of its own replaces this one. */
void NoteCrashes(void);

#endif
