// Which findings are new, and what they mention: their subject, their identity, what their fix would change,
// the sources of their evidence and the arguments of their commands. Never the words of their sentences.
#include <algorithm>

#include "base/text.h"
#include "diff/parts.h"

namespace culprit::diff {
namespace {

using report::Finding;

void Note(Mentions& mentions, std::string_view name, size_t finding, int strength) {
  if (name.size() < 3) return;
  auto& list = mentions[Plainly(name)];
  for (Mention& known : list) {
    if (known.finding != finding) continue;
    known.strength = std::max(known.strength, strength);
    return;
  }
  list.push_back({finding, strength});
}

// The names in a subject, a source or a command ("DT_NEEDED of /opt/a.so"): cut at what no such name has, and
// at ':' unless it is that of a drive.
void NoteWords(Mentions& mentions, std::string_view text, size_t finding, int strength) {
  size_t start = 0;
  const auto flush = [&](size_t end) {
    std::string_view word = text.substr(start, end - start);
    while (word.ends_with('.') || word.ends_with('/')) word.remove_suffix(1);
    Note(mentions, word, finding, strength);
    start = end + 1;
  };
  for (size_t at = 0; at <= text.size(); ++at) {
    const bool drive = at < text.size() && text[at] == ':' && at - start == 2 && text[start] == '/';
    if (at == text.size() ||
        (!drive && std::string_view(" \t\n\"'`(),;:=<>[]|").find(text[at]) != std::string_view::npos))
      flush(at);
  }
}

}  // namespace

Mentions MentionsOf(const std::vector<Finding>& findings) {
  Mentions mentions;
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    Note(mentions, finding.subject, i, 4);
    NoteWords(mentions, finding.subject, i, 4);
    for (const report::Change& change : finding.fix.changes) {
      for (const std::string& name : NamesIn(change)) NoteWords(mentions, name, i, 3);
    }
    for (const std::string& name : finding.about) Note(mentions, name, i, 2);
    for (const report::Evidence& item : finding.evidence) NoteWords(mentions, item.source, i, 2);
    for (const std::string& command : report::Texts(finding.fix.commands)) NoteWords(mentions, command, i, 1);
  }
  return mentions;
}

FindingChange CompareFindings(const std::vector<Finding>& before, const std::vector<Finding>& after) {
  FindingChange change;
  std::vector<bool> met(before.size());
  for (const Finding& finding : after) {
    bool known = false;
    for (size_t i = 0; i < before.size() && !known; ++i) {
      if (met[i] || before[i].code != finding.code || before[i].subject != finding.subject) continue;
      known = met[i] = true;
      if (finding.severity < before[i].severity) known = false;  // it got worse
    }
    if (known) {
      ++change.same;
    } else {
      change.new_findings.push_back(finding);
    }
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (!met[i]) change.gone_findings.push_back(before[i]);
  }
  return change;
}

}  // namespace culprit::diff
