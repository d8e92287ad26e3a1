#include "collect/gpu_programs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "binfmt/elf/write.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using Paths = std::vector<std::string>;

std::string Linked(std::string library) {
  return binfmt::BuildElf({.needed = {std::move(library)}, .interpreter = "/lib64/ld-linux-x86-64.so.2"});
}

TEST(GpuPrograms, AreFoundWhereTheAuthorPutThem) {
  system::MemorySystem machine;
  const std::string uses = Linked("libcudart.so.12"), other = Linked("libc.so.6");
  for (const char* path : {"/app/bin/train", "/usr/local/bin/infer", "/srv/a/b/serve", "/start"})
    machine.AddFile(path, uses, 0755);
  machine.AddFile("/app/other", other, 0755);
  machine.AddFile("/app/not-executable", uses, 0644);
  machine.AddFile("/app/libx.so.1", uses, 0755);
  machine.AddFile("/app/run.sh", "#!/bin/sh\nexec ./bin/train\n", 0755);
  Paths found = GpuPrograms(machine);
  std::ranges::sort(found);
  EXPECT_EQ(found, (Paths{"/app/bin/train", "/srv/a/b/serve", "/start", "/usr/local/bin/infer"}));
}

TEST(GpuPrograms, NotOfTheSystemNorOfToolkits) {
  system::MemorySystem machine;
  const std::string uses = Linked("libcudart.so.12");
  for (const char* path : {"/usr/bin/a", "/usr/local/cuda-12.4/bin/b", "/opt/nvidia/nsight/c", "/var/d",
                           "/opt/venv/lib/python3.12/site-packages/x/e", "/opt/hpcx/f"})
    machine.AddFile(path, uses, 0755);
  EXPECT_EQ(GpuPrograms(machine), Paths());
}

TEST(GpuPrograms, TheWorkingDirectoryCounts) {
  system::MemorySystem machine;
  machine.AddFile("/var/jobs/train", Linked("libcudnn.so.9"), 0755);
  EXPECT_EQ(GpuPrograms(machine), Paths());
  machine.SetWorkingDirectory("/var/jobs");
  EXPECT_EQ(GpuPrograms(machine), Paths{"/var/jobs/train"});
}

}  // namespace
}  // namespace culprit::collect
