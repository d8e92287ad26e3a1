// Failed loads that a framework survives, but without the GPU.
#pragma once

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

// Whether the failure of that request makes the framework fall back to the CPU although the GPU is meant to
// be used.
bool LosesGpu(const Scene& scene, const loader::Scenario& scenario, size_t request);

// Whether a framework of which there is a package for the CPU alone was installed for GPUs, finds no CUDA,
// and nobody knows whether there is a GPU: an image without a host.
bool MayLoseGpu(const Scene& scene, const loader::Scenario& scenario);

// A program may `import torch` of the same CUDA first: then its DLLs are already loaded.
bool TorchMayBring(const Scene& scene, const loader::Scenario& scenario);

// Without it the framework works, but not on this GPU: what onnxruntime's CUDA provider and CuPy's modules
// need, and what CuPy compiles every kernel with.
bool NeededForGpu(const Scene& scene, const FailedLoad& failed);

// The program may find a copy that the loader does not: CuPy opens libraries in CUDA_PATH, and after `import
// torch` of the same CUDA onnxruntime finds everything already loaded.
bool MayBeFoundAllTheSame(const Scene& scene, const FailedLoad& failed);

// A package with libraries alone lacks one that no package here requires: it is there for others, which
// nobody installed.
bool NobodyLoads(const Scene& scene, const FailedLoad& failed);

}  // namespace culprit::rules
