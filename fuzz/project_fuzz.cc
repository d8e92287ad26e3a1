// Any bytes as a file of a project: the first one chooses the kind, and every file that the others include
// has the same bytes. What comes out can be shown and put into a command.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "plan/commands/command_parts.h"
#include "plan/project/asking.h"
#include "plan/project/project.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace plan = culprit::plan;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char* name = data[0] == 'p'   ? "pyproject.toml"
                     : data[0] == 'u' ? "uv.lock"
                     : data[0] == 'c' ? "environment.yml"
                                      : "requirements.txt";
  int files = 0;
  const plan::ReadBytes read = [&](const std::string& path,
                                   uint64_t limit) -> culprit::base::Result<std::string> {
    if (++files > 3 || bytes.size() > limit)
      return culprit::base::Fail(culprit::base::ErrorCode::kNotFound, culprit::base::Printable(path));
    return bytes;
  };
  plan::Question question;
  const plan::ProjectChoice choice{.extras = {"*"},
                                   .groups = {"*"},
                                   .facts = plan::FactsOf(question.host, plan::AssumedPython(question.host))};
  const auto project = plan::ReadProject({name}, choice, read);
  if (!project) {
    Require(culprit::base::Printable(project.error().message) == project.error().message);
    return 0;
  }
  plan::Ask(*project, question);
  for (const std::string& note : question.notes) Require(culprit::base::Printable(note) == note);
  for (const auto& passed : question.passed_through) {
    Require(culprit::base::Printable(passed.text) == passed.text);
    for (const bool windows : {false, true}) {
      const auto word = plan::PassedWord(passed, windows);
      Require(word.empty() || word.Text().has_value());
    }
  }
  return 0;
}
