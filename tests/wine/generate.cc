// What the trees contain. A tree has a handful of names. Each name has copies in some of the directories that
// a search can reach; most are valid, some are for another machine, corrupt, or a version that lacks a
// function. The copies import each other. Then a process changes search settings at random and loads.
#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "gold/random.h"
#include "tree.h"

namespace culprit::wine {
namespace {

using gold::Random;
using OpKind = Operation::Kind;
using FileKind = TreeFile::Kind;

const std::vector<std::string> kFunctions = {"alpha", "beta", "gamma"};
constexpr uint16_t kNoOrdinal = 77;

class Generator {
 public:
  Generator(uint64_t seed, const std::string& name) : random_(seed) {
    tree_.name = name;
    tree_.seed = seed;
    home_ = std::string(kTop) + "/" + name;
  }

  Tree Make() {
    tree_.safe_mode = !random_.Percent(10);
    Note(!tree_.safe_mode, "safe mode off");
    const size_t count = 3 + random_.Below(6);
    for (size_t i = 0; i < count; ++i) names_.push_back(tree_.name + "_" + char('a' + i) + ".dll");
    for (const char* part : {"p1", "p2", "p3", "here", "add1", "add2", "set", "lib"}) {
      directories_.push_back(home_ + "/" + part);
    }
    tree_.directories = directories_;
    directories_.insert(directories_.end(),
                        {kProgramDirectory, "/C:/windows/system32", "/C:/windows/system", "/C:/windows"});
    for (size_t i = 0; i < names_.size(); ++i) MakeCopies(i);
    if (random_.Percent(6)) {
      MakeProgram();
      return std::move(tree_);
    }
    if (random_.Percent(12)) ChangeDefaults(/*valid=*/true);
    ChangeSearch();
    if (random_.Percent(6)) MakeKnown();
    const size_t loads = 1 + random_.Below(5);
    for (size_t i = 0; i < loads; ++i) {
      if (i > 0 && random_.Percent(15)) ChangeSearch();
      if (tree_.changes_defaults && random_.Percent(25)) ChangeDefaults(random_.Percent(60));
      Load();
    }
    return std::move(tree_);
  }

 private:
  void Note(bool when, const char* feature) {
    if (when) tree_.features.insert(feature);
  }

  // An import of another name of the tree, or of one that does not exist.
  Import MakeImport(size_t index) {
    Import import;
    const unsigned dice = static_cast<unsigned>(random_.Below(100));
    if (dice < 2) {
      import.names = {"alpha"};
      import.dll = tree_.name + "_nowhere.dll";
      Note(true, "missing everywhere");
      return import;
    }
    size_t other = index + 1 + random_.Below(names_.size());
    if (dice < 10 || other >= names_.size()) other = random_.Below(names_.size());
    Note(other == index, "needs itself");
    Note(other < index, "backwards");
    import.dll = Spelled(names_[other]);
    for (const std::string& function : kFunctions) {
      if (random_.Percent(40)) import.names.push_back(function);
    }
    if (random_.Percent(15)) import.ordinals.push_back(static_cast<uint16_t>(1 + random_.Below(2)));
    if (random_.Percent(2)) import.ordinals.push_back(kNoOrdinal);
    return import;
  }

  std::string Spelled(std::string name) {
    if (random_.Percent(15)) {
      std::ranges::transform(name, name.begin(),
                             [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    }
    if (random_.Percent(10)) name.resize(name.size() - 4);
    return name;
  }

  DllFile MakeDll(size_t index) {
    DllFile dll{.name = names_[index]};
    // The last ones need nothing, so that forwarders to them end there.
    const bool leaf = index + 2 >= names_.size();
    const size_t imports = leaf ? 0 : random_.Below(4);
    for (size_t i = 0; i < imports; ++i) {
      Import import = MakeImport(index);
      const auto same = [&](const Import& one) { return base::SameName(one.dll, import.dll); };
      if (std::ranges::none_of(dll.imports, same)) dll.imports.push_back(std::move(import));
    }
    dll.exports = kFunctions;
    if (random_.Percent(6)) {
      dll.exports.erase(dll.exports.begin() + static_cast<long>(random_.Below(dll.exports.size())));
      Note(true, "lacks a function");
    }
    if (index + 1 < names_.size() && random_.Percent(20)) {
      const std::string function = dll.exports.back();
      dll.exports.pop_back();
      std::string target = names_[names_.size() - 1 - (leaf ? 0 : random_.Below(2))];
      target.resize(target.size() - 4);
      const unsigned dice = static_cast<unsigned>(random_.Below(100));
      if (dice < 15) target = tree_.name + "_nowhere";
      const std::string to = dice >= 85 ? "delta" : dice >= 70 ? "#1" : random_.Pick(kFunctions);
      dll.forwarders.emplace_back(function, target + "." + to);
      Note(true, "forwarder");
    }
    if (random_.Percent(15)) {
      dll.delay_imports.push_back(
          {.dll = random_.Percent(50) ? tree_.name + "_nowhere.dll" : random_.Pick(names_),
           .names = {"alpha"},
           .ordinals = {}});
      Note(true, "delay import");
    }
    return dll;
  }

  void MakeCopies(size_t index) {
    const size_t copies = random_.Percent(3) ? 0 : 1 + random_.Weighted({50, 30, 20});
    Note(copies == 0, "no copy");
    Note(copies > 1, "several copies");
    std::vector<std::string> places = directories_;
    random_.Shuffle(places);
    // A copy that every plain search finds makes complete closures likely enough.
    if (random_.Percent(75)) places.insert(places.begin(), kProgramDirectory);
    for (size_t i = 0; i < copies; ++i) {
      TreeFile file{.path = places[i] + "/" + names_[index], .kind = FileKind::kDll, .dll = MakeDll(index)};
      if (std::ranges::any_of(tree_.files, [&](const auto& one) { return one.path == file.path; })) continue;
      Spoil(file, copies > 1 ? 15 : 3);
      tree_.files.push_back(std::move(file));
    }
  }

  void Spoil(TreeFile& file, unsigned chance) {
    if (!random_.Percent(chance)) return;
    switch (random_.Weighted({30, 15, 10, 10, 5, 10, 5, 10})) {
      case 0:
        file.dll.machine = Machine::k386;
        Note(true, "32 bits");
        break;
      case 1:
        file.dll.machine = Machine::kArm64;
        Note(true, "ARM64");
        break;
      case 2:
        file.kind = FileKind::kText;
        Note(true, "text");
        break;
      case 3:
        file.kind = FileKind::kEmpty;
        Note(true, "empty");
        break;
      case 4:
        file.kind = FileKind::kShort;
        Note(true, "short");
        break;
      case 5:
        file.kind = FileKind::kSectionCut;
        Note(true, "truncated");
        break;
      case 6:
        file.kind = FileKind::kHeaderCut;
        Note(true, "header cut");
        break;
      default:
        file.kind = FileKind::kDirectory;
        Note(true, "directory");
        break;
    }
  }

  // A name that the registry lists as known, next to the program and in System32.
  void MakeKnown() {
    const std::string name = tree_.name + "_known.dll";
    for (const char* place : {kProgramDirectory, "/C:/windows/system32"}) {
      tree_.files.push_back({.path = std::string(place) + "/" + name,
                             .kind = FileKind::kDll,
                             .dll = {.name = name, .exports = kFunctions}});
    }
    tree_.known_dlls.push_back(name);
    Do(OpKind::kLoad, Spelled(name), random_.Percent(30) ? 0x200 : 0);
    Note(true, "known DLL");
  }

  void MakeProgram() {
    TreeFile program{.path = home_ + "/lib/" + tree_.name + "_app.exe", .kind = FileKind::kDll, .dll = {}};
    program.dll.name = tree_.name + "_app.exe";
    program.dll.program = true;
    const size_t imports = 1 + random_.Below(3);
    for (size_t i = 0; i < imports; ++i) program.dll.imports.push_back(MakeImport(0));
    Do(OpKind::kPath, base::ToWindowsPath(kProgramDirectory) + ";" + base::ToWindowsPath(home_ + "/p1"));
    Do(OpKind::kChangeDirectory, base::ToWindowsPath(home_ + "/here"));
    Do(OpKind::kRun, base::ToWindowsPath(program.path));
    tree_.files.push_back(std::move(program));
    Note(true, "program");
  }

  void Do(OpKind kind, std::string text, uint32_t flags = 0) {
    tree_.operations.push_back({kind, std::move(text), flags});
  }

  void ChangeSearch() {
    Do(OpKind::kChangeDirectory, base::ToWindowsPath(home_ + (random_.Percent(70) ? "/here" : "")));
    std::string path;
    for (const char* part : {"p1", "p2", "p3"}) {
      if (!random_.Percent(70)) continue;
      if (random_.Percent(10)) path += base::ToWindowsPath(home_ + "/absent") + ";";
      path += base::ToWindowsPath(home_ + "/" + part) + (random_.Percent(15) ? "\\;" : ";");
    }
    Do(OpKind::kPath, path);
    if (random_.Percent(25)) {
      // With safe mode off, Wine still searches the current directory after SetDllDirectory("").
      Do(OpKind::kDllDirectory,
         tree_.safe_mode && random_.Percent(20) ? "" : base::ToWindowsPath(home_ + "/set"));
      Note(true, "SetDllDirectory");
    }
    for (const char* part : {"add1", "add2", "absent"}) {
      if (!random_.Percent(35)) continue;
      const std::string directory = base::ToWindowsPath(home_ + "/" + part);
      Do(OpKind::kAdd, directory);
      Note(true, "AddDllDirectory");
      if (random_.Percent(15)) Do(OpKind::kRemove, directory);
    }
    if (random_.Percent(5)) Do(OpKind::kAdd, "add1");
  }

  // An invalid value is rejected, and the old setting stays.
  void ChangeDefaults(bool valid) {
    static const std::vector<uint32_t> kValid = {0x200, 0x400, 0x800, 0x1000, 0x1000, 0x600, 0xe00};
    static const std::vector<uint32_t> kInvalid = {0, 0x100, 0x1100, 8};
    Do(OpKind::kDefaults, "", random_.Pick(valid ? kValid : kInvalid));
    tree_.changes_defaults = true;
    Note(true, "SetDefaultDllDirectories");
  }

  void Load() {
    const std::string& name = random_.Pick(names_);
    std::string text;
    const size_t form = random_.Weighted({45, 10, 35, 5, 5});
    bool absolute = false;
    if (form == 0) {
      text = Spelled(name);
      // Wine compares the name with the loaded ones before it removes the dot.
      if (!loaded_ && random_.Percent(8)) text += ".";
    } else if (form == 1) {
      text = (random_.Percent(50) ? "p1\\" : "..\\lib\\") + Spelled(name);
      Note(true, "relative path");
    } else {
      absolute = true;
      std::string path = random_.Pick(directories_) + "/" + name;
      // Mostly where a copy is.
      for (const TreeFile& file : tree_.files) {
        if (base::BaseName(file.path) == name && random_.Percent(80)) path = file.path;
      }
      text = base::ToWindowsPath(path);
      if (form == 3) std::ranges::replace(text, '\\', '/');
      if (form == 4) text = base::ToWindowsPath(home_) + "\\p2\\..\\lib\\" + Spelled(name);
      Note(true, "full path");
    }
    static const std::vector<uint32_t> kFlags = {0x200,  0x200,  0x400, 0x800, 0x1000,
                                                 0x1000, 0x1000, 0x600, 1,     0x10};
    static const std::vector<uint32_t> kFullPathFlags = {0x100, 0x1100, 0x1100, 0x1100, 0x300,
                                                         0xd00, 8,      8,      0x808};
    uint32_t flags = random_.Percent(50) ? 0 : random_.Pick(absolute ? kFullPathFlags : kFlags);
    if (random_.Percent(8)) flags = random_.Pick(absolute ? kFlags : kFullPathFlags);
    if (form == 1) flags &= ~8u;  // not documented for a relative path
    tree_.features.insert("flags " + std::to_string(flags));
    Do(OpKind::kLoad, text, flags);
    loaded_ = true;
  }

  Random random_;
  Tree tree_;
  std::string home_;
  std::vector<std::string> names_;
  std::vector<std::string> directories_;
  bool loaded_ = false;  // there was a load
};

}  // namespace

Tree GenerateTree(uint64_t seed, const std::string& name) { return Generator(seed, name).Make(); }

}  // namespace culprit::wine
