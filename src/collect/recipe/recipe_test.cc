// What is read of Dockerfiles, compose files and manifests, and that hostile ones end in an error.
#include "collect/recipe/recipe.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

// "stage 1 nvidia/cuda:12@1 | run 2: apt-get update | set 3: A B"
std::string Told(const base::Result<snapshot::Recipe>& recipe) {
  if (!recipe) return recipe.error().message;
  std::string told;
  for (const snapshot::RecipePart& part : recipe->parts) {
    told += (told.empty() ? "" : "\n") + part.name + " " + part.image + "@" + std::to_string(part.line);
    if (part.vague) told += " vague";
    if (part.from != 0) told += " from " + std::to_string(part.from);
    if (part.passing) told += " passing";
    if (!part.build.empty()) told += " build " + part.build;
    if (!part.target.empty()) told += " target " + part.target;
    if (!part.shm_size.empty()) told += " shm " + part.shm_size;
    if (part.open) told += " open";
    for (const snapshot::RecipeStep& step : part.steps) {
      told += " | " + std::string(base::Word(step.kind)) + " " + std::to_string(step.line) + ":";
      for (const std::string& word : step.words) told += " " + word;
      if (step.may_fail) told += " (may fail)";
      if (step.device) told += " (device)";
      if (step.from != 0) told += " from " + std::to_string(step.from);
      if (step.conditional) told += " (conditional)";
      for (const std::string& variable : step.variables) told += " with " + variable;
    }
    for (const snapshot::GpuRequest& gpu : part.gpus) {
      told += " | " + std::string(base::Word(gpu.way)) + " " + std::to_string(gpu.line) + ": " + gpu.name +
              gpu.count;
      for (const std::string& name : gpu.capabilities) told += " " + name;
    }
  }
  for (const auto& [what, why] : recipe->unread) told += "\n? " + what + ": " + why;
  return told;
}
std::string Told(std::string_view text, const std::string& path = "Dockerfile") {
  return Told(ParseRecipe(text, path));
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
      "run 6: set -eux | run 8: pip install torch==12.4.1 | run 9: nvcc a.cu (may fail) with X=1 | "
      "run 9: true (conditional)\n"
      "stage 2 @10 from 1 | copy 11: a b /c/ from 1 | start 12: python x.py");
}

TEST(Dockerfile, HeredocsEscapesAndInnerShells) {
  EXPECT_EQ(
      Told(
          "FROM a\nRUN <<EOF\napt-get update\nnvidia-smi\nEOF\nRUN [\"bash\", \"-c\", \"ldconfig; true\"]\n"),
      "stage 1 a@1 | run 3: apt-get update (may fail) | run 4: nvidia-smi | run 6: ldconfig (may fail) | "
      "run 6: true");
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
  EXPECT_EQ(Told("RUN a\n"), "Dockerfile:1: not a Dockerfile: expected FROM or ARG");
  EXPECT_EQ(Told("FROM\n"), "Dockerfile:1: FROM without an image");
  EXPECT_EQ(Told("# nothing\n"), "Dockerfile: a Dockerfile without FROM");
  EXPECT_EQ(Told("FROM a\nRUN \"unclosed\n"), "stage 1 a@1 | run 2: unclosed");
  EXPECT_EQ(Told("FROM a\nRUN x <<EOF\nnever closed\n"), "Dockerfile:2: no line EOF ends the heredoc");
}

TEST(Dockerfile, ShiftsAreNoHeredocs) {
  EXPECT_EQ(Told("FROM a\nRUN echo $((1<<20))\nRUN python3 -c \"x = 1 <<20\"\nRUN nvcc a.cu\n"),
            "stage 1 a@1 | run 2: echo $((1<<20)) | run 3: python3 -c x = 1 <<20 | run 4: nvcc a.cu");
  EXPECT_EQ(Told("FROM a\nRUN cat <<-END > /x\n\ta\n\tEND\nRUN b\n"),
            "stage 1 a@1 | run 2: cat > /x \ta\n | run 5: b");
}

TEST(Dockerfile, BranchesMayNeverRun) {
  EXPECT_EQ(Told("FROM a\nRUN if command -v x; then nvidia-smi; else pip install b; fi; ldconfig\n"),
            "stage 1 a@1 | run 2: command -v x (may fail) (conditional) | run 2: nvidia-smi (may fail) "
            "(conditional) | run 2: pip install b (may fail) (conditional) | run 2: ldconfig");
  EXPECT_EQ(Told("FROM a\nRUN case $X in \\\n cu*) pip install a ;; \\\n *) pip install b ;; esac && c\n"),
            "stage 1 a@1 | run 3: pip install a (may fail) (conditional) | run 4: pip install b (may fail) "
            "(conditional) | run 4: c");
  EXPECT_EQ(Told("FROM a\nRUN for i in 1 2; do b; done\nRUN c\n"),
            "stage 1 a@1 | run 2: b (conditional) | run 3: c");
}

TEST(Dockerfile, WhatMayFail) {
  EXPECT_EQ(Told("FROM a\nRUN nvidia-smi || echo no; exit 0\n"),
            "stage 1 a@1 | run 2: nvidia-smi (may fail) | run 2: echo no (may fail) (conditional) | run 2: "
            "exit 0");
  EXPECT_EQ(Told("FROM a\nRUN (b && c) || true\n"),
            "stage 1 a@1 | run 2: b (may fail) | run 2: c (may fail) | run 2: true (conditional)");
  EXPECT_EQ(Told("FROM a\nRUN set -e; b; c\n"), "stage 1 a@1 | run 2: set -e | run 2: b | run 2: c");
  EXPECT_EQ(Told("FROM a\nSHELL [\"bash\", \"-ec\"]\nRUN b; c\n"), "stage 1 a@1 | run 3: b | run 3: c");
  EXPECT_EQ(Told("FROM a\nRUN bash -ec 'b; c' || true\n"),
            "stage 1 a@1 | run 2: b (may fail) | run 2: c (may fail) | run 2: true (conditional)");
}

TEST(Dockerfile, WordsBeforeACommand) {
  EXPECT_EQ(Told("FROM a\nRUN sudo -H -u root pip install b && env -i A=1 c\n"),
            "stage 1 a@1 | run 2: pip install b | run 2: c with A=1");
}

TEST(Dockerfile, WhichValueCounts) {
  EXPECT_EQ(Told("FROM a\nARG T=2\nRUN T=1 && pip install torch==${T}\nRUN pip install torch==$T\n"),
            "stage 1 a@1 | run 3: pip install torch==1 | run 4: pip install torch==2");
  EXPECT_EQ(Told("FROM a\nRUN export PIP_INDEX_URL=u && pip install x\n"),
            "stage 1 a@1 | run 2: export PIP_INDEX_URL=u | run 2: pip install x with PIP_INDEX_URL=u");
  EXPECT_EQ(Told("FROM a\nENV P=/a\nRUN b $P && P=/c:$P && b $P\n"),
            "stage 1 a@1 | set 2: P /a | run 3: b /a | run 3: b /c:/a");
  EXPECT_EQ(Told("FROM a\nENV T=2\nARG T=1\nRUN x $T\n"), "stage 1 a@1 | set 2: T 2 | run 4: x 2");
  const std::string text = "ARG C=13\nFROM n:${C}\nARG C\nRUN x $C\n";
  EXPECT_EQ(Told(ParseDockerfile(text, "Dockerfile", {{"C", "11"}, {"D", "1"}})),
            "stage 1 n:11@2 | run 4: x 11");
  EXPECT_EQ(Told(ParseDockerfile(text, "Dockerfile", {{"C", "${C}"}})),
            "stage 1 n:${C}@2 vague | run 4: x ${C}");
}

TEST(Recipe, SecretsAreHidden) {
  const std::string told =
      Told(
          "FROM a\n"
          "ENV HF_TOKEN=geheim1x4567 PIP_EXTRA_INDEX_URL=https://bob:geheim2x4567@x.org/whl/cu118\n"
          "RUN b --api-key geheim3x4567 --extra-index-url https://bob:geheim4x4567@x.org/simple\n"
          "RUN DB_PASSWORD=geheim5x4567 b\n") +
      Told("services:\n  a:\n    image: x\n    environment: {DB_PASSWORD: geheim6x4567}\n", "compose.yaml");
  EXPECT_FALSE(base::Contains(told, "geheim")) << told;
  EXPECT_TRUE(base::Contains(told, "x.org/whl/cu118")) << told;
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

TEST(Compose, ServicesThatExtendOthers) {
  EXPECT_EQ(
      Told("services:\n"
           "  b:\n"
           "    image: x\n"
           "    gpus: all\n"
           "    environment: {A: 1}\n"
           "  w:\n"
           "    extends: b\n"
           "    image: y\n"
           "    environment: [A=2]\n",
           "compose.yaml"),
      "service b x@3 | set 5: A 1 | gpus 4: all\nservice w y@8 | set 5: A 1 | set 9: A 2 | gpus 4: all");
  EXPECT_EQ(Told("services:\n  w:\n    extends: {file: g.yaml, service: g}\n    image: y\n", "compose.yaml"),
            "service w y@4 open\n? the service that service w extends: defined outside compose.yaml");
  EXPECT_EQ(Told("services:\n  w:\n    extends: w\n", "compose.yaml"),
            "service w @2 open\n? the service that service w extends: too many levels of extends");
}

TEST(Compose, Builds) {
  EXPECT_EQ(Told("services: {a: {build: {context: d, target: t}}}\n", "compose.yaml"),
            "service a @1 build d/Dockerfile target t");
  EXPECT_EQ(Told("services:\n"
                 "  a:\n"
                 "    gpus: all\n"
                 "    build:\n"
                 "      target: t\n"
                 "      dockerfile_inline: |\n"
                 "        FROM x AS t\n"
                 "        RUN b\n"
                 "        FROM y\n",
                 "compose.yaml"),
            "stage t of service a x@7 passing | run 8: b\nstage 2 of service a y@9 passing\n"
            "service a @2 from 1 target t | gpus 3: all");
  EXPECT_EQ(Told("services:\n  a:\n    build: https://x.org/y.git\n", "compose.yaml"),
            "service a @2 open\n? the build of service a: defined outside compose.yaml");
  EXPECT_EQ(Told("services:\n  a:\n    build: ${WHERE}\n", "compose.yaml"),
            "service a @2 open\n? the build of service a: it uses an unknown variable");
}

TEST(Compose, SharedMemory) {
  EXPECT_EQ(Told("services:\n"
                 "  a: {image: x, volumes: ['/dev/shm:/dev/shm/']}\n"
                 "  b: {image: x, tmpfs: ['/dev/shm:mode=1777,size=8g']}\n"
                 "  c: {image: x, ipc: 'service:d'}\n"
                 "  d: {image: x, shm_size: 4g}\n",
                 "compose.yaml"),
            "service a x@2 shm host | mount 2: /dev/shm /dev/shm/\nservice b x@3 shm 8g\n"
            "service c x@4 shm 4g\nservice d x@5 shm 4g");
}

TEST(Compose, GpusAsAListOrNothing) {
  EXPECT_EQ(Told("services:\n"
                 "  a: {image: x, gpus: [{driver: nvidia, count: 1}]}\n"
                 "  b: {image: x, gpus: null, runtime: null}\n",
                 "compose.yaml"),
            "service a x@2 | devices 2: nvidia1 gpu\nservice b x@3");
}

// The Dockerfile with the arguments of the service; a second service with others is open.
TEST(Compose, ArgumentsOfBuilds) {
  system::MemorySystem system;
  system.AddFile("/w/compose.yaml",
                 "services:\n"
                 "  a: {build: {context: ., args: [C=11]}}\n"
                 "  b: {build: {context: ., args: {C: 12}}}\n"
                 "  c: {build: {context: ., args: {C: 11, UID: 5}}}\n");
  system.AddFile("/w/Dockerfile", "ARG C=13\nFROM n:${C}\n");
  const auto recipes = CollectRecipes(
      {.system = system, .working_directory = "/w", .recipes = {"compose.yaml", "./compose.yaml"}});
  ASSERT_TRUE(recipes);
  ASSERT_EQ(recipes->size(), 2u);
  EXPECT_EQ(
      Told(recipes->front()),
      "service a @2 build Dockerfile\nservice b @3 build Dockerfile open\nservice c @4 build Dockerfile");
  EXPECT_EQ(Told(recipes->back()), "stage 1 n:11@2");
}

TEST(Recipe, TooLargeIsSaid) {
  system::MemorySystem system;
  system.AddFile("/w/Dockerfile", std::string(kRecipeLimit + 1, 'x'));
  const auto recipes =
      CollectRecipes({.system = system, .working_directory = "/w", .recipes = {"Dockerfile"}});
  EXPECT_FALSE(recipes);
  EXPECT_EQ(recipes.why, "Dockerfile: larger than 4 MiB, too large for a recipe");
}

TEST(Recipe, TemplatesOfHelmAreNamed) {
  EXPECT_TRUE(Told("a: {{ .Values.x }}: b\n", "a.yaml").ends_with("helm template CHART | culprit check -"));
}

TEST(Kubernetes, SingleContainersAndPatches) {
  EXPECT_EQ(
      Told("apiVersion: v1\nkind: Workflow\nmetadata: {name: w}\n"
           "spec: {templates: [{name: t, container: {image: i, resources: {limits: {nvidia.com/gpu: 1}}}}, "
           "{name: s, script: {image: j, command: [bash], source: nvidia-smi}}]}\n",
           "w.yaml"),
      "container t of Workflow w i@4 | limit 4: nvidia.com/gpu1\n"
      "container s of Workflow w j@4 | start 4: nvidia-smi");
  EXPECT_EQ(Told("apiVersion: v1\nkind: Pod\nmetadata: {name: w}\n"
                 "spec: {ephemeralContainers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}\n",
                 "w.yaml"),
            "container c of Pod w @4 open | request 4: nvidia.com/gpu1\n? the image of container c of Pod w: "
            "defined outside w.yaml");
}

TEST(Kubernetes, ContainersThatAControllerMakes) {
  EXPECT_EQ(
      Told("apiVersion: v1\nkind: InferenceService\nmetadata: {name: w}\n"
           "spec: {predictor: {model: {resources: {requests: {nvidia.com/gpu: 1}}}}}\n---\n"
           "apiVersion: v1\nkind: PersistentVolumeClaim\nspec: {resources: {requests: {storage: 1Gi}}}\n",
           "w.yaml"),
      "container of InferenceService w @4 open | request 4: nvidia.com/gpu1\n? the image of container of "
      "InferenceService w: defined outside w.yaml");
}

TEST(Kubernetes, ClaimsNodesAndProbes) {
  EXPECT_EQ(
      Told("apiVersion: v1\nkind: Pod\nmetadata: {name: w}\nspec:\n"
           "  resourceClaims: [{name: gpu}]\n"
           "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
           "[{matchExpressions: [{key: gpu, operator: Exists}, {key: gpu, operator: NotIn, values: "
           "[a]}]}]}}}\n"
           "  containers:\n"
           "  - name: c\n    image: i\n    resources: {claims: [{name: gpu}]}\n"
           "    livenessProbe: {exec: {command: [sh, -c, 'nvidia-smi -L; true']}}\n",
           "w.yaml"),
      "container c of Pod w i@9 | health 11: nvidia-smi -L (may fail) | health 11: true | claim 10: gpu | "
      "node 6: gpu");
}

TEST(Kubernetes, TheLastOfManyIsNamed) {
  std::string text = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n";
  for (int i = 0; i < 1002; ++i) text += "  - {name: c, image: i}\n";
  const auto recipe = ParseRecipe(text, "w.yaml");
  ASSERT_TRUE(recipe);
  EXPECT_EQ(recipe->parts.size(), 1000u);
  EXPECT_EQ(recipe->unread, std::vector<snapshot::RecipeGap>(
                                {{"containers after the first 1000", "w.yaml has more than is read"}}));
}

TEST(Kubernetes, EveryPodIsFound) {
  EXPECT_EQ(
      Told("apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: n}\nspec: {jobTemplate: {spec: {template: "
           "{spec: "
           "{containers: [{name: c, image: i, command: [sh, -c, 'nvidia-smi; sleep 1'], resources: {limits: "
           "{nvidia.com/gpu: 2}}}]}}}}}\n---\napiVersion: v1\nkind: Service\n",
           "all.yaml"),
      "container c of CronJob n i@4 | start 4: nvidia-smi (may fail) | start 4: sleep 1 | limit 4: "
      "nvidia.com/gpu2");
  EXPECT_EQ(Told("apiVersion: v1\nkind: Pod\nmetadata: {name: n}\nspec: {nodeSelector: {gpu: 'true', "
                 "tpu-gpu: none}, containers: "
                 "[{name: c, image: i}]}\n",
                 "pod.yaml"),
            "container c of Pod n i@4 | node 4: gputrue");
  EXPECT_TRUE(base::Contains(Told("a: 1\n", "a.yaml"),
                             "neither a compose file (no services) nor a Kubernetes manifest"));
}

TEST(Compose, HealthVariablesOfTheShellAndLists) {
  EXPECT_EQ(Told("services:\n"
                 "  a: {image: i, environment: [X, Y=], healthcheck: {test: [CMD, nvidia-smi, -L]}}\n"
                 "  b: {image: i, environment: {X: , Y: ''}, healthcheck: {test: nvidia-smi || exit 1}}\n"
                 "  c: {image: i, healthcheck: {disable: true}, gpus: 2}\n"
                 "  d: {image: i, healthcheck: {test: [NONE]}}\n",
                 "compose.yaml"),
            "service a i@2 | set 2: X ${X} | set 2: Y  | health 2: nvidia-smi -L\n"
            "service b i@3 | set 3: X ${X} | set 3: Y  | health 3: nvidia-smi (may fail) | health 3: exit 1 "
            "(conditional)\n"
            "service c i@4 | health 4: NONE | gpus 4: 2\n"
            "service d i@5 | health 5: NONE");
  const auto recipe = ParseRecipe("services: {a: {image: i, environment: [X]}}\n", "compose.yaml");
  ASSERT_TRUE(recipe);
  EXPECT_TRUE(recipe->parts.front().steps.front().vague);
}

TEST(Dockerfile, StagesThatAreCopiedFrom) {
  EXPECT_EQ(
      Told("FROM a AS one\nFROM b\nFROM c\nCOPY --chown=1:1 --from=ONE /x /y\nCOPY --from=1 /x /y\n"
           "COPY --from=2 /x /y\nCOPY --from=d:1 /x /y\nADD x /y\n"),
      "stage one a@1 passing\nstage 2 b@2 passing\nstage 3 c@3 | copy 4: /x /y from 1 | copy 5: /x /y from "
      "2 | copy 6: /x /y | copy 7: /x /y | copy 8: x /y");
}

TEST(Dockerfile, HealthAndShellsThatAreStarted) {
  EXPECT_EQ(Told("FROM a\nHEALTHCHECK --interval=3s \\\n  CMD nvidia-smi\nCMD [\"bash\", \"-c\", "
                 "\"nvidia-smi -L\"]\n"),
            "stage 1 a@1 | health 3: nvidia-smi | start 4: nvidia-smi -L");
  EXPECT_EQ(Told("FROM a\nHEALTHCHECK NONE\n"), "stage 1 a@1 | health 2: NONE");
  EXPECT_EQ(Told("FROM a\nHEALTHCHECK\nHEALTHCHECK --x\nHEALTHCHECK CMD\n"), "stage 1 a@1");
}

TEST(Recipe, OfAStreamIsRecognizedByItsText) {
  EXPECT_EQ(Told("# c\nFROM a\n", "-"), "stage 1 a@2");
  EXPECT_EQ(Told("services: {a: {image: i}}\n", "-"), "service a i@1");
  EXPECT_EQ(
      Told("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"spec\": {\"containers\": [{\"image\": \"i\"}]}}",
           "-"),
      "container i@1");
  EXPECT_TRUE(base::Contains(Told("hello\n", "-"), "neither a Dockerfile (no FROM), nor a compose file"));
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
