// generate_tables SUBJECT OUTPUT.cc INPUT.toml...: files of data/ -> the tables behind src/knowledge.
//
// A violated invariant is reported as FILE:LINE: MESSAGE; then nothing is written and the exit status is 1.
#include <fstream>

#include "explain.h"
#include "libraries.h"
#include "rows.h"

namespace {

std::string TablesOf(const std::string& subject, const std::vector<generate::Input>& inputs,
                     generate::Errors& errors) {
  if (subject == "explain") return generate::Explain(inputs, errors);
  if (subject == "libraries") return generate::Libraries(inputs.front().root, errors);
  return generate::Rows(*generate::FindSubject(subject), inputs.front().root, errors);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: generate_tables SUBJECT OUTPUT.cc INPUT.toml...\n";
    return 64;
  }
  const std::string subject = argv[1], output = argv[2];
  if (subject != "explain" && subject != "libraries" && generate::FindSubject(subject) == nullptr) {
    std::cerr << "generate_tables: there is no subject '" << subject << "'\n";
    return 64;
  }
  generate::Errors errors;
  std::vector<generate::Input> inputs;
  for (int i = 3; i < argc; ++i) {
    errors.Enter(argv[i]);
    toml::parse_result parsed = toml::parse_file(argv[i]);
    if (parsed) {
      inputs.push_back({argv[i], std::move(parsed).table()});
    } else {
      errors.Add(static_cast<int>(parsed.error().source().begin.line),
                 std::string(parsed.error().description()));
    }
  }
  if (errors.any()) return 1;
  errors.Enter(inputs.front().file);
  const std::string text = TablesOf(subject, inputs, errors);
  if (errors.any()) return 1;
  std::ofstream out(output, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    std::cerr << output << ": cannot be written\n";
    return 1;
  }
  return 0;
}
