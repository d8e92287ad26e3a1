// What a COPY --from takes out of another stage: a file that was built there, or the environment of Python
// that was installed there.
#pragma once

#include <span>

#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::rules {

// Whether all that it copies are files by their names, or programs and pages that were built.
bool AreFiles(const RecipeStep& copy);
// Whether a program or a library may be among it: a name without an ending, or libx.so.
bool MayBeProgram(const RecipeStep& copy);
// Whether it copies an environment: one by its name (/opt/venv, site-packages, /root/.local), or the one that
// the steps of the stage install into (pip install --prefix, python -m venv, uv sync).
bool CopiesEnvironment(const RecipeStep& copy, std::span<const PartView::Step> stage);

}  // namespace culprit::rules
