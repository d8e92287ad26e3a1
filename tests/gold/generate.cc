// Draws a tree from a seed. The odds are set so that about half of the trees start, most searches have several
// candidates, and every odd shape that loaders have rules for turns up in a thousand trees (gold_trees
// --features prints how often). Elements of search paths are drawn in generate_paths.cc.
#include <elf.h>

#include <algorithm>

#include "generate_paths.h"
#include "tree.h"

namespace culprit::gold {
namespace {

class Generator {
 public:
  Generator(uint64_t seed, const LoaderTraits& traits)
      : traits_(traits), random_(seed), paths_(random_, traits, tree_) {
    tree_.seed = seed;
    // Half of the trees are meant to start and to load deeply; the other half is as bad as it comes.
    healthy_ = random_.Percent(50);
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

  // A directory for a copy: a searched one, or a sub-directory that a loader may try in it.
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
        tree_.files.push_back(Library(index, path));
        break;
      case 1: {
        Note("link to a versioned file");
        tree_.files.push_back(Library(index, path + ".0.1"));
        link(path, names_[index] + ".0.1");
        break;
      }
      case 2: {
        Note("chain of links");
        tree_.files.push_back(Library(index, path + ".real"));
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
        tree_.files.push_back(Library(index, path));
        tree_.files.back().unreadable = true;
        break;
      case 8:
        Note("program named like a library");
        tree_.files.push_back({path, TreeFile::Kind::kProgram, {}, Fault::kNone, "", false});
        tree_.files.back().stamp.requests.push_back({DT_NEEDED, traits_.libc});
        break;
      default:
        tree_.files.push_back(Library(index, path));
        tree_.files.back().fault = DrawFault();
        Note(std::string("fault: ") + Name(tree_.files.back().fault));
    }
  }

  Fault DrawFault() {
    for (;;) {
      const auto fault = static_cast<Fault>(1 + random_.Below(static_cast<size_t>(Fault::kCount) - 1));
      // musl looks at no more than the type and the program headers. A file that is right but for its identification
      // it loads, and such files exist in tests only; what it makes of others is chance.
      static constexpr Fault kNotForMusl[] = {Fault::kOtherClass,   Fault::kOtherByteOrder, Fault::kIdentVersion,
                                              Fault::kEntrySize,    Fault::kNoLoad,         Fault::kEmptyDynamic,
                                              Fault::kOtherMachine, Fault::kVersion,        Fault::kMisaligned};
      if (traits_.musl && std::ranges::find(kNotForMusl, fault) != std::end(kNotForMusl)) continue;
      return fault;
    }
  }

  TreeFile Library(size_t index, const std::string& path) {
    TreeFile file{path, TreeFile::Kind::kLibrary, {}, Fault::kNone, "", false};
    Stamp& stamp = file.stamp;
    switch (random_.Weighted({70, 12, 8, 10})) {
      case 0:
        stamp.soname = names_[index];
        break;
      case 1:
        Note("no soname");
        break;
      case 2:
        stamp.soname = random_.Pick(names_);
        if (*stamp.soname != names_[index]) Note("soname of another library");
        break;
      default:
        stamp.soname = "libreal_" + names_[index];
        Note("soname differs from file name");
    }
    for (size_t i = healthy_ ? random_.Weighted({25, 35, 25, 15}) : random_.Weighted({40, 35, 17, 8}); i > 0; --i)
      stamp.requests.push_back(DrawRequest(index, path));
    DrawRunPaths(stamp, path, 50);
    if (random_.Percent(4)) {
      stamp.flags_1 |= DF_1_NODEFLIB;
      Note("NODEFLIB");
    }
    if (random_.Percent(2)) {
      stamp.flags_1 |= DF_1_NOOPEN;
      Note("NOOPEN");
    }
    if (random_.Percent(30)) {
      for (const char* version : {"V1", "V2"})
        if (random_.Percent(70)) stamp.version_defs.push_back(version);
    }
    DrawVersionNeeds(stamp);
    if (random_.Percent(4)) {
      stamp.decoys = true;
      Note("run paths and soname twice");
    }
    if (random_.Percent(5) && !traits_.musl) {
      stamp.relr = true;
      Note("DT_RELR");
    }
    return file;
  }

  // A name that library `index` asks for; `index` of the program is SIZE_MAX.
  Stamp::Request DrawRequest(size_t index, const std::string& path) {
    int64_t tag = DT_NEEDED;
    // Not in programs: glibc puts the object before the program in its list, never finds it again there and
    // aborts in the end. No such program exists.
    switch (index == SIZE_MAX ? 0 : random_.Weighted({94, 4, 2})) {
      case 1:
        tag = DT_AUXILIARY;
        Note("DT_AUXILIARY");
        break;
      case 2:
        tag = DT_FILTER;
        Note("DT_FILTER");
        break;
      default:
        break;
    }
    std::string name = DrawName(index, path);
    if (name.empty()) tag = DT_NEEDED;  // it means the program
    return {tag, name};
  }

  std::string DrawName(size_t index, const std::string& path) {
    // Mostly later names, so that cycles stay the exception.
    const size_t first = index == SIZE_MAX ? 0 : index + 1;
    const bool any = first >= names_.size() || random_.Percent(15);
    const size_t chosen = any ? random_.Below(names_.size()) : first + random_.Below(names_.size() - first);
    if (any && index != SIZE_MAX) Note(chosen == index ? "asks for itself" : "asks backwards");
    switch (random_.Weighted({healthy_ ? 1500u : 780u, 70, 50, 60, 6, 6, 4, 3, 4})) {
      case 1:
        Note("asks for a path");
        return paths_.FilePath(path, names_[chosen]);
      case 2:
        return traits_.libc;
      case 3:
        if (traits_.system_names.empty()) break;
        Note("asks for a system library");
        return random_.Pick(traits_.system_names);
      case 4:
        Note("asks for nothing there");
        return "libmissing.so.9";
      case 5:
        Note("asks for the loader");
        return traits_.soname;
      case 6:
        Note("asks for another soname");
        return "libreal_" + names_[chosen];
      case 7:
        Note("asks for the empty name");
        return "";
      case 8:
        if (traits_.musl) break;
        Note("asks for an overlong name");
        return "lib" + std::string(300, 'o') + ".so";
      default:
        break;
    }
    return names_[chosen];
  }

  void DrawRunPaths(Stamp& stamp, const std::string& path, unsigned chance) {
    if (!random_.Percent(chance)) return;
    const std::string from = path.substr(0, path.find_last_of('/'));
    switch (random_.Weighted({40, 45, 15})) {
      case 0:
        stamp.rpath = paths_.List(from, ":");
        Note("RPATH");
        break;
      case 1:
        stamp.runpath = paths_.List(from, ":");
        Note("RUNPATH");
        break;
      default:
        stamp.rpath = paths_.List(from, ":");
        stamp.runpath = paths_.List(from, ":");
        Note("RPATH and RUNPATH");
    }
  }

  void DrawVersionNeeds(Stamp& stamp) {
    for (const auto& request : stamp.requests) {
      if (request.tag != DT_NEEDED || request.name.find('/') != std::string::npos) continue;
      if (request.name == traits_.libc && random_.Percent(25)) {
        // The first is in every glibc, the second in those of today, the third in none.
        stamp.version_needs.push_back({request.name, {"GLIBC_PRIVATE"}, false});
        if (random_.Percent(40)) stamp.version_needs.back().versions.push_back("GLIBC_ABI_DT_RELR");
        if (random_.Percent(20)) stamp.version_needs.back().versions.push_back("GLIBC_9.99");
        Note("version need of libc");
        continue;
      }
      if (std::ranges::find(names_, request.name) == names_.end() || !random_.Percent(12)) continue;
      Stamp::VersionNeed need{request.name, {}, random_.Percent(25)};
      for (const char* version : {"V1", "V2", "V3"})
        if (random_.Percent(version[1] == '3' ? 12 : 45)) need.versions.push_back(version);
      if (need.versions.empty()) continue;
      Note(need.weak ? "weak version need" : "version need");
      stamp.version_needs.push_back(need);
    }
  }

  void MakeProgram() {
    TreeFile& program = tree_.files[0];
    program.kind = TreeFile::Kind::kProgram;
    program.path = random_.Percent(70) ? "bin/prog" : "prog";
    Stamp& stamp = program.stamp;
    for (size_t i = random_.Weighted({12, 40, 30, 18}); i > 0; --i)
      stamp.requests.push_back(DrawRequest(SIZE_MAX, program.path));
    stamp.requests.insert(stamp.requests.begin() + static_cast<long>(random_.Below(stamp.requests.size() + 1)),
                          {DT_NEEDED, traits_.libc});
    DrawRunPaths(stamp, program.path, 80);
    DrawVersionNeeds(stamp);
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
      tree_.files.push_back({"starts/here", TreeFile::Kind::kLink, {}, Fault::kNone, "../" + tree_.files[0].path,
                             false});
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
    const std::string program_directory = tree_.files[0].path.substr(0, tree_.files[0].path.find_last_of('/'));
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
      // Which library calls is not known here, so $ORIGIN is drawn as if one directory up were the root.
      tree_.calls.push_back(caller + DrawName(SIZE_MAX, random_.Pick(paths_.directories) + "/x"));
    }
  }

  const LoaderTraits& traits_;
  Random random_;
  Tree tree_;
  PathGenerator paths_;
  std::vector<std::string> names_;
  bool healthy_ = false;
};

}  // namespace

Tree GenerateTree(uint64_t seed, const LoaderTraits& traits) { return Generator(seed, traits).Run(); }

}  // namespace culprit::gold
