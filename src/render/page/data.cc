#include "render/page/data.h"

#include <array>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "render/document.h"

namespace culprit::render {
namespace {

using base::Json;
using report::Picture;
using report::PictureLibrary;

// A page is opened on laptops and mailed. Pictures beyond this size are left out, and the page says so.
constexpr size_t kBytes = 1'500'000;

class Packed {
 public:
  explicit Packed(const PageText& text) : text_(text) {}

  size_t String(const std::string& foreign) {
    const auto [known, is_new] = known_.try_emplace(foreign, strings_.size());
    if (is_new) {
      strings_.push_back(text_.Words(foreign));
      bytes_ += strings_.back().get_ref<const std::string&>().size() + 3;
    }
    return known->second;
  }

  // [directory, via, outcome, detail, whose run path, name or -1 if it is the library's]
  size_t Step(const report::Place& place, const std::string& name) {
    const std::string file(base::BaseName(place.path));
    const std::array<int64_t, 6> step = {Number(String(std::string(base::DirName(place.path)))),
                                         Number(String(std::string(base::NameOrNone(place.via)))),
                                         Number(String(std::string(base::NameOrNone(place.outcome)))),
                                         Number(String(place.detail)),
                                         Number(String(place.origin)),
                                         file == name ? -1 : Number(String(file))};
    const auto [known, is_new] = known_steps_.try_emplace(step, steps_.size());
    if (is_new) {
      steps_.push_back(Json(step));
      bytes_ += 24;
    }
    return known->second;
  }

  // [name, directory or -1, version, title, origin, via, problem, flags, seconds, winner, [step...],
  // [finding...]]
  Json Library(const PictureLibrary& library) {
    const int flags = (library.culprit ? 1 : 0) | (library.suspect ? 2 : 0) | (library.loses ? 4 : 0) |
                      (library.missing ? 8 : 0) | (library.unloaded ? 16 : 0) | (library.system ? 32 : 0);
    Json steps = Json::array(), findings = Json::array();
    for (const report::Place& place : library.searched) steps.push_back(Step(place, library.name));
    for (const size_t finding : library.findings) findings.push_back(finding);
    bytes_ += 60 + 5 * library.searched.size();
    return Json::array({String(library.name),
                        library.path.empty() ? -1 : Number(String(std::string(base::DirName(library.path)))),
                        String(library.version), String(library.title), String(library.origin),
                        String(std::string(base::NameOrNone(library.via))), String(library.problem), flags,
                        library.seconds, library.winner, std::move(steps), std::move(findings)});
  }

  Json Drawn(const Picture& picture) {
    Json libraries = Json::array(), edges = Json::array();
    for (const PictureLibrary& library : picture.libraries) libraries.push_back(Library(library));
    for (const report::PictureEdge& edge : picture.edges) {
      edges.push_back(edge.from);
      edges.push_back(edge.to);
      edges.push_back((edge.dlopen ? 1 : 0) | (edge.mixed ? 2 : 0));
      bytes_ += 12;
    }
    return {{"title", text_.Words(picture.title)},
            {"error", text_.Words(picture.error)},
            {"libraries", std::move(libraries)},
            {"edges", std::move(edges)}};
  }

  Json Take(Json pictures, Json timeline, size_t left_out, bool windows) {
    return {
        {"strings", std::move(strings_)},  {"steps", std::move(steps_)}, {"pictures", std::move(pictures)},
        {"timeline", std::move(timeline)}, {"left_out", left_out},       {"separator", windows ? "\\" : "/"}};
  }

  size_t bytes() const { return bytes_; }

 private:
  static int64_t Number(size_t place) { return static_cast<int64_t>(place); }

  const PageText& text_;
  std::map<std::string, size_t> known_;
  std::map<std::array<int64_t, 6>, size_t> known_steps_;
  Json strings_ = Json::array(), steps_ = Json::array();
  size_t bytes_ = 0;
};

}  // namespace

std::string ForScript(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : VisibleJson(json)) {
    if (c == '<') {
      safe += "\\u003c";
    } else if (c == '>') {
      safe += "\\u003e";
    } else if (c == '&') {
      safe += "\\u0026";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string PageData(const PageFacts& facts, const PageText& text) {
  Packed packed(text);
  Json pictures = Json::array(), timeline = Json::array();
  for (const report::TimelineEvent& event : facts.timeline) {
    timeline.push_back(Json::array({event.seconds, packed.String(event.process),
                                    packed.String(std::string(base::Word(event.kind))),
                                    packed.String(event.text), event.bad ? 1 : 0}));
  }
  size_t left_out = 0;
  for (const Picture& picture : facts.pictures) {
    if (packed.bytes() > kBytes) {
      ++left_out;
    } else {
      pictures.push_back(packed.Drawn(picture));
    }
  }
  return ForScript(packed.Take(std::move(pictures), std::move(timeline), left_out, facts.windows).dump());
}

}  // namespace culprit::render
