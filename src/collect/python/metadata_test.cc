#include "collect/python/metadata.h"

#include <gtest/gtest.h>

#include "collect/python/text.h"

namespace culprit::collect {
namespace {

TEST(RecordName, TellsNameAndVersion) {
  EXPECT_EQ(ParseRecordName("torch-2.5.1+cu124.dist-info"), (PackageId{"torch", "2.5.1+cu124"}));
  EXPECT_EQ(ParseRecordName("nvidia_cudnn_cu12-9.1.0.70.dist-info"),
            (PackageId{"nvidia-cudnn-cu12", "9.1.0.70"}));
  EXPECT_EQ(ParseRecordName("horovod-0.28.1-py3.10.egg-info"), (PackageId{"horovod", "0.28.1"}));
  EXPECT_EQ(ParseRecordName("apex.egg-info"), (PackageId{"apex", ""}));
}

TEST(RecordName, LeftoversAndOtherFilesAreNone) {
  EXPECT_EQ(ParseRecordName("~orch-2.5.1.dist-info"), std::nullopt);
  EXPECT_EQ(ParseRecordName("torch"), std::nullopt);
  EXPECT_EQ(ParseRecordName(".dist-info"), std::nullopt);
  EXPECT_EQ(ParseRecordName(".egg-info"), std::nullopt);
}

TEST(RecordName, OfCondaEndsInVersionAndBuild) {
  EXPECT_EQ(ParseCondaRecordName("pytorch-cuda-12.4-hc786d27_7.json"), (PackageId{"pytorch-cuda", "12.4"}));
  EXPECT_EQ(ParseCondaRecordName("history"), std::nullopt);
  EXPECT_EQ(ParseCondaRecordName("state.json"), std::nullopt);
}

TEST(Metadata, EndsAtTheFirstEmptyLine) {
  const Metadata metadata = ParseMetadata(
      "Metadata-Version: 2.1\r\nName: Torch\r\nVersion: 2.5.1\r\n"
      "Requires-Dist: nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == \"Linux\"\r\n\r\n"
      "Requires-Dist: description\r\n");
  EXPECT_EQ(metadata.name, "torch");
  EXPECT_EQ(metadata.version, "2.5.1");
  ASSERT_EQ(metadata.requirements.size(), 1u);
  EXPECT_EQ(metadata.requirements[0].name, "nvidia-cudnn-cu12");
  EXPECT_EQ(metadata.requirements[0].specifier, "==9.1.0.70");
  EXPECT_EQ(metadata.requirements[0].marker, "platform_system == \"Linux\"");
}

TEST(Requirement, HasExtrasOfBothKinds) {
  const auto asks = ParseRequirement("cuda-toolkit[cublas,cudart]==13.2.2; platform_system == \"Linux\"");
  ASSERT_TRUE(asks);
  EXPECT_EQ(asks->extras, (std::vector<std::string>{"cublas", "cudart"}));
  EXPECT_EQ(asks->extra, "");
  const auto only =
      ParseRequirement("nvidia-cublas==13.4.1.3.*; (sys_platform == 'linux') and extra == 'cublas'");
  ASSERT_TRUE(only);
  EXPECT_EQ(only->extra, "cublas");
  EXPECT_EQ(only->specifier, "==13.4.1.3.*");
}

TEST(Requirement, KeepsSeveralClausesWithoutSpaces) {
  EXPECT_EQ(ParseRequirement("cuda-bindings<14, >=13.0.3")->specifier, "<14,>=13.0.3");
  EXPECT_EQ(ParseRequirement("torch @ https://example.org/torch.whl")->specifier, "");
  EXPECT_EQ(ParseRequirement(""), std::nullopt);
  EXPECT_EQ(ParseRequirement("torch[x"), std::nullopt);
}

TEST(Record, GivesSharedLibrariesOnly) {
  const auto lines = SharedLibrariesOf(
      "torch/__init__.py,sha256=a,10\n"
      "torch/lib/libtorch_cuda.so,sha256=b,520025889\n"
      "nvidia/cudnn/lib/libcudnn.so.9,sha256=c,104664\r\n"
      "torch/x.sources.json,sha256=d,4\n"
      "\"odd,name.so\",,\n"
      "torch/lib/libshm.solution.py,sha256=e,1");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].path, "torch/lib/libtorch_cuda.so");
  EXPECT_EQ(lines[0].size, 520025889u);
  EXPECT_EQ(lines[1].sha256, "c");
  EXPECT_EQ(lines[1].size, 104664u);
  EXPECT_EQ(lines[2].path, "odd,name.so");
  EXPECT_EQ(lines[2].size, std::nullopt);
}

TEST(PythonText, ReadsLiteralsAtTheStartOfALine) {
  const std::string text =
      "__version__ = '2.5.1+cu124'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n"
      "if x == 1:\n    cuda = 'inner'\nother = f(1)\ncuda_version = \"12.2\"";
  EXPECT_EQ(PythonAssignment(text, "__version__"), "2.5.1+cu124");
  EXPECT_EQ(PythonAssignment(text, "cuda"), "12.4");
  EXPECT_EQ(PythonAssignment(text, "hip"), "None");
  EXPECT_EQ(PythonAssignment(text, "other"), std::nullopt);
  EXPECT_EQ(PythonAssignment(text, "cuda_version"), "12.2");
  EXPECT_EQ(PythonAssignment("cuda = 'cut", "cuda"), std::nullopt);
}

TEST(PythonText, ReadsEntriesOfDictionariesAndPairs) {
  EXPECT_EQ(PythonEntry("OrderedDict({'cuda_version': '12.5.1', 'is_cuda_build': True})", "is_cuda_build"),
            "True");
  EXPECT_EQ(PythonEntry("OrderedDict([('cuda_version', '11.2'), ('x', 1)])", "cuda_version"), "11.2");
  EXPECT_EQ(PythonEntry("{'cuda_version': call()}", "cuda_version"), std::nullopt);
  EXPECT_EQ(PythonEntry("", "cuda_version"), std::nullopt);
}

}  // namespace
}  // namespace culprit::collect
