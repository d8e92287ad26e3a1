/* valgrind reports memory that the loader frees for an audit library as an error of the program. */
#ifndef CULPRIT_WITNESS_VALGRIND_H_
#define CULPRIT_WITNESS_VALGRIND_H_

/* If this process is the launcher of valgrind: takes LD_AUDIT away from the program that it is about to
 * become. Whether it is. */
int LeaveValgrindAlone(void);

#endif
