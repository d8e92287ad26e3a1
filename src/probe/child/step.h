// The steps that culprit-probe knows how to do; their names, order and needs are those in probe/host/steps.h.
#pragma once

#include <string>
#include <string_view>

#include "probe/child/session.h"

namespace culprit::prober {

// driver_steps.cc
Outcome LibcudaStep(Session& session);
Outcome NvmlStep(Session& session);
Outcome InitStep(Session& session);
Outcome DevicesStep(Session& session);  // devices_step.cc
// memory_steps.cc
Outcome ContextStep(Session& session);
Outcome MemoryStep(Session& session);
Outcome CopyStep(Session& session);
Outcome KernelStep(Session& session);  // kernel_step.cc
Outcome PeerStep(Session& session);    // peer_step.cc
Outcome CudartStep(Session& session);  // cudart_step.cc
Outcome NvrtcStep(Session& session);   // nvrtc_step.cc
// cublas_steps.cc
Outcome CublasStep(Session& session);
Outcome CublasLtStep(Session& session);
// cudnn_steps.cc
Outcome CudnnLoadStep(Session& session);
Outcome CudnnCreateStep(Session& session);
Outcome CudnnPartsStep(Session& session);
// cudnn_convolution_steps.cc
Outcome CudnnConvolutionStep(Session& session);
Outcome CudnnAlgorithmsStep(Session& session);

// Runs the steps of the job in order and reports them.
void RunJob(Session& session);

}  // namespace culprit::prober
