// What is read of Dockerfiles, compose files and manifests, and that hostile ones end in an error.
#include "collect/recipe/recipe.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace culprit::collect {
namespace {

// "stage 1 nvidia/cuda:12@1 | run 2: apt-get update | set 3: A B"
std::string Told(std::string_view text, const std::string& path = "Dockerfile") {
  const auto recipe = ParseRecipe(text, path);
  if (!recipe) return recipe.error().message;
  std::string told;
  for (const snapshot::RecipePart& part : recipe->parts) {
    told += (told.empty() ? "" : "\n") + part.name + " " + part.image + "@" + std::to_string(part.line);
    if (part.vague) told += " vague";
    if (part.from != 0) told += " from " + std::to_string(part.from);
    if (part.passing) told += " passing";
    for (const snapshot::RecipeStep& step : part.steps) {
      told += " | " + std::string(base::Word(step.kind)) + " " + std::to_string(step.line) + ":";
      for (const std::string& word : step.words) told += " " + word;
      if (step.may_fail) told += " (may fail)";
      if (step.device) told += " (device)";
    }
    for (const snapshot::GpuRequest& gpu : part.gpus) {
      told += " | " + std::string(base::Word(gpu.way)) + " " + std::to_string(gpu.line) + ": " + gpu.name +
              gpu.count;
      for (const std::string& name : gpu.capabilities) told += " " + name;
    }
  }
  return told;
}

TEST(Dockerfile, StagesVariablesAndLines) {
  EXPECT_EQ(
      Told("ARG V=12.4.1\n"
           "FROM nvidia/cuda:${V}-devel AS build\n"
           "ARG V\n"
           "ENV A=1 B=\"two words\" \\\n"
           "    P=/x:$P\n"
           "RUN set -eux; \\\n"
           "    # a comment\n"
           "    pip install torch==$V && \\\n"
           "    X=1 sudo nvcc a.cu || true\n"
           "FROM build\n"
           "COPY --from=build [\"a b\", \"/c/\"]\n"
           "CMD [\"python\", \"x.py\"]\n"),
      "stage build nvidia/cuda:12.4.1-devel@2 passing | set 4: A 1 | set 4: B two words | set 5: P /x:${P} | "
      "run 6: set -eux | run 8: pip install torch==12.4.1 | run 9: nvcc a.cu (may fail) | run 9: true\n"
      "stage 2 @10 from 1 | copy 11: a b /c/ | start 12: python x.py");
}

TEST(Dockerfile, HeredocsEscapesAndInnerShells) {
  EXPECT_EQ(
      Told(
          "FROM a\nRUN <<EOF\napt-get update\nnvidia-smi\nEOF\nRUN [\"bash\", \"-c\", \"ldconfig; true\"]\n"),
      "stage 1 a@1 | run 3: apt-get update | run 4: nvidia-smi | run 6: ldconfig | run 6: true");
  EXPECT_EQ(Told("# escape=`\nFROM a\nRUN dir `\n  c:\\x\n"), "stage 1 a@2 | run 3: dir c:x");
  EXPECT_EQ(Told("FROM ${WHO}/x:${TAG:-1}\n"), "stage 1 ${WHO}/x:1@1 vague");
  EXPECT_EQ(Told("FROM a\nRUN [\"echo\", \"it's; fine\"]\n"), "stage 1 a@1 | run 2: echo it's; fine");
  EXPECT_EQ(Told("FROM a\nRUN echo /x > /etc/y 2>&1\n"), "stage 1 a@1 | run 2: echo /x > /etc/y");
}

TEST(Dockerfile, OptionsOfRun) {
  EXPECT_EQ(Told("FROM a\nRUN --mount=type=cache,target=/x \\\n    --mount=type=secret,id=s \\\n    pip "
                 "install torch\n"),
            "stage 1 a@1 | run 4: pip install torch");
  EXPECT_EQ(
      Told("FROM a\nRUN --network=none --device=nvidia.com/gpu=all nvidia-smi && ls\nRUN ls --device=x\n"),
      "stage 1 a@1 | run 2: nvidia-smi (device) | run 2: ls (device) | run 3: ls --device=x");
}

TEST(Dockerfile, BrokenOnesAreErrors) {
  EXPECT_EQ(Told("RUN a\n"), "Dockerfile:1: neither FROM nor ARG: not a Dockerfile");
  EXPECT_EQ(Told("FROM\n"), "Dockerfile:1: FROM without an image");
  EXPECT_EQ(Told("# nothing\n"), "Dockerfile: a Dockerfile without FROM");
  EXPECT_EQ(Told("FROM a\nRUN \"unclosed\n"), "stage 1 a@1 | run 2: unclosed");
  EXPECT_EQ(Told("FROM a\nRUN x <<EOF\nnever closed\n"), "stage 1 a@1 | run 2: x never closed\n");
}

TEST(Dockerfile, ValuesDoNotExplode) {
  std::string text = "FROM a\nENV A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 60; ++i) text += "ENV A=$A$A$A$A\n";
  const auto recipe = ParseRecipe(text, "Dockerfile");
  ASSERT_TRUE(recipe);
  for (const snapshot::RecipeStep& step : recipe->parts.front().steps)
    EXPECT_LE(step.words.back().size(), 300'000u);
}

TEST(Compose, GpusMountsAndVariables) {
  EXPECT_EQ(Told("services:\n"
                 "  a:\n"
                 "    image: x/y:${TAG:-1}\n"
                 "    runtime: nvidia\n"
                 "    environment:\n"
                 "      - NVIDIA_VISIBLE_DEVICES=all\n"
                 "    devices: [/dev/nvidia0]\n"
                 "    deploy:\n"
                 "      resources:\n"
                 "        reservations:\n"
                 "          devices:\n"
                 "            - driver: nvidia\n"
                 "              capabilities: [[gpu]]\n",
                 "compose.yaml"),
            "service a x/y:1@3 | set 6: NVIDIA_VISIBLE_DEVICES all | device 7: /dev/nvidia0 | devices 12: "
            "nvidia gpu | "
            "runtime 4: nvidia");
}

TEST(Kubernetes, EveryPodIsFound) {
  EXPECT_EQ(
      Told("apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: n}\nspec: {jobTemplate: {spec: {template: "
           "{spec: "
           "{containers: [{name: c, image: i, command: [sh, -c, 'nvidia-smi; sleep 1'], resources: {limits: "
           "{nvidia.com/gpu: 2}}}]}}}}}\n---\napiVersion: v1\nkind: Service\n",
           "all.yaml"),
      "container c of CronJob n i@4 | start 4: nvidia-smi | start 4: sleep 1 | limit 4: nvidia.com/gpu2");
  EXPECT_EQ(Told("apiVersion: v1\nkind: Pod\nmetadata: {name: n}\nspec: {nodeSelector: {gpu: 'true', "
                 "tpu-gpu: none}, containers: "
                 "[{name: c, image: i}]}\n",
                 "pod.yaml"),
            "container c of Pod n i@4 | node 4: gputrue");
  EXPECT_TRUE(base::Contains(Told("a: 1\n", "a.yaml"),
                             "neither a compose file (no services) nor a Kubernetes manifest"));
}

TEST(Recipe, IsRecognized) {
  EXPECT_TRUE(LooksLikeRecipe("/x/Dockerfile.gpu", "FROM a"));
  EXPECT_TRUE(LooksLikeRecipe("/x/train.dockerfile", "FROM a"));
  EXPECT_TRUE(LooksLikeRecipe("/x/other", "# c\n\nFROM a\n"));
  EXPECT_TRUE(LooksLikeRecipe("/x/pod.json", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}"));
  EXPECT_FALSE(LooksLikeRecipe("/x/machine.json", "{\"schema\": \"culprit.snapshot/1\"}"));
  EXPECT_FALSE(LooksLikeRecipe("/x/run.sh", "#!/bin/sh\nFROM a\n"));
  EXPECT_FALSE(LooksLikeRecipe("/x/Dockerfile", std::string_view("\0x", 2)));
}

}  // namespace
}  // namespace culprit::collect
