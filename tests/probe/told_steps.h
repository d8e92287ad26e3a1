// A simple parser for the output of culprit-probe, so that the tests do not share a mistake with the program.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace culprit {

struct ToldStep {
  std::string name, subject;
  std::vector<std::string> lines;  // between `begin` and the end, decoded
  std::string end;  // "ok ...", "failed STATUS CALL DETAIL", "crash SIGSEGV /..."; "" if there was none
  bool Has(const std::string& text) const {
    for (const std::string& line : lines)
      if (line.find(text) != std::string::npos) return true;
    return false;
  }
};

inline std::string Decoded(const std::string& line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '%' && i + 2 < line.size()) {
      text += static_cast<char>(std::strtol(line.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else if (line[i] != '%') {
      text += line[i];
    }
  }
  return text;
}

struct Told {
  bool greeted = false, done = false;
  std::vector<ToldStep> steps;

  explicit Told(const std::string& output) {
    std::istringstream lines(output);
    std::string line;
    greeted = std::getline(lines, line) && line == "culprit-probe 1";
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string tag, name, subject;
      words >> tag >> name >> subject;
      if (tag == "begin") {
        steps.push_back({name, Decoded(subject), {}, ""});
      } else if (tag == "done") {
        done = true;
      } else if (!steps.empty()) {
        const bool ends =
            tag == "ok" || tag == "failed" || tag == "not-run" || tag == "crash" || tag == "stuck";
        if (ends)
          steps.back().end = Decoded(line);
        else
          steps.back().lines.push_back(Decoded(line));
      }
    }
  }
  // An empty step if it never began.
  ToldStep Step(const std::string& name) const {
    for (const ToldStep& step : steps)
      if (step.name == name) return step;
    return {};
  }
  std::string End(const std::string& name) const { return Step(name).end; }
};

}  // namespace culprit
