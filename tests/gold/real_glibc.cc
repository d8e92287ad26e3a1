// The gold side: runs a built tree under the real ld.so with the audit library and turns its events into a
// transcript. Every fact comes from the loader, with one exception: if a candidate led to no new object,
// inodes are compared, as the loader itself does, to see whether it is already loaded under another name.
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "child.h"
#include "transcript.h"

namespace culprit::gold {
namespace {

using FileId = std::pair<uint64_t, uint64_t>;

std::optional<FileId> IdOf(const std::string& path, const std::string& working_directory) {
  struct stat st;
  if (path.empty() || stat(base::JoinPath(working_directory, path).c_str(), &st) != 0) return std::nullopt;
  return FileId{st.st_dev, st.st_ino};
}

class EventReader {
 public:
  EventReader(const RealLoader& loader, const Tree& tree, const std::string& root)
      : loader_(loader), tree_(tree), root_(root) {}

  Truth Read(const Ran& ran) {
    for (const std::string& line : Lines(ran.events)) {
      const std::vector<std::string> fields = base::Split(line, '\t');
      if (fields[0] == "L") break;  // the program is about to end
      if (fields.size() < 2) {
        truth_.problem = "bad event: " + line;
        return std::move(truth_);
      }
      if (fields[0] == "S" && fields.size() == 4) Searched(fields[1], fields[2], fields[3]);
      if (fields[0] == "O") Opened(fields[1]);
      if (fields[0] == "C")
        std::erase_if(objects_, [&](const Object& object) { return object.path == fields[1]; });
      if (fields[0] == "D" && fields.size() == 3) Calls(fields[1], fields[2]);
      if (fields[0] == "R" && fields.size() >= 3) Returned(fields[1], line.substr(line.find('\t', 2) + 1));
    }
    EndSearch(std::nullopt);
    if (call_) {  // it died there
      truth_.transcript.searches.push_back("dlopen " + call_->name + " by " + Shown(call_->caller));
      objects_.resize(std::min(objects_.size(), objects_before_call_));
    }
    Render(/*failed=*/call_.has_value());
    for (const Object& object : objects_)
      if (object.path != loader_.traits.interpreter && !object.via.empty())
        truth_.transcript.loaded.push_back("loaded " + Shown(object.path) + " via " + object.via + " for " +
                                           Shown(object.requester));
    return std::move(truth_);
  }

 private:
  struct Object {
    std::string path;
    std::optional<FileId> id;
    std::string via, requester;
  };
  struct Search {
    std::string name, requester;
    std::vector<std::pair<std::string, std::string>> tries;  // stage, path
    std::string outcome;
  };

  std::string Shown(std::string path) const {
    if (path.empty()) return "<program>";
    if (path == loader_.traits.interpreter) return "<loader>";
    ReplaceAll(path, root_, "@");
    return path;
  }

  void Searched(const std::string& stage, const std::string& path, const std::string& requester) {
    if (stage == "request") {
      EndSearch(std::nullopt);
      pending_.push_back({path, requester, {}, ""});
      open_ = true;
    } else if (!pending_.empty()) {
      pending_.back().tries.emplace_back(stage, path);
    }
  }

  void Opened(const std::string& path) {
    // The vdso is announced after the preloads.
    if (path.starts_with("linux-vdso") || path.starts_with("linux-gate")) EndSearch(std::nullopt);
    if (!open_) {  // the program, the loader, the vdso
      objects_.push_back({path, std::nullopt, "", ""});
      return;
    }
    const Search& search = pending_.back();
    const std::string via = search.tries.empty() ? "path" : search.tries.back().first;
    objects_.push_back({path, IdOf(path, tree_.working_directory), via, search.requester});
    pending_.back().outcome = "found " + Shown(path);
    open_ = false;
  }

  // A search that brought in nothing new: something loaded under another name, or a failure.
  void EndSearch(const std::optional<std::string>& result) {
    if (!open_) return;
    open_ = false;
    Search& search = pending_.back();
    std::string last = search.tries.empty() ? Expanded(search) : search.tries.back().second;
    if (search.tries.empty() && result && call_ && search.name == call_->name) last = *result;
    const auto id = search.tries.empty() && search.name.find('/') == std::string::npos
                        ? std::nullopt
                        : IdOf(last, tree_.working_directory);
    search.outcome = "nothing";
    for (const Object& object : objects_)
      if (id && object.id == id) search.outcome = "same as " + Shown(object.path);
  }

  // A name with '/' as it is opened.
  std::string Expanded(const Search& search) const {
    std::string origin = search.requester.empty() ? std::filesystem::canonical(StartPath(tree_)).string()
                                                  : base::JoinPath(tree_.working_directory, search.requester);
    origin = base::DirName(origin);
    std::string name = search.name;
    ReplaceAll(name, "${ORIGIN}", origin);
    ReplaceAll(name, "$ORIGIN/", origin + "/");
    return name;
  }

  void Calls(const std::string& caller, const std::string& name) {
    EndSearch(std::nullopt);
    Render(false);
    call_ = Call{caller, name};
    objects_before_call_ = objects_.size();
    truth_.calls.push_back(*call_);
  }

  void Returned(const std::string& result, std::string text) {
    const bool opened = result == "ok";
    EndSearch(opened ? std::optional(text) : std::nullopt);
    truth_.transcript.searches.push_back("dlopen " + call_->name + " by " + Shown(call_->caller));
    call_.reset();
    Render(!opened);
    ReplaceAll(text, root_, "@");
    truth_.transcript.searches.push_back(opened ? "  opened " + Shown(text) : "  error " + text);
  }

  void Render(bool failed) {
    auto& lines = truth_.transcript.searches;
    for (const Search& search : pending_) {
      lines.push_back("search " + search.name + (failed ? "" : " for " + Shown(search.requester)));
      for (const auto& [stage, path] : search.tries) lines.push_back("  " + stage + " " + path);
      if (!failed) lines.push_back("  " + search.outcome);
    }
    for (std::string& line : lines) ReplaceAll(line, root_, "@");
    pending_.clear();
  }

  const RealLoader& loader_;
  const Tree& tree_;
  const std::string& root_;
  Truth truth_;
  std::vector<Object> objects_;
  std::vector<Search> pending_;
  bool open_ = false;         // the last of pending_ is still under way
  std::optional<Call> call_;  // under way
  size_t objects_before_call_ = 0;
};

void AddMessages(const Ran& ran, const std::string& root, std::vector<std::string>& messages) {
  for (std::string line : Lines(ran.err)) {
    ReplaceAll(line, root, "@");
    if (line.starts_with("Inconsistency detected by ld.so: ")) {  // without the line number
      const size_t file_end = line.find(": ", 33), number_end = line.find(": ", file_end + 2);
      if (number_end != std::string::npos) line.erase(file_end, number_end - file_end);
    }
    messages.push_back("stderr " + line);
  }
  if (WIFSIGNALED(ran.status)) messages.push_back("killed by signal " + std::to_string(WTERMSIG(ran.status)));
  std::ranges::sort(messages);
}

}  // namespace

std::vector<std::string> ReadTrace(const Ran& ran, const std::string& interpreter, const std::string& root) {
  std::vector<std::string> trace, versions;
  if (WIFSIGNALED(ran.status)) {
    return {"trace killed by signal " + std::to_string(WTERMSIG(ran.status))};
  }
  for (std::string line : Lines(ran.err)) {
    if (line.find(": error while loading shared libraries: ") == std::string::npos) continue;
    ReplaceAll(line, root, "@");
    return {"trace " + line};
  }
  for (std::string line : Lines(ran.err)) {
    ReplaceAll(line, root, "@");
    if (!line.starts_with("ERROR: ld.so: ")) versions.push_back("trace says " + line);
  }
  for (std::string line : Lines(ran.out)) {
    line = line.substr(line.find_first_not_of('\t'));
    if (const size_t address = line.rfind(" (0x"); address != std::string::npos) line.resize(address);
    const size_t arrow = line.find(" => ");
    const std::string path = arrow == std::string::npos ? line : line.substr(arrow + 4);
    if (path.starts_with("linux-vdso") || path.starts_with("linux-gate") || path == interpreter) continue;
    if (arrow == std::string::npos) line = path + " => " + path;
    ReplaceAll(line, root, "@");
    trace.push_back("trace " + line);
  }
  std::ranges::sort(versions);
  trace.insert(trace.end(), versions.begin(), versions.end());
  return trace;
}

Truth AskGlibc(const RealLoader& loader, const Tree& tree, const std::string& root) {
  auto environment = tree.environment;
  environment["LD_AUDIT"] = loader.audit;
  const Ran ran = Spawn(tree.start, tree.start, tree.calls, environment, tree.working_directory);
  if (ran.timed_out) return {{}, {}, "the program did not end"};
  Truth truth = EventReader(loader, tree, root).Read(ran);
  AddMessages(ran, root, truth.transcript.messages);

  if (HasFilters(tree)) return truth;
  environment = tree.environment;
  environment["LD_TRACE_LOADED_OBJECTS"] = "1";  // lists everything, missing libraries included
  const Ran traced = Spawn(tree.start, tree.start, {}, environment, tree.working_directory);
  truth.transcript.trace = ReadTrace(traced, loader.traits.interpreter, root);
  return truth;
}

LoaderTraits ProbeGlibc(const std::string& program, const std::string& audit, const std::string& directory) {
  LoaderTraits traits;
  const Ran ran = Spawn(program, program, {},
                        {{"LD_AUDIT", audit}, {"LD_LIBRARY_PATH", "/+/$LIB:/+/$PLATFORM:/+"}}, directory);
  std::vector<std::string> tried;
  for (const std::string& line : Lines(ran.events)) {
    const auto fields = base::Split(line, '\t');
    if (fields[0] == "O" && fields.size() == 2 && traits.interpreter.empty() && fields[1].starts_with('/'))
      traits.interpreter = fields[1];  // opened before any search
    if (fields[0] == "S" && fields.size() == 4 && fields[1] == "request" && traits.libc.empty())
      traits.libc = fields[2];
    if (fields[0] == "S" && fields.size() == 4 && fields[1] == "ld_library_path")
      tried.emplace_back(base::DirName(fields[2]));
  }
  traits.soname = base::BaseName(traits.interpreter);
  // The list is: sub-directories of $LIB's, $LIB's own, those of $PLATFORM's, ..., those of "/+", "/+".
  if (tried.size() % 3 != 0 || tried.empty()) return {};
  const size_t each = tried.size() / 3;
  traits.lib = tried[each - 1].substr(3);
  traits.platform = tried[2 * each - 1].substr(3);
  for (size_t i = 2 * each; i + 1 < tried.size(); ++i) traits.hwcaps_dirs.push_back(tried[i].substr(3));
  return traits;
}

}  // namespace culprit::gold
