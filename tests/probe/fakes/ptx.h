// Just enough PTX to run the small kernels of a probe, one thread after the other. So a kernel with a wrong
// index, a wrong constant or a missing bound gives a wrong result here too.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ptx_module;
struct ptx_function;

enum ptx_loaded { kPtxLoaded, kPtxNoText, kPtxNotUnderstood };

// `image` ends with a zero byte.
enum ptx_loaded ptx_load(const char* image, struct ptx_module** module);
void ptx_unload(struct ptx_module* module);
struct ptx_function* ptx_find(struct ptx_module* module, const char* name);

// 0: a thread accessed an address outside device memory, or never ended. `wrong`: spoils the last value
// stored.
int ptx_run(struct ptx_function* function, unsigned grid, unsigned block, void** parameters,
            int (*on_device)(uint64_t, size_t), int wrong);
