// Any texts in the files of a Python environment: pyvenv.cfg, .pth, the records of packages, the build files
// of frameworks, conda's records. The collector answers, and does not crash or hang.
#include <cstddef>
#include <cstdint>

#include "collect/stack.h"
#include "machine_of_texts.h"

namespace {

constexpr std::string_view kPaths[] = {
    "/opt/venv/pyvenv.cfg",
    "/opt/venv/conda-meta/pytorch-2.5.1-py3.12_cuda12.4_cudnn9.1.0_0.json",
    "/opt/venv/conda-meta/history",
    "/opt/venv/lib/python3.12/site-packages/more.pth",
    "/opt/venv/lib/python3.12/site-packages/torch/version.py",
    "/opt/venv/lib/python3.12/site-packages/torch-2.5.1.dist-info/METADATA",
    "/opt/venv/lib/python3.12/site-packages/torch-2.5.1.dist-info/RECORD",
    "/opt/venv/lib/python3.12/site-packages/torch-2.5.1.dist-info/WHEEL",
    "/opt/venv/lib/python3.12/site-packages/torch-2.5.1.dist-info/INSTALLER",
    "/opt/venv/lib/python3.12/site-packages/torch-2.5.1.dist-info/direct_url.json",
    "/opt/venv/lib/python3.12/site-packages/nvidia_cudnn_cu12-9.1.0.70.dist-info/METADATA",
    "/opt/venv/lib/python3.12/site-packages/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD",
    "/opt/venv/lib/python3.12/site-packages/tensorflow/python/platform/build_info.py",
    "/opt/venv/lib/python3.12/site-packages/jax/version.py",
    "/opt/venv/lib/python3.12/site-packages/onnxruntime/capi/build_and_package_info.py",
    "/opt/venv/lib/python3.12/site-packages/xformers/cpp_lib.json",
    "/opt/venv/lib/python3.12/site-packages/paddle/version/__init__.py",
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace collect = culprit::collect;
  culprit::system::MemorySystem machine;
  machine.AddFile("/usr/bin/python3.12", "", 0755);
  machine.AddLink("/opt/venv/bin/python3", "/usr/bin/python3.12");
  machine.AddFile("/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so", "abc");
  AddTexts({reinterpret_cast<const char*>(data), size}, kPaths, machine);
  collect::Surroundings around{.system = machine,
                               .environment = {{"VIRTUAL_ENV", "/opt/venv"}, {"PATH", "/usr/bin"}},
                               .working_directory = "/"};
  around.verify = true;
  collect::CollectPython(around);
  return 0;
}
