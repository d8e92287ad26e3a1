// What the name of an image tells, and what it does not.
#include "knowledge/packages/images.h"

#include <gtest/gtest.h>

namespace culprit::knowledge {
namespace {

std::string Told(std::string_view name) {
  static constexpr const char* kHas[] = {"unknown", "nothing", "gpu", "cuda"};
  static constexpr const char* kFlavour[] = {"", " base", " runtime", " devel"};
  const ImageFacts facts = FactsOfImage(name);
  std::string told = kHas[static_cast<size_t>(facts.has)];
  if (!facts.cuda.empty()) told += " " + facts.cuda;
  if (!facts.cudnn.empty()) told += " cudnn " + facts.cudnn;
  if (!facts.framework_version.empty()) told += " " + facts.framework + " " + facts.framework_version;
  return told + kFlavour[static_cast<size_t>(facts.flavour)];
}

TEST(ImageName, IsTakenApart) {
  const ImageName name = ParseImageName("docker.io/nvidia/cuda:12.4.1-base@sha256:00");
  EXPECT_EQ(name.repository, "nvidia/cuda");
  EXPECT_EQ(name.tag, "12.4.1-base");
  EXPECT_TRUE(name.digest);
  EXPECT_EQ(ParseImageName("localhost:5000/a/b").repository, "localhost:5000/a/b");
  EXPECT_EQ(ParseImageName("library/python:3.11").repository, "python");
}

TEST(ImageFacts, TheTagTells) {
  EXPECT_EQ(Told("nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04"), "cuda 12.4.1 cudnn 9 runtime");
  EXPECT_EQ(Told("nvcr.io/nvidia/cuda:11.8.0-cudnn8-devel-ubuntu20.04"), "cuda 11.8.0 cudnn 8 devel");
  EXPECT_EQ(Told("nvidia/cuda:10.2-base"), "cuda 10.2 base");
  EXPECT_EQ(Told("pytorch/pytorch:2.4.0-cuda12.4-cudnn9-devel"), "cuda 12.4 cudnn 9 torch 2.4.0 devel");
  EXPECT_EQ(Told("tensorflow/tensorflow:2.15.0-gpu"), "cuda 12.2 tensorflow 2.15.0");
  EXPECT_EQ(Told("tensorflow/tensorflow:2.15.0"), "nothing tensorflow 2.15.0");
  EXPECT_EQ(Told("nvcr.io/nvidia/pytorch:24.05-py3"), "cuda 12.4.1 cudnn 9.1.0.70 devel");
  EXPECT_EQ(Told("nvcr.io/nvidia/pytorch:25.06-py3"), "cuda 12.9 devel");
  EXPECT_EQ(Told("nvcr.io/nvidia/cuda-dl-base:99.01-cuda14.1-runtime-ubuntu24.04"), "cuda 14.1 runtime");
  EXPECT_EQ(Told("vllm/vllm-openai:v0.6.6"), "gpu");
  EXPECT_EQ(Told("python:3.11-slim"), "nothing");
  EXPECT_EQ(Told("scratch"), "nothing");
}

TEST(ImageFacts, WhatNoRowKnowsIsUnknown) {
  EXPECT_EQ(Told("nvidia/cuda:latest"), "gpu");
  EXPECT_EQ(Told("pytorch/pytorch"), "gpu");
  EXPECT_EQ(Told("pytorch/pytorch:2.6.0-runtime"), "unknown torch 2.6.0 runtime");  // may be for the CPU
  EXPECT_EQ(Told("ghcr.io/huggingface/text-generation-inference:3.3.5"), "gpu");
  EXPECT_EQ(Told("ghcr.io/huggingface/text-generation-inference:3.3.5-rocm"), "unknown");
  EXPECT_EQ(Told("ghcr.io/huggingface/text-generation-inference:latest-intel-cpu"), "unknown");
  EXPECT_EQ(Told("lmsysorg/sglang:v0.5.5.post3-cu129-amd64"), "gpu");
  EXPECT_EQ(Told("lmsysorg/sglang:v0.5.5.post3-rocm700-mi30x"), "unknown");
  EXPECT_EQ(Told("lmsysorg/sglang:main-cann8.5.0-a3"), "unknown");
  EXPECT_EQ(Told("ghcr.io/somebody/model:1"), "unknown");
  EXPECT_EQ(Told("trainer:latest"), "unknown");  // somebody's own
  EXPECT_EQ(Told("nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3"), "gpu");
  EXPECT_EQ(Told("nvcr.io/nvidia/pytorch:24.05-py3-igpu"), "unknown devel");
  EXPECT_EQ(Told("nvcr.io/nvidia/pytorch:31.02-py3"), "gpu devel");
  EXPECT_EQ(Told(""), "unknown");
}

TEST(ImageFacts, WhatNvidiaCudaRequires) {
  const ImageFacts facts = FactsOfImage("nvidia/cuda:12.6.3-base-ubuntu24.04");
  ASSERT_NE(facts.requirement, nullptr);
  const std::string text = RequirementText(*facts.requirement);
  EXPECT_TRUE(
      text.starts_with("cuda>=12.6 brand=unknown,driver>=470,driver<471 brand=grid,driver>=470,driver<471 "))
      << text;
  EXPECT_EQ(text.find("geforce"), std::string::npos);
  EXPECT_EQ(RequirementText(*FactsOfImage("nvidia/cuda:11.4.3-base-ubuntu20.04").requirement), "cuda>=11.4");
  EXPECT_EQ(FactsOfImage("nvidia/cuda:12.4.0-base-ubuntu22.04").requirement, nullptr);
}

}  // namespace
}  // namespace culprit::knowledge
