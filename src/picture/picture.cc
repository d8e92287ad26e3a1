// The load graph of a process as a picture. Loads and versions come from `culprit why` (why/load.cc). Added
// here: libraries that were opened and unloaded again because a load below them failed (they lead to the
// missing one), copies that are not loaded, and a few words about where each library comes from.
#include "picture/picture.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "loader/library_copies.h"
#include "picture/picture_findings.h"
#include "why/places.h"
#include "why/why.h"

namespace culprit::picture {
namespace {

using loader::LoadGraph;
using loader::Request;
using report::Picture;
using report::PictureLibrary;

constexpr size_t kCopiesShown = 8;  // per library

// "nvidia/cudnn" for .../site-packages/nvidia/cudnn/lib/libcudnn.so.9, "numpy" for .../numpy.libs/x.so; "" if
// the file is not in a Python package.
std::string PythonPackage(const std::string& path) {
  for (const std::string_view home : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = base::FoldCase(path).find(home);
    if (at == std::string::npos) continue;
    const std::vector<std::string> parts = base::Split(std::string_view(path).substr(at + home.size()), '/');
    if (parts.size() < 2) return "Python packages";
    if (parts[0] == "nvidia" && parts.size() > 2) return parts[0] + "/" + parts[1];
    return parts[0].ends_with(".libs") ? parts[0].substr(0, parts[0].size() - 5) : parts[0];
  }
  return "";
}

std::string OriginOf(const rules::Scene& scene, const PictureLibrary& library, const std::string& real_path) {
  if (library.missing) return "missing";
  const auto* row = knowledge::FindLibrary(base::BaseName(library.path));
  if (row != nullptr && row->family == "driver") return "driver";
  if (std::string package = PythonPackage(library.path); !package.empty()) return package;
  if (const auto& toolkits = scene.stack().toolkits) {
    for (const snapshot::Toolkit& toolkit : toolkits->copies) {
      if (library.path.starts_with(toolkit.root + "/") || real_path.starts_with(toolkit.root + "/"))
        return toolkit.version.empty() ? "CUDA toolkit" : "CUDA toolkit " + toolkit.version;
    }
  }
  if (library.system) return scene.OnWindows() ? "Windows" : "system";
  if (const auto& environments = scene.stack().environments) {
    for (const snapshot::PythonEnvironment& environment : *environments) {
      if (environment.prefix != "/usr" && library.path.starts_with(environment.prefix + "/"))
        return environment.kind == snapshot::EnvironmentKind::kConda ? "conda" : "Python";
    }
  }
  if (library.path.find("/lib-dynload/") != std::string::npos) return "Python";
  return std::string(base::DirName(library.path));
}

std::string FoundAt(const Request& request, const snapshot::Snapshot& snapshot) {
  for (const loader::Attempt& attempt : request.attempts) {
    if (attempt.outcome == loader::Outcome::kFound) return why::Absolute(snapshot, attempt.path);
  }
  return "";
}

class Drawing {
 public:
  Drawing(const rules::Scene& scene, const loader::Scenario& scenario)
      : scene_(scene), graph_(scenario.graph) {
    picture_.title = scenario.title;
    picture_.error = graph_.import_error.empty() ? graph_.error : graph_.import_error;
    AddLoads();
    for (const Request& request : graph_.requests) AddRequest(request);
    for (size_t i = 0; i < picture_.libraries.size(); ++i) {
      PictureLibrary& library = picture_.libraries[i];
      library.origin =
          OriginOf(scene_, library, i < graph_.objects.size() ? graph_.objects[i].real_path : "");
    }
  }

  void AddCopies(const std::vector<std::string>& directories);
  Picture Take() { return std::move(picture_); }

 private:
  void AddLoads() {
    const report::LoadAnswer answer = why::ExplainLoad(graph_, scene_.snapshot, scene_.view);
    picture_.libraries.push_back({.name = std::string(base::BaseName(graph_.target)),
                                  .path = graph_.target,
                                  .version = answer.version.version,
                                  .title = answer.title});
    for (const report::Load& load : answer.loads) {
      picture_.libraries.push_back({.name = std::string(base::BaseName(load.path)),
                                    .path = load.path,
                                    .version = load.version.version,
                                    .title = load.title,
                                    .via = load.via,
                                    .problem = load.problem,
                                    .system = load.system});
    }
    if (picture_.libraries.front().name.empty()) picture_.libraries.front().name = "the program";
  }

  size_t Added(const std::string& key, PictureLibrary library) {
    const auto [known, is_new] = added_.try_emplace(key, picture_.libraries.size());
    if (is_new) {
      const auto* row = knowledge::FindLibrary(library.name);
      if (row != nullptr) library.title = row->title;
      if (row != nullptr && !library.path.empty()) {
        if (const auto version = scene_.view.Version(library.path)) library.version = version->version;
      }
      picture_.libraries.push_back(std::move(library));
    }
    return known->second;
  }

  size_t Requester(const Request& request) {
    // If it was unloaded again, `requester` is only the one that began that load.
    if (request.requester_path.empty()) return request.requester == loader::kNone ? 0 : request.requester;
    const std::string path = why::Absolute(scene_.snapshot, request.requester_path);
    for (size_t i = 0; i < graph_.objects.size(); ++i) {
      if (picture_.libraries[i].path == path) return i;
    }
    return Added(path, {.name = std::string(base::BaseName(path)), .path = path, .unloaded = true});
  }

  void AddRequest(const Request& request) {
    if (request.alternative && request.object == loader::kNone) return;
    const bool dlopen =
        request.opened_by == loader::OpenedBy::kDlopen || request.opened_by == loader::OpenedBy::kDelayed;
    size_t to = request.object;
    if (to == loader::kNone) {
      const std::string found = FoundAt(request, scene_.snapshot);
      if (!found.empty()) {
        to = Added(found, {.name = std::string(base::BaseName(found)),
                           .path = found,
                           .via = request.via,
                           .unloaded = true});
        PictureLibrary& library = picture_.libraries[to];
        if (library.problem.empty()) library.problem = request.error;
      } else if (!request.error.empty() && !request.optional) {
        to = Added(request.name, {.name = request.name, .problem = request.error, .missing = true});
      } else {
        return;
      }
    }
    const size_t from = Requester(request);
    if (from != to && seen_.insert({from, to}).second) picture_.edges.push_back({from, to, dlopen});
    PictureLibrary& library = picture_.libraries[to];
    const bool brought = request.object == loader::kNone || request.loaded_now;
    if (brought && library.searched.empty()) {
      for (const loader::Attempt& attempt : request.attempts) {
        if (why::WorthShowing(attempt)) library.searched.push_back(why::PlaceOf(attempt, scene_.snapshot));
      }
    }
  }

  const rules::Scene& scene_;
  const LoadGraph& graph_;
  Picture picture_;
  std::map<std::string, size_t> added_;
  std::set<std::pair<size_t, size_t>> seen_;
};

// For CUDA libraries only: nobody asks how many copies of libz there are.
void Drawing::AddCopies(const std::vector<std::string>& directories) {
  std::set<std::string> shown;
  for (const PictureLibrary& library : picture_.libraries) {
    if (!library.path.empty()) shown.insert(scene_.view.RealPath(library.path));
  }
  const size_t count = picture_.libraries.size();
  for (size_t i = 1; i < count; ++i) {
    const PictureLibrary winner = picture_.libraries[i];
    if (winner.title.empty()) continue;
    size_t copies = 0;
    for (const auto& copy : loader::FindCopies(directories, scene_.view, winner.name)) {
      if (copies == kCopiesShown) break;
      if (!shown.insert(copy.real_path).second) continue;
      ++copies;
      PictureLibrary loser{.name = std::string(base::BaseName(copy.path)),
                           .path = copy.path,
                           .title = winner.title,
                           .loses = true,
                           .winner = i};
      if (const auto version = scene_.view.Version(copy.path)) loser.version = version->version;
      loser.origin = OriginOf(scene_, loser, copy.real_path);
      picture_.libraries.push_back(std::move(loser));
    }
  }
}

// When each file of a process was loaded.
void AddTimes(Picture& picture, const record::Process& process) {
  std::map<std::string_view, uint64_t> times;
  for (const record::Loaded& load : process.loads) times.try_emplace(load.path, load.at);
  for (PictureLibrary& library : picture.libraries) {
    const auto known = times.find(library.path);
    if (known != times.end() && !library.loses) library.seconds = static_cast<double>(known->second) / 1e6;
  }
}

// How much a picture has to show: errors, then warnings, then what was observed rather than simulated, then
// any use of CUDA.
using Weight = std::tuple<size_t, bool, bool, size_t>;
Weight WeightOf(const Picture& picture, bool seen, const report::CheckReport& check) {
  size_t cuda = 0, worst = 0;
  bool culprit = false;
  for (const PictureLibrary& library : picture.libraries) {
    culprit |= library.culprit;
    cuda += library.title.empty() || library.loses || library.missing ? 0 : 1;
    if (library.culprit || library.suspect) worst = std::max<size_t>(worst, library.culprit ? 2 : 1);
  }
  for (const report::Finding& finding : check.findings) {
    const bool about = std::ranges::find(finding.affects, picture.title) != finding.affects.end();
    if (about && finding.severity != report::Severity::kNote)
      worst = std::max<size_t>(worst, finding.severity == report::Severity::kError ? 2 : 1);
  }
  return {worst, culprit, seen, cuda};
}

}  // namespace

std::vector<Picture> Pictures(const rules::Scene& scene, const report::CheckReport& check,
                              const record::Run* run) {
  std::vector<std::pair<Weight, Picture>> weighed;
  const std::vector<std::string> directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.graph.objects.empty()) continue;
    Drawing drawing(scene, scenario);
    drawing.AddCopies(directories);
    Picture picture = drawing.Take();
    MarkFindings(picture, check);
    MarkMixed(picture, check);
    for (const record::Process& process : run == nullptr ? std::vector<record::Process>() : run->processes) {
      if (scenario.WasSeen() && process.id == scenario.process) AddTimes(picture, process);
    }
    // Before the first one that has less to show; equal ones keep their order.
    const Weight weight = WeightOf(picture, scenario.WasSeen(), check);
    const auto place = std::ranges::find_if(weighed, [&](const auto& other) { return other.first < weight; });
    weighed.insert(place, {weight, std::move(picture)});
  }
  std::vector<Picture> pictures;
  for (auto& [weight, picture] : weighed) pictures.push_back(std::move(picture));
  return pictures;
}

}  // namespace culprit::picture
