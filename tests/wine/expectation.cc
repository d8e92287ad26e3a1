#include "expectation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/text.h"
#include "base/windows/path.h"
#include "loader/windows/windows.h"

namespace culprit::wine {
namespace {

using Forwarded = std::set<std::pair<std::string, std::string>>;  // folded path of a DLL, name of the target

// The files as Wine's loader sees them: no export is ever missing, and forwarders without a target do not
// exist.
class WineView final : public snapshot::FileView {
 public:
  WineView(snapshot::FileView& files, const Forwarded& dropped) : files_(files), dropped_(dropped) {}

  const snapshot::FileFacts& Open(const std::string& path) override { return files_.Open(path); }
  base::PathError Directory(const std::string& path) override { return files_.Directory(path); }
  std::string RealPath(const std::string& path) override { return files_.RealPath(path); }
  std::optional<std::vector<snapshot::DirectoryItem>> List(const std::string& path) override {
    return files_.List(path);
  }
  snapshot::Fact<snapshot::LibraryVersion> Version(const std::string& path) override {
    return files_.Version(path);
  }
  snapshot::Fact<binfmt::GpuCode> GpuCode(const std::string& path) override { return files_.GpuCode(path); }
  const binfmt::PeExports* Exports(const std::string& path) override {
    const binfmt::PeExports* exports = files_.Exports(path);
    if (exports == nullptr) return nullptr;
    auto& copy = copies_[path];
    if (copy != nullptr) return copy.get();
    copy = std::make_unique<binfmt::PeExports>(*exports);
    copy->cut = true;
    std::erase_if(copy->forwarders, [&](const auto& forwarder) {
      const std::string target = forwarder.target.substr(0, forwarder.target.rfind('.'));
      return dropped_.contains({base::FoldCase(path), target});
    });
    return copy.get();
  }

 private:
  snapshot::FileView& files_;
  const Forwarded& dropped_;
  std::map<std::string, std::unique_ptr<binfmt::PeExports>> copies_;
};

// The result of each load or program of a tree, and the requests that it made.
struct Played {
  Ending ending;
  std::vector<loader::Request> requests;
  std::vector<loader::MissingExport> missing_exports;
};

uint32_t ExitCode(const std::string& error) {
  for (const uint32_t code : {0xC0000135, 0xC0000139, 0xC0000138, 0xC000007B, 0xC0000022}) {
    char text[16];
    std::snprintf(text, sizeof(text), "0x%08X", code);
    if (error.find(text) != std::string::npos) return code;
  }
  return error.empty() ? 0 : 1;
}

class Player {
 public:
  Player(const Tree& tree, snapshot::FileView& view, bool known) : tree_(tree), view_(view) {
    snapshot::WindowsFacts facts;
    facts.directory = "/C:/windows";
    facts.present = true;
    facts.safe_search = tree.safe_mode;
    if (known) facts.known_dlls = tree.known_dlls;
    snapshot_.stack.windows = snapshot::Fact<snapshot::WindowsFacts>::Of(facts, "the test");
    snapshot_.working_directory = kTop;
    snapshot_.environment["PATH"] = "";
  }

  std::vector<Played> Play() {
    loader::WindowsProcess process(snapshot_, view_, {.target = kDriver});
    process.Start();
    if (!process.graph().error.empty()) throw std::runtime_error(process.graph().error);
    for (const Operation& operation : tree_.operations) Do(operation, process);
    return std::move(played_);
  }

 private:
  void Do(const Operation& operation, loader::WindowsProcess& process) {
    const std::string& text = operation.text;
    switch (operation.kind) {
      case Operation::Kind::kChangeDirectory:
        process.SetCurrentDirectory(text);
        snapshot_.working_directory = base::FromWindowsPath(text);
        break;
      case Operation::Kind::kPath:
        process.SetPath(text);
        snapshot_.environment["PATH"] = text;
        break;
      case Operation::Kind::kDllDirectory:
        process.SetDllDirectory(text);
        break;
      case Operation::Kind::kAdd:
        process.AddDllDirectory(text);
        break;
      case Operation::Kind::kRemove:
        process.RemoveDllDirectory(text);
        break;
      case Operation::Kind::kDefaults:
        process.SetDefaultDllDirectories(operation.flags);
        break;
      case Operation::Kind::kLoad:
        Load(operation, process);
        break;
      case Operation::Kind::kRun:
        Run(text);
        break;
    }
  }

  // Each with the path of the requester.
  static std::vector<loader::Request> Requests(const loader::LoadGraph& graph, size_t first) {
    std::vector<loader::Request> requests(graph.requests.begin() + static_cast<long>(first),
                                          graph.requests.end());
    for (loader::Request& request : requests) {
      const bool by_path = !request.requester_path.empty() || request.requester == loader::kNone;
      if (!by_path) request.requester_path = graph.objects[request.requester].path;
    }
    return requests;
  }

  void Load(const Operation& operation, loader::WindowsProcess& process) {
    const loader::LoadGraph& graph = process.graph();
    const size_t first = graph.requests.size();
    const size_t first_missing = graph.missing_exports.size();
    process.Dlopen(operation.text, 0, operation.flags);
    Played played;
    played.requests = Requests(graph, first);
    played.missing_exports.assign(graph.missing_exports.begin() + static_cast<long>(first_missing),
                                  graph.missing_exports.end());
    const loader::Request& request = graph.requests[first];
    played.ending.code = request.code;
    if (request.object != loader::kNone) {
      played.ending.path = base::FoldCase(graph.objects[request.object].path);
    }
    const std::string mine = base::FoldCase(tree_.name) + "_";
    for (const loader::Object& object : graph.objects) {
      if (base::FoldCase(base::BaseName(object.path)).starts_with(mine)) {
        played.ending.modules.push_back(base::FoldCase(object.path));
      }
    }
    std::ranges::sort(played.ending.modules);
    played_.push_back(std::move(played));
  }

  void Run(const std::string& program) {
    loader::WindowsProcess process(snapshot_, view_, {.target = base::FromWindowsPath(program)});
    process.Start();
    Played played{.ending = {.code = ExitCode(process.graph().error), .path = "", .modules = {}},
                  .requests = Requests(process.graph(), 0),
                  .missing_exports = process.graph().missing_exports};
    played_.push_back(std::move(played));
  }

  const Tree& tree_;
  snapshot::FileView& view_;
  snapshot::Snapshot snapshot_;
  std::vector<Played> played_;
};

// Forwarders of a failed load that have no target.
Forwarded LeadingNowhere(const Played& played, snapshot::FileView& view) {
  Forwarded found;
  for (const loader::Request& request : played.requests) {
    if (request.code == 0 || request.requester_path.empty()) continue;
    const binfmt::PeExports* exports = view.Exports(request.requester_path);
    if (exports == nullptr) continue;
    for (const auto& forwarder : exports->forwarders) {
      if (forwarder.target.substr(0, forwarder.target.rfind('.')) != request.name) continue;
      found.emplace(base::FoldCase(request.requester_path), request.name);
    }
  }
  return found;
}

bool IsProgram(const Tree& tree) {
  return std::ranges::any_of(tree.operations,
                             [](const auto& one) { return one.kind == Operation::Kind::kRun; });
}

// A failure below the requested DLL.
bool InDependency(const Played& played) {
  if (played.requests.empty()) return false;
  const auto& top = played.requests.front();
  return !top.attempts.empty() && top.attempts.back().outcome == loader::Outcome::kFound;
}

}  // namespace

const char* Words(Difference difference) {
  switch (difference) {
    case Difference::kNone:
      return "none";
    case Difference::kMissingFunction:
      return "a missing function is no error in Wine";
    case Difference::kForwarder:
      return "a forwarder that leads nowhere is no error in Wine";
    case Difference::kDependencyCode:
      return "whatever is wrong with a dependency is 126 in Wine";
    case Difference::kKnownDll:
      return "Wine has no known DLLs";
    case Difference::kSecondModule:
      return "of two loaded modules with one name Wine gives the one it looked at last";
    case Difference::kUnexplained:
      return "not explained";
  }
  return "";
}

std::vector<Expected> Expect(const Tree& tree, snapshot::FileView& view) {
  const bool program = IsProgram(tree);
  std::vector<Played> documented = Player(tree, view, /*known=*/true).Play();
  Forwarded dropped;
  std::vector<Played> adjusted;
  for (size_t round = 0; round < 32; ++round) {
    WineView wine(view, dropped);
    adjusted = Player(tree, wine, /*known=*/false).Play();
    Forwarded more;
    for (const Played& played : adjusted) {
      if (played.ending.code == 0) continue;
      more = LeadingNowhere(played, view);
      break;
    }
    const size_t before = dropped.size();
    dropped.insert(more.begin(), more.end());
    if (dropped.size() == before) break;
  }
  std::vector<Expected> all;
  for (size_t i = 0; i < adjusted.size(); ++i) {
    Expected expected{.windows = documented[i].ending, .wine = adjusted[i].ending};
    expected.in_dependency = expected.windows.code != 0 && InDependency(documented[i]);
    if (program && expected.wine.code != 0) {
      expected.wine.code = 0xC0000135;
    } else if (!program && expected.wine.code != 0 && InDependency(adjusted[i])) {
      expected.wine.code = 126;
    }
    for (const auto& missing : documented[i].missing_exports) {
      expected.missing_functions.emplace_back(missing.dll, missing.function);
    }
    const uint32_t code = expected.windows.code;
    const bool differed = !all.empty() && all.back().difference != Difference::kNone;
    if (expected.windows != expected.wine && differed) {
      expected.difference = all.back().difference;
      expected.consequence = true;
    } else if (expected.windows != expected.wine) {
      const bool function = code == 127 || code == 182 || code == 0xC0000139 || code == 0xC0000138;
      expected.difference = expected.wine.code != 0 && code != 0 ? Difference::kDependencyCode
                            : function                           ? Difference::kMissingFunction
                            : code != 0 && !dropped.empty()      ? Difference::kForwarder
                            : !tree.known_dlls.empty()           ? Difference::kKnownDll
                                                                 : Difference::kUnexplained;
    }
    all.push_back(std::move(expected));
    if (all.back().wine.code != 0) break;
  }
  return all;
}

}  // namespace culprit::wine
