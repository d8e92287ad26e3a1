// One library: the winner, why it wins, the search, the other copies.
#include <fmt/format.h>

#include <algorithm>

#include "render/place.h"
#include "render/why/why.h"

namespace culprit::render {

std::string VersionText(const report::LibraryVersion& version) {
  if (version.version.empty()) return "";
  return version.cuda.empty() ? version.version
                              : fmt::format("{} (for CUDA {})", version.version, version.cuda);
}

namespace {

std::string PlaceDetail(const report::Place& place) {
  std::string detail = place.detail;
  if (!place.origin.empty()) {
    if (!detail.empty()) detail += "; ";
    detail += (place.via == base::Via::kRpath ? "RPATH of " : "RUNPATH of ") + place.origin;
  }
  return detail;
}

}  // namespace

std::string PlacesText(const std::vector<report::Place>& places, const Style& style) {
  std::string text;
  size_t width = 0;
  for (const report::Place& place : places) width = std::max(width, base::Printable(place.path).size());
  width = std::min<size_t>(width, 72);
  size_t number = 0;
  for (const report::Place& place : places) {
    const std::string word(base::NameOrNone(place.outcome));
    const std::string outcome = place.outcome == base::LoadOutcome::kFound     ? style.Good(word)
                                : place.outcome == base::LoadOutcome::kMissing ? style.Dim(word)
                                                                               : style.Bad(word);
    const std::string detail = PlaceDetail(place);
    text += fmt::format("  {:>3}  {:<15}  {:<{}}  {}{}\n", ++number, base::NameOrNone(place.via),
                        base::Printable(place.path), width, outcome,
                        detail.empty() ? "" : "  " + style.Dim(detail));
  }
  return text;
}

std::string CopiesText(const std::vector<report::Copy>& copies, const Style& style) {
  std::string text;
  for (const report::Copy& copy : copies) {
    text += fmt::format("  {}  {}{}\n", base::Printable(copy.path), VersionText(copy.version),
                        copy.note.empty() ? "" : "  " + style.Warn(copy.note));
  }
  return text;
}

namespace {

// The first function of each pair of DLLs, and the number of others.
std::string Functions(const std::vector<report::MissingFunction>& functions, const Style& style) {
  std::string text;
  for (size_t i = 0; i < functions.size();) {
    const auto& [function, dll, importer] = functions[i];
    size_t end = i;
    while (end < functions.size() && functions[end].dll == dll && functions[end].importer == importer) ++end;
    const std::string more = end - i == 1 ? "" : fmt::format(" and {} more", end - i - 1);
    const std::string where = dll.empty() ? "any loaded library" : base::Printable(dll);
    text += fmt::format("\n{} {}{}, which {} needs, is not in {}\n", style.Bad("missing function:"),
                        style.Bold(function), more, base::Printable(importer), where);
    i = end;
  }
  return text;
}

}  // namespace

std::string ToText(const report::LibraryAnswer& answer, const Style& style) {
  std::string text = style.Bold(answer.library);
  text += answer.target.empty() ? " on this machine\n" : " for " + base::Printable(answer.target) + "\n";
  if (answer.resolved) {
    const auto& resolved = *answer.resolved;
    text += fmt::format("  {} {}  {}\n", style.Good("=>"), style.Bold(resolved.path),
                        style.Good(VersionText(resolved.version)));
    if (resolved.real_path != resolved.path)
      text += fmt::format("     is {}\n", base::Printable(resolved.real_path));
    text += fmt::format("     found by {}", Name(resolved.via));
    if (!answer.requested_by.empty()) {
      text += fmt::format(", needed by {}{}", base::Printable(answer.requested_by),
                          answer.opened_by == base::Opened::kDlopen ? " (dlopen)" : "");
    }
    text += '\n';
  } else if (answer.uncertain) {
    text += fmt::format("  {} unknown: the snapshot does not contain the files that decide this\n",
                        style.Warn("?"));
  } else {
    text += fmt::format("  {} {}\n", style.Bad("not loaded:"), base::Printable(answer.error));
    if (!answer.requested_by.empty())
      text += fmt::format("     needed by {}\n", base::Printable(answer.requested_by));
  }
  if (!answer.also_requested_by.empty()) {
    text += "     also needed by";
    for (const std::string& who : answer.also_requested_by) text += " " + base::Printable(who);
    text += '\n';
  }
  text += Functions(answer.missing_functions, style);
  if (!answer.searched.empty()) text += "\nsearched, in this order:\n" + PlacesText(answer.searched, style);
  for (const report::MissingLibrary& missing : answer.missing) {
    text += fmt::format("\n{} {}, needed by {}\n", style.Bad("missing:"), style.Bold(missing.name),
                        base::Printable(missing.requested_by));
    text += PlacesText(missing.searched, style);
  }
  if (!answer.other_copies.empty()) {
    text += "\nother copies, not used:\n" + CopiesText(answer.other_copies, style);
  }
  if (!answer.target_error.empty()) {
    text += fmt::format("\n{} {}\n", style.Bad("the program itself does not start:"),
                        base::Printable(answer.target_error));
  }
  for (const std::string& note : answer.notes) text += fmt::format("\nnote: {}\n", base::Printable(note));
  return text;
}

}  // namespace culprit::render
