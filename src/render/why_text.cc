// One library: the winner, why, the search, the losers.
#include <fmt/format.h>

#include <algorithm>

#include "render/why.h"

namespace culprit::render {
namespace {

std::string VersionText(const report::LibraryVersion& version) {
  if (version.version.empty()) return "";
  return version.cuda.empty() ? version.version
                              : fmt::format("{} (for CUDA {})", version.version, version.cuda);
}

std::string PlaceDetail(const report::Place& place) {
  std::string detail = place.detail;
  if (!place.origin.empty()) {
    if (!detail.empty()) detail += "; ";
    detail += (place.via == "rpath" ? "RPATH of " : "RUNPATH of ") + place.origin;
  }
  return detail;
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
    text += fmt::format("     found by {}", resolved.via);
    if (!answer.requested_by.empty()) {
      text += fmt::format(", asked for by {}{}", base::Printable(answer.requested_by),
                          answer.opened_by == "dlopen" ? " (dlopen)" : "");
    }
    text += '\n';
  } else if (answer.uncertain) {
    text += fmt::format("  {} not enough facts: the snapshot does not hold what decides\n", style.Warn("?"));
  } else {
    text += fmt::format("  {} {}\n", style.Bad("not loaded:"), base::Printable(answer.error));
    if (!answer.requested_by.empty())
      text += fmt::format("     asked for by {}\n", base::Printable(answer.requested_by));
  }
  if (!answer.also_requested_by.empty()) {
    text += "     also asked for by";
    for (const std::string& who : answer.also_requested_by) text += " " + base::Printable(who);
    text += '\n';
  }
  if (!answer.searched.empty()) {
    text += "\nsearched, in this order:\n";
    size_t width = 0;
    for (const report::Place& place : answer.searched)
      width = std::max(width, base::Printable(place.path).size());
    width = std::min<size_t>(width, 72);
    size_t number = 0;
    for (const report::Place& place : answer.searched) {
      const bool found = place.outcome == "found";
      const bool plain = place.outcome == "missing";
      const std::string outcome = found   ? style.Good(place.outcome)
                                  : plain ? style.Dim(place.outcome)
                                          : style.Bad(place.outcome);
      const std::string detail = PlaceDetail(place);
      text += fmt::format("  {:>3}  {:<15}  {:<{}}  {}{}\n", ++number, place.via, base::Printable(place.path),
                          width, outcome, detail.empty() ? "" : "  " + style.Dim(detail));
    }
  }
  if (!answer.other_copies.empty()) {
    text += "\nother copies, not used:\n";
    for (const report::Copy& copy : answer.other_copies) {
      text += fmt::format("  {}  {}{}\n", base::Printable(copy.path), VersionText(copy.version),
                          copy.note.empty() ? "" : "  " + style.Warn(copy.note));
    }
  }
  if (!answer.target_error.empty()) {
    text += fmt::format("\n{} {}\n", style.Bad("the program itself does not start:"),
                        base::Printable(answer.target_error));
  }
  for (const std::string& note : answer.notes) text += fmt::format("\nnote: {}\n", base::Printable(note));
  return text;
}

}  // namespace culprit::render
