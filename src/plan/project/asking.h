// A project -> a question: packages in the tables are wanted, all others are passed through.
#pragma once

#include "plan/project/project.h"
#include "plan/question.h"

namespace culprit::plan {

// What markers are compared with. `python`: the one that is assumed where the host has none.
base::MarkerFacts FactsOf(const Host& host, const base::Version& python);
// The Python that a host has or is asked for; where it is free, the one that plans prefer.
base::Version AssumedPython(const Host& host);

// Adds to a question what a project asks for.
void Ask(const Project& project, Question& question);
// Adds a word of the command line: a want if the tables know the package, otherwise it is passed through. An
// error says why it is not a requirement at all.
base::Result<void> AskWord(const std::string& word, Question& question);
// Words of the command line that name a release which the tables do not have are passed through, as those of
// files are. Asked once the machine is known.
void PassUnlisted(Question& question);

}  // namespace culprit::plan
