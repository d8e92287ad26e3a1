// How old the tables of facts are, and which file they come from if they are not built in.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace culprit::render {

// "version tables from 2026-11-15, 3 days ago"; after 90 days with a warning that newer releases may be
// missing. `today` = "": do not show the age.
std::string TablesText(const std::string& date, const std::string& today);

// The same of the tables in use.
std::string EditionText();
// Lines about files: the one that is used instead of the built-in tables, and those that were refused. Every
// report ends with them; "" = there are none.
std::string EditionNotes();
// {date, days, file, sha256, refused: [{file, why}]}
base::Json EditionJson();

}  // namespace culprit::render
