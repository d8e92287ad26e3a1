/* The C interface: is there a GPU with 1 GiB free, and if not, why not? */
#include <culprit/culprit_c.h>
#include <stdio.h>

int main(void) {
  culprit_wants wants = CULPRIT_WANTS_INIT;
  wants.min_free_memory = (uint64_t)1 << 30;

  const culprit_readiness* gpu = culprit_preflight(&wants);
  if (gpu == NULL) return 2; /* out of memory */
  puts(gpu->line);
  if (!gpu->usable) {
    printf("cause: %s\nfix: %s\n", gpu->reason->cause, gpu->reason->fix);
    for (size_t i = 0; i < gpu->reason->command_count; ++i) printf("  $ %s\n", gpu->reason->commands[i]);
  }
  const int status = gpu->usable ? 0 : 1;
  culprit_readiness_free(gpu);
  return status;
}
