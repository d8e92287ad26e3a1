// generate_tables SUBJECT INPUT.toml OUTPUT.cc: data/SUBJECT.toml -> the tables behind src/knowledge.
//
// A violated invariant is reported as FILE:LINE: MESSAGE; then nothing is written and the exit status is 1.
#include <fstream>

#include "libraries.h"
#include "rows.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: generate_tables SUBJECT INPUT.toml OUTPUT.cc\n";
    return 64;
  }
  const std::string name = argv[1], input = argv[2];
  const generate::Subject* subject = generate::FindSubject(name);
  if (subject == nullptr && name != "libraries") {
    std::cerr << "generate_tables: there is no subject '" << name << "'\n";
    return 64;
  }
  generate::Errors errors(input);
  const toml::parse_result parsed = toml::parse_file(input);
  if (!parsed) {
    errors.Add(static_cast<int>(parsed.error().source().begin.line),
               std::string(parsed.error().description()));
    return 1;
  }
  const std::string shown = input.substr(input.rfind('/') + 1);
  const std::string text = subject == nullptr ? generate::Libraries(parsed.table(), shown, errors)
                                              : generate::Rows(*subject, parsed.table(), shown, errors);
  if (errors.any()) return 1;
  std::ofstream out(argv[3], std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    std::cerr << argv[3] << ": cannot be written\n";
    return 1;
  }
  return 0;
}
