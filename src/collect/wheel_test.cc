// Wheels made by Python's zipfile, which need not be well-behaved, on a machine made up in memory.
#include "collect/wheel.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "binfmt/testing/host.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using base::PathError;
using system::FileType;

constexpr const char* kWheel = "/srv/torch-2.6.0-cp312-cp312-linux_x86_64.whl";

std::string At(const std::string& name) { return std::string(kWheel) + "/" + name; }

class WheelTest : public testing::Test {
 protected:
  WheelTest() {
    machine_->AddFile("/srv/beside.txt", "of the machine");
    machine_->AddFile(std::string(kWheel) + "x", "another name that begins so");
  }

  // Python that fills the archive `z`; gives its bytes.
  std::string Make(const std::string& body) {
    std::string bytes = binfmt::testing::ZipMadeBy(
        "import zipfile\nwith zipfile.ZipFile('out.zip', 'w', zipfile.ZIP_DEFLATED) as z:\n" + body,
        directory_);
    EXPECT_FALSE(bytes.empty());
    return bytes;
  }
  base::Result<std::unique_ptr<system::System>> Put(const std::string& bytes) {
    machine_->AddFile(kWheel, bytes);
    return WheelSystem(machine_, kWheel);
  }
  std::unique_ptr<system::System> MakeTorch() {
    auto wheel = Put(Make(R"py(
    z.writestr('torch-2.6.0.dist-info/METADATA', 'Name: torch\n\n')
    z.writestr('torch/', '')
    z.writestr('torch/__init__.py', 'import os\n' * 100)
    z.writestr('torch/lib/libtorch.so', 'code')
    z.writestr('torch-2.6.0.data/purelib/functorch/__init__.py', 'pure')
    z.writestr('torch-2.6.0.data/platlib/torch/lib/more.so', 'plat')
    z.writestr('torch-2.6.0.data/scripts/torchrun', '#!python')
    z.writestr('torch-2.6.0.data/headers/torch.h', '//')
    z.writestr('../climbed.txt', 'no')
    z.writestr('torch/../../climbed2.txt', 'no')
    z.writestr('/etc/passwd', 'no')
    z.writestr('torch/lib/../inner.txt', 'no')
)py"));
    if (!wheel) {
      ADD_FAILURE() << wheel.error().message;
      return nullptr;
    }
    return std::move(*wheel);
  }

  binfmt::testing::TemporaryDirectory directory_;
  std::shared_ptr<system::MemorySystem> machine_ = std::make_shared<system::MemorySystem>();
};

std::string TextOf(const system::System& system, const std::string& path) {
  const auto text = system::ReadWholeFile(system, path, 1 << 20);
  return text ? *text : "error: " + std::string(base::Strerror(text.error()));
}

std::vector<std::string> Names(const system::System& system, const std::string& path) {
  std::vector<std::string> names;
  const auto entries = system.List(path);
  if (!entries) return {"error: " + std::string(base::Strerror(entries.error()))};
  for (const auto& entry : *entries)
    names.push_back(entry.name + (entry.type == FileType::kDirectory ? "/" : ""));
  return names;
}

TEST_F(WheelTest, TheWheelIsADirectoryOfWhatPipWouldInstall) {
  const auto wheel = MakeTorch();
  ASSERT_NE(wheel, nullptr);
  EXPECT_EQ(Names(*wheel, kWheel),
            (std::vector<std::string>{"functorch/", "torch/", "torch-2.6.0.dist-info/"}));
  EXPECT_EQ(Names(*wheel, At("torch")), (std::vector<std::string>{"__init__.py", "lib/"}));
  EXPECT_EQ(Names(*wheel, At("torch/lib/")), (std::vector<std::string>{"libtorch.so", "more.so"}));
  EXPECT_EQ(TextOf(*wheel, At("torch/__init__.py")).size(), 1000u);
  EXPECT_EQ(TextOf(*wheel, At("torch/lib/more.so")), "plat");
  EXPECT_EQ(TextOf(*wheel, At("functorch/__init__.py")), "pure");
}

TEST_F(WheelTest, AMemberCanBeReadAfterTheSystemIsGone) {
  auto wheel = MakeTorch();
  ASSERT_NE(wheel, nullptr);
  const auto file = wheel->Open(At("torch/lib/libtorch.so"));
  ASSERT_TRUE(file && file->bytes);
  wheel.reset();
  std::string text(4, '\0');
  EXPECT_EQ(file->bytes->ReadAt(0, std::as_writable_bytes(std::span(text))), 4u);
  EXPECT_EQ(text, "code");
}

TEST_F(WheelTest, StatusSaysTypeSizeAndIdentity) {
  const auto wheel = MakeTorch();
  ASSERT_NE(wheel, nullptr);
  EXPECT_EQ(wheel->Stat(kWheel)->type, FileType::kDirectory);
  const auto file = wheel->Stat(At("torch/lib/libtorch.so"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->type, FileType::kRegular);
  EXPECT_EQ(file->size, 4u);
  EXPECT_EQ(file->inode, wheel->LinkStat(At("torch/../torch/lib/./libtorch.so"))->inode);
  EXPECT_NE(file->inode, wheel->Stat(At("torch/lib/more.so"))->inode);
  EXPECT_NE(file->device, wheel->Stat("/srv/beside.txt")->device);
  const auto directory = wheel->Open(At("torch"));
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->bytes, nullptr);
}

TEST_F(WheelTest, PathsEndAsThoseOfLinuxWould) {
  const auto wheel = MakeTorch();
  ASSERT_NE(wheel, nullptr);
  EXPECT_EQ(wheel->Open(At("none")).error(), PathError::kNoEntry);
  EXPECT_EQ(wheel->Stat(At("torch/__init__.py/x")).error(), PathError::kNotDirectory);
  EXPECT_EQ(wheel->List(At("torch/__init__.py")).error(), PathError::kNotDirectory);
  EXPECT_EQ(wheel->List(At("torch/none")).error(), PathError::kNoEntry);
  EXPECT_EQ(wheel->ReadLink(At("torch")).error(), PathError::kOther);
  EXPECT_EQ(wheel->ReadLink(At("none")).error(), PathError::kNoEntry);
  EXPECT_TRUE(wheel->Access(At("torch/lib/libtorch.so"), system::Rights::kRead));
  EXPECT_EQ(wheel->Access(At("torch/lib/none.so"), system::Rights::kRead).error(), PathError::kNoEntry);
}

TEST_F(WheelTest, DotsInsideAreResolved) {
  const auto wheel = MakeTorch();
  ASSERT_NE(wheel, nullptr);
  EXPECT_EQ(wheel->RealPath(At("torch/lib/../../functorch/__init__.py")), At("functorch/__init__.py"));
  EXPECT_EQ(wheel->RealPath(At("torch/..")), kWheel);
  EXPECT_EQ(wheel->RealPath(At("torch//lib/.")), At("torch/lib"));
  EXPECT_EQ(wheel->RealPath(At("none/x")).error(), PathError::kNoEntry);
}

TEST_F(WheelTest, ScriptsHeadersAndNamesThatClimbOutAreNotThere) {
  const auto wheel = MakeTorch();
  ASSERT_NE(wheel, nullptr);
  for (const char* name : {"torch-2.6.0.data", "torch-2.6.0.data/scripts/torchrun", "torchrun", "torch.h",
                           "climbed.txt", "climbed2.txt", "torch/inner.txt", "etc/passwd", "passwd"}) {
    EXPECT_FALSE(wheel->Stat(At(name))) << name;
  }
  for (const char* path : {"/srv/climbed.txt", "/srv/climbed2.txt", "/etc/passwd"}) {
    EXPECT_FALSE(wheel->Stat(path)) << path;
  }
}

TEST_F(WheelTest, AllElseIsTheMachine) {
  machine_->SetEnvironment({{"HOME", "/root"}});
  machine_->SetWorkingDirectory("/srv");
  const auto wheel = MakeTorch();
  ASSERT_NE(wheel, nullptr);
  EXPECT_EQ(TextOf(*wheel, "/srv/beside.txt"), "of the machine");
  EXPECT_EQ(TextOf(*wheel, std::string(kWheel) + "x"), "another name that begins so");
  EXPECT_EQ(TextOf(*wheel, At("../beside.txt")), "of the machine");
  EXPECT_EQ(TextOf(*wheel, At("torch/lib/../../../beside.txt")), "of the machine");
  EXPECT_EQ(wheel->RealPath(At("../beside.txt")), "/srv/beside.txt");
  EXPECT_EQ(wheel->RealPath(At("./../" + std::string(base::BaseName(kWheel)) + "/torch")), At("torch"));
  EXPECT_FALSE(wheel->Stat(At("../../../../../none")));
  EXPECT_EQ(wheel->Environment().at("HOME"), "/root");
  EXPECT_EQ(wheel->WorkingDirectory(), "/srv");
}

TEST_F(WheelTest, AnArchiveWithoutDistInfoIsNoWheel) {
  const auto wheel = Put(Make("    z.writestr('a.txt', 'x')\n"));
  ASSERT_FALSE(wheel);
  EXPECT_EQ(wheel.error().message, std::string(kWheel) + ": an archive, but not a wheel");
}

TEST_F(WheelTest, WhatIsNoArchiveIsRefused) {
  EXPECT_EQ(WheelSystem(machine_, "/srv/none.whl").error().message,
            "/srv/none.whl: " + std::string(base::Strerror(PathError::kNoEntry)));
  EXPECT_EQ(WheelSystem(machine_, "/srv").error().message, "/srv: not a regular file");
  const auto empty = Put("");
  ASSERT_FALSE(empty);
  EXPECT_TRUE(empty.error().message.starts_with(std::string(kWheel) + ": ")) << empty.error().message;
}

TEST_F(WheelTest, AnArchiveThatIsCutShortIsRefused) {
  const std::string whole = Make("    z.writestr('a-1.dist-info/METADATA', 'Name: a\\n\\n' * 50)\n");
  const auto wheel = Put(whole.substr(0, whole.size() - 30));
  ASSERT_FALSE(wheel);
  EXPECT_EQ(wheel.error().message, std::string(kWheel) + ": no end record: not an archive, or truncated");
}

TEST_F(WheelTest, AMemberThatIsDamagedCannotBeReadButTheOthersCan) {
  std::string bytes = Make(R"py(
    z.writestr('a-1.dist-info/METADATA', 'Name: a\n\n')
    z.writestr('a/bad.so', bytes(range(256)) * 8)
)py");
  const size_t name = bytes.find("a/bad.so");
  ASSERT_NE(name, std::string::npos);
  for (size_t i = 0; i < 40; ++i) bytes[name + 8 + i] = '\xff';  // the start of its compressed bytes
  const auto wheel = Put(bytes);
  ASSERT_TRUE(wheel) << wheel.error().message;
  EXPECT_TRUE(TextOf(**wheel, At("a/bad.so")).starts_with("error: "));
  EXPECT_EQ(TextOf(**wheel, At("a-1.dist-info/METADATA")), "Name: a\n\n");
}

// Nothing is kept for each level of a name: these would take gigabytes.
TEST_F(WheelTest, DeepNamesCostNoMoreThanTheirLetters) {
  const auto wheel = Put(Make(R"py(
    z.writestr('deep-1.dist-info/METADATA', 'Name: deep\n\n')
    z.writestr('a-b.txt', 'beside')
    for i in range(12): z.writestr('a/%d' % i + '/a' * 30000, 'deep')
)py"));
  ASSERT_TRUE(wheel) << wheel.error().message;
  EXPECT_EQ((*wheel)->List(At(""))->size(), 3u);
  EXPECT_EQ((*wheel)->List(At("a"))->size(), 12u);
  EXPECT_EQ((*wheel)->Stat(At("a/3/a/a"))->type, FileType::kDirectory);
}

}  // namespace
}  // namespace culprit::collect
