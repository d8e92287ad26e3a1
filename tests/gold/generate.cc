// Draws a tree from a seed: which libraries are where, the program, and how it is started. The odds are set
// so that more than half of the trees start, most searches have several candidates, and every odd shape that
// loaders have rules for occurs in a thousand trees (gold_trees --features prints how often).
#include <elf.h>

#include <algorithm>

#include "base/text.h"
#include "generate_library.h"
#include "generate_paths.h"
#include "tree.h"

namespace culprit::gold {
namespace {

class Generator {
 public:
  Generator(uint64_t seed, const LoaderTraits& traits)
      : traits_(traits),
        random_(seed),
        paths_(random_, tree_),
        libraries_(random_, traits, tree_, paths_),
        names_(libraries_.names) {
    tree_.seed = seed;
    // Half of the trees are meant to start and to load deeply; in the other half, anything goes.
    healthy_ = libraries_.healthy = random_.Percent(50);
    paths_.covering = healthy_ ? 95 : 65;
    Note(healthy_ ? "healthy tree" : "hostile tree");
  }

  Tree Run() {
    tree_.files.resize(1);  // the program comes first
    ChooseDirectories();
    ChooseNames();
    for (size_t i = 0; i < names_.size(); ++i) PlaceCopies(i);
    MakeProgram();
    MakeEnvironment();
    MakeCalls();
    return std::move(tree_);
  }

 private:
  void Note(const std::string& feature) { ++tree_.features[feature]; }

  void ChooseDirectories() {
    std::vector<std::string> all = {"a", "b", "c", "d/e", "lib", "p"};
    random_.Shuffle(all);
    all.resize(3 + random_.Below(3));
    paths_.directories = all;
    tree_.files.push_back({"file", TreeFile::Kind::kText, {}, Fault::kNone, "", false});
    for (const auto& directory : all) AddDirectory(directory);
    if (random_.Percent(25)) {
      tree_.files.push_back({"dirlink", TreeFile::Kind::kLink, {}, Fault::kNone, random_.Pick(all), false});
      paths_.has_directory_link = true;
      Note("directory link");
    }
    if (random_.Percent(8)) {
      AddDirectory("locked");
      tree_.files.back().unreadable = true;
      paths_.has_locked = true;
      Note("locked directory");
    }
    if (random_.Percent(6)) {
      tree_.files.push_back({"dirloop", TreeFile::Kind::kLink, {}, Fault::kNone, "dirloop", false});
      paths_.has_directory_loop = true;
      Note("directory loop");
    }
  }

  void AddDirectory(const std::string& path) {
    tree_.files.push_back({path, TreeFile::Kind::kDirectory, {}, Fault::kNone, "", false});
  }

  void ChooseNames() {
    names_ = {"libone.so.1",  "libtwo.so", "libthree.so.3", "libfour.so",
              "libfive.so.0", "libsix.so", "libseven.so.7", "libeight.so"};
    random_.Shuffle(names_);
    names_.resize(2 + random_.Below(7));
    if (!traits_.musl && random_.Percent(10)) {
      names_.push_back("libz.so.1");
      Note("copy of a system library");
    }
  }

  // A directory for a copy: one that is searched, or a subdirectory that a loader may try in it.
  std::string Place() {
    const std::string directory = random_.Pick(paths_.directories);
    switch (random_.Weighted({88, 8, 2, 2})) {
      case 1: {
        std::vector<std::string> sub = traits_.hwcaps_dirs;
        for (const char* more : {"glibc-hwcaps/x86-64-v2", "tls", "haswell"}) sub.push_back(more);
        Note("copy in a hwcaps directory");
        return directory + "/" + random_.Pick(sub);
      }
      case 2:
        Note("copy in a $LIB directory");
        return directory + "/" + (traits_.lib.empty() ? "lib" : traits_.lib);
      case 3:
        Note("copy in a $PLATFORM directory");
        return directory + "/" + (traits_.platform.empty() ? "platform" : traits_.platform);
      default:
        return directory;
    }
  }

  bool Taken(const std::string& path) const {
    return std::ranges::any_of(tree_.files, [&](const TreeFile& file) { return file.path == path; });
  }

  void PlaceCopies(size_t index) {
    const size_t copies = healthy_ ? 1 + random_.Weighted({50, 30, 20}) : random_.Weighted({3, 55, 27, 15});
    if (copies == 0) Note("library nowhere");
    if (copies > 1) Note("several copies");
    for (size_t i = 0; i < copies; ++i) {
      const std::string path = Place() + "/" + names_[index];
      if (!Taken(path)) PlaceCopy(index, path);
    }
    if (paths_.has_locked && random_.Percent(30)) PlaceCopy(index, "locked/" + names_[index]);
  }

  void PlaceCopy(size_t index, const std::string& path) {
    const auto link = [&](const std::string& at, const std::string& target) {
      tree_.files.push_back({at, TreeFile::Kind::kLink, {}, Fault::kNone, target, false});
    };
    const unsigned good = healthy_ ? 9000 : 800;
    switch (random_.Weighted({good, good / 16, good / 32, good / 25, 15, 8, 6, 10, 5, 45})) {
      case 0:
        tree_.files.push_back(libraries_.Library(index, path));
        break;
      case 1: {
        Note("link to a versioned file");
        tree_.files.push_back(libraries_.Library(index, path + ".0.1"));
        link(path, names_[index] + ".0.1");
        break;
      }
      case 2: {
        Note("chain of links");
        tree_.files.push_back(libraries_.Library(index, path + ".real"));
        link(path + ".mid", names_[index] + ".real");
        link(path, "@/" + path + ".mid");
        break;
      }
      case 3: {  // the same file under two paths
        std::vector<std::string> others;
        for (const auto& file : tree_.files)
          if (file.kind == TreeFile::Kind::kLibrary && !file.path.empty()) others.push_back(file.path);
        if (others.empty()) break;
        Note("link to another library");
        link(path, "@/" + random_.Pick(others));
        break;
      }
      case 4:
        Note("dangling link");
        link(path, "nowhere");
        break;
      case 5:
        Note("loop of links");
        link(path, names_[index]);
        break;
      case 6:
        Note("directory named like a library");
        AddDirectory(path);
        break;
      case 7:
        Note("unreadable library");
        tree_.files.push_back(libraries_.Library(index, path));
        tree_.files.back().unreadable = true;
        break;
      case 8:
        Note("program named like a library");
        tree_.files.push_back({path, TreeFile::Kind::kProgram, {}, Fault::kNone, "", false});
        tree_.files.back().stamp.requests.push_back({DT_NEEDED, traits_.libc});
        break;
      default:
        tree_.files.push_back(libraries_.Library(index, path));
        tree_.files.back().fault = libraries_.DrawFault();
        Note(std::string("fault: ") + Name(tree_.files.back().fault));
    }
  }

  void MakeProgram() {
    TreeFile& program = tree_.files[0];
    program.kind = TreeFile::Kind::kProgram;
    program.path = random_.Percent(70) ? "bin/prog" : "prog";
    Stamp& stamp = program.stamp;
    for (size_t i = random_.Weighted({12, 40, 30, 18}); i > 0; --i)
      stamp.requests.push_back(libraries_.DrawRequest(SIZE_MAX, program.path));
    stamp.requests.insert(
        stamp.requests.begin() + static_cast<long>(random_.Below(stamp.requests.size() + 1)),
        {DT_NEEDED, traits_.libc});
    libraries_.DrawRunPaths(stamp, program.path, 80);
    libraries_.DrawVersionNeeds(stamp);
    if (random_.Percent(3)) {
      stamp.flags_1 |= DF_1_NODEFLIB;
      Note("NODEFLIB program");
    }
    if (random_.Percent(4) && !HasFilters(tree_)) {  // as a filter it would be such a program
      stamp.soname = random_.Pick(names_);
      Note("program with a soname");
    }
    tree_.start = "@/" + program.path;
    if (random_.Percent(18)) {
      tree_.files.push_back(
          {"starts/here", TreeFile::Kind::kLink, {}, Fault::kNone, "../" + tree_.files[0].path, false});
      tree_.start = "@/starts/here";
      Note("started through a link");
    }
  }

  void MakeEnvironment() {
    switch (random_.Weighted({50, 40, 10})) {
      case 0:
        tree_.working_directory = "@";
        if (random_.Percent(25)) {
          tree_.start = (random_.Percent(50) ? "./" : "") + tree_.start.substr(2);
          Note("started by a relative path");
        }
        break;
      case 1:
        tree_.working_directory = "@/" + random_.Pick(paths_.directories);
        Note("working directory below the root");
        break;
      default:
        tree_.working_directory = "/";
    }
    const std::string program_directory(base::DirName(tree_.files[0].path));
    if (random_.Percent(50) || (healthy_ && !tree_.files[0].stamp.rpath)) {
      Note("LD_LIBRARY_PATH");
      tree_.environment["LD_LIBRARY_PATH"] =
          paths_.List(program_directory, random_.Percent(20) && !traits_.musl ? ";" : ":");
    }
    if (random_.Percent(20)) {
      Note("LD_PRELOAD");
      std::string& preload = tree_.environment["LD_PRELOAD"];
      for (size_t i = 1 + random_.Below(3); i > 0; --i) {
        if (!preload.empty() || random_.Percent(5)) preload += random_.Percent(50) ? " " : ":";
        switch (random_.Weighted({45, 40, 8, 7})) {
          case 0:
            preload += random_.Pick(names_);
            break;
          case 1:
            preload += paths_.FilePath(tree_.files[0].path, random_.Pick(names_));
            break;
          case 2:
            preload += "libnopreload.so";
            Note("missing preload");
            break;
          default:
            preload += traits_.system_names.empty() ? "libnopreload.so" : random_.Pick(traits_.system_names);
        }
      }
    }
  }

  void MakeCalls() {
    for (size_t i = random_.Below(6); i > 0; --i) {
      std::string caller = "-";
      if (random_.Percent(60)) caller = std::to_string(random_.Below(100)) + ":";
      Note(caller == "-" ? "dlopen from the program" : "dlopen from a library");
      // The calling library is unknown here, so $ORIGIN is drawn as if one directory up were the root.
      tree_.calls.push_back(caller + libraries_.DrawName(SIZE_MAX, random_.Pick(paths_.directories) + "/x"));
    }
  }

  const LoaderTraits& traits_;
  Random random_;
  Tree tree_;
  PathGenerator paths_;
  LibraryGenerator libraries_;
  std::vector<std::string>& names_;
  bool healthy_ = false;
};

}  // namespace

Tree GenerateTree(uint64_t seed, const LoaderTraits& traits) { return Generator(seed, traits).Run(); }

}  // namespace culprit::gold
