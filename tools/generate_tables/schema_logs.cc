// The schemas for `culprit explain`: texts -> symptoms -> causes.
#include "schema_parts.h"

namespace generate {

Subject Signatures() {
  return {.name = "signatures",
          .header = "messages/signatures.h",
          .tables = {{.key = "signature",
                      .type = "Signature",
                      .function = "Signatures",
                      .fields = {{"id", Form::kText, kRequired},
                                 {"symptom", Form::kText, kRequired},
                                 {"role",
                                  Form::kWord,
                                  false,
                                  {{"failure", "Role::kFailure"},
                                   {"consequence", "Role::kConsequence"},
                                   {"hint", "Role::kHint"},
                                   {"context", "Role::kContext"},
                                   {"harmless", "Role::kHarmless"}}},
                                 {"pattern", Form::kPattern, kRequired},
                                 {"any", Form::kAnchors},
                                 {"lines", Form::kNumber},
                                 {"set", Form::kPairs},
                                 kNote,
                                 DataOnly({"example", Form::kText, kRequired})},
                      .unique = {"id"}}}};
}

Subject Causes() {
  return {.name = "causes",
          .header = "messages/causes.h",
          .tables = {{.key = "cause",
                      .type = "Cause",
                      .function = "Causes",
                      .fields = {{"slug", Form::kText, kRequired},
                                 {"title", Form::kText, kRequired},
                                 {"check", Form::kText, kRequired},
                                 {"fix", Form::kText, kRequired},
                                 {"avoid"},
                                 {"code"}},
                      .unique = {"slug"}},
                     {.key = "story",
                      .type = "Story",
                      .function = "Stories",
                      .fields = {{"id", Form::kText, kRequired},
                                 {"cause", Form::kText, kRequired},
                                 {"symptom", Form::kText, kRequired},
                                 {"where", Form::kPairs},
                                 {"with", Form::kTexts},
                                 {"weight", Form::kWeight, kRequired},
                                 {"says"},
                                 {"because"},
                                 {"check"},
                                 {"fix"},
                                 {"commands", Form::kTexts},
                                 {"avoid"},
                                 {"code"}},
                      .unique = {"id"}}}};
}

}  // namespace generate
