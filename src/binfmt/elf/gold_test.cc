// Compares the ELF reader with other tools: readelf on real libraries of this machine and on other classes
// and byte orders made by clang and lld; ld.so on the files of our own writer.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "base/text.h"
#include "base/words.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/write.h"
#include "binfmt/testing/host.h"

namespace culprit::binfmt {
namespace {

using testing::FileSource;
using testing::Output;

// Kind of fact -> values in file order.
using Facts = std::map<std::string, std::vector<std::string>>;

Facts Describe(const ElfFile& elf) {
  Facts facts;
  const auto add = [&](const char* kind, const std::optional<std::string>& text) {
    if (text) facts[kind].push_back(*text);
  };
  add("soname", elf.soname);
  add("rpath", elf.rpath);
  add("runpath", elf.runpath);
  add("interpreter", elf.interpreter);
  add("build-id", elf.build_id);
  for (const ElfRequest& request : elf.requests) {
    add(request.kind == ElfRequest::Kind::kNeeded ? "needed" : "auxiliary or filter", request.name);
  }
  for (const ElfVersionNeed& need : elf.version_needs) {
    for (const auto& version : need.versions) {
      add("version need", need.file + " " + version.name + (version.weak ? " weak" : ""));
    }
  }
  for (const std::string& name : elf.version_defs) add("version definition", name);
  if (elf.stack_flags) add("stack", *elf.stack_flags & PF_X ? "executable" : "not executable");
  facts["loads"].push_back(std::to_string(elf.loads.size()));
  return facts;
}

// The output of `readelf -dlVnW`, per file.
std::map<std::string, Facts> AskReadelf(const std::vector<std::string>& paths) {
  static const std::regex kLine(
      R"((Library soname|Library rpath|Library runpath|Shared library|Auxiliary library|Filter library): \[(.*)\]$)"
      R"(|Requesting program interpreter: (.*)\]$)"
      R"(|Build ID: ([0-9a-f]+))"
      R"(|Version: [0-9]+  File: (.*)  Cnt:)"
      R"(|  Name: (\S+)  Flags: (.*)  Version:)"
      R"(|Rev: [0-9]+  Flags: (.*?) +Index: .*  Name: (.*)$)"
      R"(|^  GNU_STACK .* ([R ][W ][E ]) +[0-9a-fx]+$)"
      R"(|^  (LOAD) )");
  static const std::map<std::string, std::string> kKinds = {{"Library soname", "soname"},
                                                            {"Library rpath", "rpath"},
                                                            {"Library runpath", "runpath"},
                                                            {"Shared library", "needed"},
                                                            {"Auxiliary library", "auxiliary or filter"},
                                                            {"Filter library", "auxiliary or filter"}};
  std::string command = "readelf -dlVnW";
  for (const std::string& path : paths) command += " '" + path + "'";
  // Most of the output is symbol tables that this test does not need.
  command += " | grep -E '^File: |: \\[|interpreter: |Build ID: |Cnt: |Flags: |GNU_STACK|LOAD '";
  std::map<std::string, Facts> result;
  std::string path = paths.empty() ? "" : paths[0], file;
  std::map<std::string, size_t> loads;
  for (const std::string& line : base::Split(Output(command), '\n')) {
    std::smatch match;
    if (line.starts_with("File: ")) {
      path = line.substr(6);
    } else if (std::regex_search(line, match, kLine)) {
      Facts& facts = result[path];
      if (match[1].matched) facts[kKinds.at(match[1])].push_back(match[2]);
      if (match[3].matched) facts["interpreter"].push_back(match[3]);
      if (match[4].matched) facts["build-id"].push_back(match[4]);
      if (match[5].matched) file = match[5];
      if (match[6].matched) {
        const bool weak = match[7].str().find("WEAK") != std::string::npos;
        facts["version need"].push_back(file + " " + match[6].str() + (weak ? " weak" : ""));
      }
      if (match[8].matched && match[8].str().find("BASE") == std::string::npos) {
        facts["version definition"].push_back(match[9]);
      }
      if (match[10].matched) {
        facts["stack"].emplace_back(match[10].str()[2] == 'E' ? "executable" : "not executable");
      }
      if (match[11].matched) ++loads[path];
    }
  }
  for (const std::string& each : paths) result[each]["loads"].push_back(std::to_string(loads[each]));
  return result;
}

void ExpectAgreement(const std::vector<std::string>& paths) {
  const auto gold = AskReadelf(paths);
  for (const std::string& path : paths) {
    const ElfFile elf = ReadElf(FileSource(path));
    EXPECT_TRUE(elf.problem == ElfProblem::kNone || elf.problem == ElfProblem::kNoDynamic)
        << path << ": " << base::Word(elf.problem);
    EXPECT_EQ(Describe(elf), gold.at(path)) << path;
  }
}

// Files named *.so* that start like ELF files; some others are linker scripts.
std::vector<std::string> LibrariesIn(const std::filesystem::path& directory, size_t limit) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    if (entry.path().filename().string().find(".so") == std::string::npos) continue;
    char magic[SELFMAG] = {};
    std::ifstream(entry.path()).read(magic, SELFMAG);
    if (std::string_view(magic, SELFMAG) == ELFMAG) paths.insert(entry.path());
  }
  std::vector<std::string> result(paths.begin(), paths.end());
  if (result.size() > limit) result.resize(limit);
  return result;
}

TEST(ElfGold, AgreesWithReadelfOnTheLibrariesOfThisMachine) {
  if (!testing::HasProgram("readelf")) GTEST_SKIP() << "no readelf here";
  Dl_info libc{};
  void* function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  if (function == nullptr || dladdr(function, &libc) == 0) GTEST_SKIP() << "no shared glibc here";
  const auto directory = std::filesystem::canonical(libc.dli_fname).parent_path();
  const std::vector<std::string> paths = LibrariesIn(directory, 300);
  if (paths.empty()) GTEST_SKIP() << "no libraries in " << directory;
  ExpectAgreement(paths);
}

TEST(ElfGold, AgreesWithReadelfOnForeignClassesAndByteOrders) {
  if (!testing::HasProgram("readelf")) GTEST_SKIP() << "no readelf here";
  std::string clang;
  for (const char* name : {"clang", "clang-19"}) {
    if (testing::HasProgram(name)) clang = name;
  }
  if (clang.empty() || !testing::HasProgram("ld.lld")) GTEST_SKIP() << "no clang and lld here";
  const testing::TemporaryDirectory directory;
  directory.Write("dep.c", "int dep(void) { return 1; }");
  directory.Write("dep.map", "DEP_1 { global: dep; };");
  directory.Write("lib.c",
                  "int dep(void); const unsigned lib_version = 0x91300; int lib(void) { return dep(); }");
  directory.Write("lib.map", "LIB_1 { global: lib; }; LIB_2 { global: lib_version; } LIB_1;");
  for (const std::string target : {"i386-linux-gnu", "x86_64-linux-gnu", "powerpc-linux-gnu",
                                   "powerpc64-linux-gnu", "mips-linux-gnu", "riscv64-linux-gnu"}) {
    const std::string cc =
        "cd " + directory.path() + " && " + clang + " -fPIC -O1 --target=" + target + " -c ";
    const std::string ld = "cd " + directory.path() + " && ld.lld -shared -z notext --build-id ";
    Output(cc + "dep.c && " + cc + "lib.c");
    Output(ld + "-soname libdep.so.1 --version-script dep.map dep.o -o libdep.so");
    Output(ld +
           "-soname liblib.so.2 -rpath '$ORIGIN/x:/y' --version-script lib.map lib.o libdep.so -o liblib.so");
    const std::string path = directory.path() + "/liblib.so";
    if (!std::filesystem::exists(path)) {
      std::cerr << "not compared: clang and lld cannot link for " << target << "\n";
      continue;
    }
    ExpectAgreement({path});
    const FileSource source(path);
    const ElfFile elf = ReadElf(source);
    EXPECT_EQ(elf.soname, "liblib.so.2") << target;
    EXPECT_EQ(elf.version_needs.size(), 1u) << target;
    EXPECT_EQ(elf.big_endian(), target.starts_with("powerpc") || target.starts_with("mips"));
    EXPECT_EQ(elf.bits(), target.find("64") != std::string::npos ? 64 : 32);
    EXPECT_EQ(ReadElfWord(source, elf, "lib_version"), 0x91300u) << target;
    EXPECT_EQ(ReadElfWord(source, elf, "lib"), std::nullopt);
    std::filesystem::remove(path);
  }
}

TEST(ElfGold, AgreesWithReadelfOnOurOwnBuilder) {
  if (!testing::HasProgram("readelf")) GTEST_SKIP() << "no readelf here";
  const testing::TemporaryDirectory directory;
  std::vector<std::string> paths;
  for (const int bits : {32, 64}) {
    for (const bool big_endian : {false, true}) {
      paths.push_back(directory.Write(std::to_string(paths.size()),
                                      BuildElf({.bits = bits,
                                                .big_endian = big_endian,
                                                .soname = "libfoo.so.1",
                                                .needed = {"libbar.so.2", "libc.so.6"},
                                                .requests = {{ElfRequest::Kind::kFilter, "libfilter.so"}},
                                                .rpath = "/opt/rpath",
                                                .runpath = "$ORIGIN",
                                                .interpreter = "/lib/ld.so",
                                                .stack_flags = PF_R | PF_X,
                                                .build_id = "0123456789abcdef"})));
    }
  }
  ExpectAgreement(paths);
}

TEST(ElfGold, LdSoLoadsWhatOurBuilderMakes) {
  if (testing::NativeMachine() == EM_NONE) GTEST_SKIP() << "the builder does not know this machine";
  const testing::TemporaryDirectory directory;
  const uint16_t machine = testing::NativeMachine();
  directory.Write("libculprit_dep.so.1", BuildElf({.machine = machine,
                                                   .soname = "libculprit_dep.so.1",
                                                   .version_defs = {"DEP_1"},
                                                   .words = {{"culprit_dep_version", 11}}}));
  const std::string top =
      directory.Write("libculprit_top.so", BuildElf({.machine = machine,
                                                     .soname = "libculprit_top.so",
                                                     .needed = {"libculprit_dep.so.1"},
                                                     .runpath = "$ORIGIN",
                                                     .version_needs = {{"libculprit_dep.so.1", {{"DEP_1"}}}},
                                                     .build_id = "0123456789abcdef",
                                                     .words = {{"culprit_top_version", 22}},
                                                     .hash = ElfSpec::Hash::kSysv}));
  void* handle = dlopen(top.c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto* dep = static_cast<const uint32_t*>(dlsym(handle, "culprit_dep_version"));
  const auto* own = static_cast<const uint32_t*>(dlsym(handle, "culprit_top_version"));
  ASSERT_NE(dep, nullptr);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(*dep, 11u);
  EXPECT_EQ(*own, 22u);
  dlclose(handle);
}

TEST(ElfGold, GivesTheVersionOfCudnn) {
  const std::string directory = "/usr/local/cuda/lib64/";
  if (!std::filesystem::exists(directory + "libcudnn_graph.so.9")) GTEST_SKIP() << "no cuDNN 9 here";
  const auto version = [&](const std::string& file, const char* symbol) {
    const FileSource source(directory + file);
    return ReadElfWord(source, ReadElf(source), symbol);
  };
  const auto graph = version("libcudnn_graph.so.9", "cudnn_graph_version");
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(*graph >> 16, 9u);
  EXPECT_EQ(version("libcudnn_ops.so.9", "cudnn_ops_infer_version"), graph);
  EXPECT_EQ(version("libcudnn_adv.so.9", "cudnn_adv_infer_version"), graph);
  EXPECT_EQ(version("libcudnn_ops.so.9", "cudnn_graph_version"), std::nullopt);
  // The header next to the library has the same version.
  const std::string header = Output("cat /usr/local/cuda/include/cudnn_version.h");
  std::smatch minor, patch;
  if (std::regex_search(header, minor, std::regex("CUDNN_MINOR +([0-9]+)")) &&
      std::regex_search(header, patch, std::regex("CUDNN_PATCHLEVEL +([0-9]+)"))) {
    EXPECT_EQ(*graph & 0xffff, static_cast<uint32_t>(std::stoi(minor[1]) << 8 | std::stoi(patch[1])));
  }
}

}  // namespace
}  // namespace culprit::binfmt
