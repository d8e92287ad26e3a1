// Question -> a set of versions, or the smallest conflict. Deterministic: the newest of the first wanted
// package that can be had, then of the second ..., then fewest changes to what is installed, then the order
// of the tables. libsolv decides what can be had; nobody outside this folder knows it.
#pragma once

#include "plan/question.h"
#include "report/plan.h"

namespace culprit::plan {

class BuildTable;

// Fills outcome, headline, question, packages, removed, requirements, conflict, relaxations, notes and
// knowledge_date. Steps and documents are those of commands.h.
report::Plan Solve(const Question& question);
// The same for many questions, which share what does not depend on them.
report::Plan SolveWith(const Question& question, BuildTable& builds);

}  // namespace culprit::plan
