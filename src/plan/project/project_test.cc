// ReadProject: each kind of file, the bounds, and hostile ones. Files are texts in memory.
#include "plan/project/project.h"

#include <gtest/gtest.h>

#include <map>

#include "tree/tree.h"

namespace culprit::plan {
namespace {

using Files = std::map<std::string, std::string>;

base::Result<Project> Read(const Files& files, const std::string& first, ProjectChoice choice = {}) {
  if (choice.facts.python.empty()) choice.facts = {.python = "3.12", .cpu = "x86_64"};
  return ReadProject({first}, choice, [&](const std::string& path, uint64_t) -> base::Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return base::Fail(base::ErrorCode::kNotFound, path + ": no such file");
    return found->second;
  });
}

// "numpy<2@r.txt:3"
std::string Texts(const std::vector<Dependency>& dependencies) {
  std::string text;
  for (const Dependency& one : dependencies)
    text += (text.empty() ? "" : " | ") + std::string(one.editable ? "-e " : "") + one.text + "@" +
            one.origin.file + ":" + std::to_string(one.origin.line);
  return text;
}
std::string Texts(const Files& files, const std::string& first, ProjectChoice choice = {}) {
  const auto project = Read(files, first, std::move(choice));
  return project ? Texts(project->dependencies) : project.error().message;
}

TEST(RequirementsFile, LinesCommentsContinuationsAndMarkers) {
  EXPECT_EQ(Texts({{"r.txt",
                    "\xEF\xBB\xBF# first\n"
                    "\n"
                    "torch==2.4.* # why\r\n"
                    "numpy \\\n"
                    "  <2\n"
                    "# between \\\n"
                    "pywin32 ; sys_platform == 'win32'\n"}},
                  "r.txt"),
            "torch==2.4.*@r.txt:3 | numpy    <2@r.txt:4");
}

TEST(RequirementsFile, OptionsIncludesAndConstraints) {
  const auto project = Read({{"d/r.txt",
                              "-i https://me:secret@host/simple\n"
                              "--extra-index-url=https://download.pytorch.org/whl/cu118\n"
                              "-f 'https://host/links'\n"
                              "--pre\n"
                              "-r sub/more.txt\n"
                              "-c../c.txt\n"
                              "-e .\n"
                              "-e src/thing\n"
                              "x==1 --hash=sha256:00 \\\n --hash=sha256:01\n"
                              "--strange thing\n"},
                             {"d/sub/more.txt", "einops\n"},
                             {"d/../c.txt", "torch<2.5\n"}},
                            "d/r.txt");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(Texts(project->dependencies),
            "einops@d/sub/more.txt:1 | -e .@d/r.txt:7 | -e src/thing@d/r.txt:8 | x==1@d/r.txt:9");
  EXPECT_EQ(Texts(project->constraints), "torch<2.5@d/../c.txt:1");
  ASSERT_EQ(project->indexes.size(), 3u);
  EXPECT_EQ(project->indexes[0].address, "https://host/simple");
  EXPECT_EQ(project->indexes[1].kind, IndexKind::kExtraIndex);
  EXPECT_EQ(project->indexes[2].address, "https://host/links");
  EXPECT_EQ(project->flags, std::vector<std::string>{"--pre"});
  ASSERT_EQ(project->notes.size(), 3u);  // the login, the hashes, the option
  for (const std::string& note : project->notes) EXPECT_EQ(note.find("secret"), std::string::npos) << note;
}

TEST(RequirementsFile, HostileFilesAreErrorsWithTheirPlace) {
  EXPECT_EQ(Texts({{"a", "-r b\n"}, {"b", "\n-r a\n"}}, "a"), "b:2: a includes itself");
  EXPECT_EQ(Texts({{"a", "-r missing.txt\n"}}, "a"), "a:1: missing.txt: no such file");
  EXPECT_EQ(Texts({{"a", std::string("x\0y", 3)}}, "a"), "a: not a UTF-8 text file");
  EXPECT_EQ(Texts({{"a", "ok\nroot:x:0:0\n"}}, "a"),
            "a:2: 'root:x:0:0' is not a requirement such as torch==2.10.* or torch>=2.1,<2.5");
  EXPECT_NE(Texts({{"a", "\x1b[2J\n"}}, "a").find("\\x1b"), std::string::npos);
  EXPECT_EQ(Texts({{"a", "-r https://host/r.txt\neinops\n"}}, "a"), "einops@a:2");
  Files deep;
  for (int i = 0; i < 20; ++i) deep["f" + std::to_string(i)] = "-r f" + std::to_string(i + 1) + "\n";
  EXPECT_EQ(Texts(deep, "f0"), "f9:1: files include each other too deeply");
  Files wide = {{"a", ""}};
  for (int i = 0; i < 100; ++i) {
    wide["a"] += "-r g" + std::to_string(i) + "\n";
    wide["g" + std::to_string(i)] = "";
  }
  EXPECT_EQ(Texts(wide, "a"), "a:64: more than 64 files");
  EXPECT_EQ(Texts({{"a", std::string(100'000, 'x')}}, "a"), "a:1: the line is too long");
}

constexpr char kPyproject[] = R"([build-system]
requires = ["setuptools", "torch"]
[project]
name = "demo"
requires-python = ">=3.10"
dependencies = [
  "torch>=2.5",
  "numpy>=1.26; python_version < '3.10'",
  "tool",
]
[project.optional-dependencies]
train = ["deepspeed", "demo[log]"]
log = ["wandb"]
[dependency-groups]
dev = ["pytest", {include-group = "lint"}]
lint = ["ruff"]
[tool.uv.sources]
torch = [
  { index = "cpu", marker = "sys_platform == 'win32'" },
  { index = "cu124", marker = "sys_platform == 'linux'" },
]
tool = { git = "https://host/tool", tag = "v1" }
[[tool.uv.index]]
name = "cu124"
url = "https://download.pytorch.org/whl/cu124"
explicit = true
)";

TEST(Pyproject, ReadsWhatTheProjectRunsWith) {
  const auto project = Read({{"pyproject.toml", kPyproject}}, "pyproject.toml");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(Texts(project->dependencies),
            "torch>=2.5@pyproject.toml:7 | tool @ git+https://host/tool@v1@pyproject.toml:9");
  ASSERT_EQ(project->pythons.size(), 1u);
  EXPECT_EQ(project->pythons[0].specifiers, ">=3.10");
  ASSERT_EQ(project->indexes.size(), 1u);
  EXPECT_EQ(project->indexes[0].packages, std::vector<std::string>{"torch"});
  EXPECT_TRUE(project->asks_python);
  ASSERT_EQ(project->notes.size(), 2u);
  EXPECT_EQ(project->notes[0], "pyproject.toml:11: extras not included (--extra NAME adds one): train, log");
}

TEST(Pyproject, ExtrasAndGroupsOnRequest) {
  EXPECT_EQ(Texts({{"p.toml", kPyproject}}, "p.toml", {.extras = {"train"}, .groups = {"dev"}}),
            "torch>=2.5@p.toml:7 | tool @ git+https://host/tool@v1@p.toml:9 | deepspeed@p.toml:12 | "
            "wandb@p.toml:13 | ruff@p.toml:16 | pytest@p.toml:15");
}

TEST(Pyproject, BrokenTomlSaysWhere) {
  EXPECT_EQ(Texts({{"p.toml", "[project]\nname = \n"}}, "p.toml").substr(0, 9), "p.toml:2:");
  EXPECT_EQ(Texts({{"p.toml", "[project]\ndependencies = [1]\n"}}, "p.toml"),
            "p.toml:2: a requirement must be a string");
  EXPECT_NE(Texts({{"p.toml", std::string(100'000, '[')}}, "p.toml"), "");
  EXPECT_NE(Texts({{"p.toml", "a = " + std::string(100'000, '[')}}, "p.toml"), "");
}

TEST(Poetry, SignsBecomeThoseOfPip) {
  EXPECT_EQ(Texts({{"pyproject.toml",
                    "[tool.poetry.dependencies]\n"
                    "python = \"^3.10\"\n"
                    "torch = {version = \"~2.4\", source = \"pt\"}\n"
                    "a = \"^0.2.3\"\n"
                    "b = \"*\"\n"
                    "c = \"1.2\"\n"
                    "d = {version = \">=1\", extras = [\"x\"], markers = \"sys_platform == 'linux'\"}\n"
                    "e = {git = \"https://host/e\", rev = \"abc\"}\n"
                    "f = {version = \"1\", optional = true}\n"
                    "g = [{version = \"1\", python = \"<3.11\"}, {version = \"2\", python = \">=3.11\"}]\n"
                    "[[tool.poetry.source]]\n"
                    "name = \"pt\"\n"
                    "url = \"https://download.pytorch.org/whl/cu121\"\n"
                    "priority = \"explicit\"\n"}},
                  "pyproject.toml"),
            "torch>=2.4,<2.5@pyproject.toml:3 | a>=0.2.3,<0.3@pyproject.toml:4 | b@pyproject.toml:5 | "
            "c==1.2@pyproject.toml:6 | d[x]>=1; sys_platform == 'linux'@pyproject.toml:7 | "
            "e @ git+https://host/e@abc@pyproject.toml:8 | g==2; python_version >= '3.11'@pyproject.toml:10");
}

TEST(UvLock, FollowsWhatHoldsHere) {
  const std::string index = "https://" + PublicIndexHost() + "/simple";
  const std::string lock = R"(version = 1
requires-python = ">=3.11"
[[package]]
name = "demo"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
  { name = "torch", version = "2.6.0", source = { registry = ")" +
                           index + R"(" }, marker = "sys_platform == 'darwin'" },
  { name = "torch", version = "2.6.0+cu124", source = { registry = "https://download.pytorch.org/whl/cu124" }, marker = "sys_platform != 'darwin'" },
  { name = "tool", extra = ["more"] },
]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[[package]]
name = "torch"
version = "2.6.0"
source = { registry = ")" + index +
                           R"(" }
[[package]]
name = "torch"
version = "2.6.0+cu124"
source = { registry = "https://download.pytorch.org/whl/cu124" }
dependencies = [{ name = "filelock" }, { name = "colorama", marker = "sys_platform == 'win32'" }]
[[package]]
name = "filelock"
version = "3.13.1"
source = { registry = ")" + index +
                           R"(" }
[[package]]
name = "colorama"
version = "1"
[[package]]
name = "pytest"
version = "8"
[[package]]
name = "tool"
version = "1.0"
source = { git = "https://host/tool?rev=main#0123abcd" }
[package.optional-dependencies]
more = [{ name = "filelock" }, { name = "tool" }]
)";
  const auto project = Read({{"uv.lock", lock}}, "uv.lock");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(Texts(project->dependencies),
            "torch==2.6.0+cu124@uv.lock:18 | filelock==3.13.1@uv.lock:23 | "
            "tool @ git+https://host/tool@0123abcd@uv.lock:33");
  ASSERT_EQ(project->indexes.size(), 1u);
  EXPECT_EQ(Texts({{"uv.lock", "version = 1\n[[package]]\nname = \"x\"\n"}}, "uv.lock"),
            "uv.lock: it contains no project of its own");
}

TEST(CondaEnvironment, KnownNamesBecomePipsOwnAndCudaABound) {
  const auto project = Read({{"environment.yml",
                              "name: demo\n"
                              "channels: [pytorch, 'nvidia']\n"
                              "dependencies:\n"
                              "- python=3.10\n"
                              "- pytorch::pytorch=2.1.0=py3.10_cuda12.1*  # build\n"
                              "- pytorch-cuda=12.1\n"
                              "- scipy >=1.10,<2\n"
                              "- \"ffmpeg=6\"\n"
                              "- pip\n"
                              "- pip:\n"
                              "  - einops\n"
                              "  - --extra-index-url https://host/simple\n"}},
                            "environment.yml");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(
      Texts(project->dependencies),
      "torch==2.1.0.*@environment.yml:5 | scipy >=1.10,<2@environment.yml:7 | ffmpeg=6@environment.yml:8 | "
      "einops@environment.yml:11");
  EXPECT_EQ(project->dependencies[1].kind, report::RequirementKind::kConda);
  EXPECT_EQ(project->channels, (std::vector<std::string>{"pytorch", "nvidia"}));
  ASSERT_TRUE(project->cuda);
  EXPECT_EQ(project->cuda->specifiers, "==12.1.*");
  EXPECT_EQ(project->pythons[0].specifiers, "==3.10.*");
  EXPECT_EQ(project->indexes.size(), 1u);
}

// As `conda env export` writes them.
TEST(CondaEnvironment, NamesThatBeginWithAnUnderscoreStayCondas) {
  const auto project = Read({{"environment.yml",
                              "dependencies:\n"
                              "- _libgcc_mutex=0.1=main\n"
                              "- conda-forge::_openmp_mutex=5.1=1_gnu\n"
                              "- __glibc >=2.17\n"
                              "- pytorch=2.1.0\n"}},
                            "environment.yml");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(
      Texts(project->dependencies),
      "_libgcc_mutex=0.1=main@environment.yml:2 | conda-forge::_openmp_mutex=5.1=1_gnu@environment.yml:3 | "
      "__glibc >=2.17@environment.yml:4 | torch==2.1.0.*@environment.yml:5");
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(project->dependencies[i].kind, report::RequirementKind::kConda) << i;
  for (const char* not_one : {"- -x=1", "- conda-forge::-x"}) {
    const std::string text = std::string("dependencies:\n") + not_one + "\n";
    EXPECT_TRUE(Texts({{"e.yml", text}}, "e.yml").ends_with("is not a package")) << not_one;
  }
}

TEST(CondaEnvironment, OtherYamlIsAnErrorWithItsLine) {
  const auto said = [](const std::string& text) { return Texts({{"e.yml", text}}, "e.yml"); };
  EXPECT_EQ(said("dependencies: &x\n"), "e.yml: it has no list of dependencies");
  EXPECT_EQ(said("dependencies:\n  - a\n - b\n").substr(0, 8), "e.yml:3:");
  EXPECT_EQ(said("dependencies:\n\t- a\n").substr(0, 8), "e.yml:2:");
  EXPECT_EQ(said("dependencies:\n- 'a\n").substr(0, 6), "e.yml:");
  EXPECT_EQ(said("a: 1\n---\nb: 2\n"), "e.yml:2: more than one document");
  EXPECT_EQ(said("a: 1\na: 2\n"), "e.yml:2: a key twice");
  EXPECT_EQ(said("name: x\n"), "e.yml: it has no list of dependencies");
  EXPECT_EQ(said("dependencies:\n- {a: b}\n"), "e.yml:2: neither a package nor a pip list");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_TRUE(said(deep).ends_with("too deep"));
  EXPECT_EQ(said("dependencies:\n- " + std::string(5000, '-') + "\n").substr(0, 8), "e.yml:2:");
}

TEST(ProjectFile, IsRecognisedByNameOrContent) {
  EXPECT_EQ(KindOfFile("a/uv.lock", "version = 1\n[[package]]\n"), ProjectFileKind::kUvLock);
  EXPECT_EQ(KindOfFile("pyproject.toml", ""), ProjectFileKind::kPyproject);
  EXPECT_EQ(KindOfFile("deps", "[project]\n"), ProjectFileKind::kPyproject);
  EXPECT_EQ(KindOfFile("env.yaml", ""), ProjectFileKind::kConda);
  EXPECT_EQ(KindOfFile("env", "name: x\ndependencies:\n"), ProjectFileKind::kConda);
  EXPECT_EQ(KindOfFile("deps", "torch\n"), ProjectFileKind::kRequirements);
  EXPECT_TRUE(LooksLikeProjectFile("requirements.txt"));
  EXPECT_TRUE(LooksLikeProjectFile("./a/environment.yml"));
  EXPECT_FALSE(LooksLikeProjectFile("torch"));
  EXPECT_FALSE(LooksLikeProjectFile(".venv"));
  EXPECT_FALSE(LooksLikeProjectFile("torch @ https://x/y.txt"));
}

}  // namespace
}  // namespace culprit::plan
