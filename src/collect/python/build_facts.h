// How a framework was built: the version, the CUDA and the cuDNN that its own files name. Each function knows
// the files of one framework; a file that is not there or not understood leaves the fact empty.
#pragma once

#include <vector>

#include "collect/python/packages.h"
#include "snapshot/stack.h"
#include "system/system.h"

namespace culprit::collect {

struct BuildFiles {
  const system::System& system;
  const SiteDirectory& site;
  const snapshot::PythonPackage* package;  // nullptr: no record speaks for it
  const std::vector<snapshot::PythonPackage>& packages;
};

void ReadTorch(const BuildFiles& files, snapshot::Framework& framework);
void ReadTorchCompanion(const BuildFiles& files, snapshot::Framework& framework);  // torchvision, torchaudio
void ReadXformers(const BuildFiles& files, snapshot::Framework& framework);
void ReadTensorflow(const BuildFiles& files, snapshot::Framework& framework);
void ReadJax(const BuildFiles& files, snapshot::Framework& framework);
void ReadOnnxruntime(const BuildFiles& files, snapshot::Framework& framework);
void ReadCupy(const BuildFiles& files, snapshot::Framework& framework);
void ReadPaddle(const BuildFiles& files, snapshot::Framework& framework);
void ReadMxnet(const BuildFiles& files, snapshot::Framework& framework);
void ReadTensorrt(const BuildFiles& files, snapshot::Framework& framework);

}  // namespace culprit::collect
