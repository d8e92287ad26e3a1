// The schemas of frameworks and of the pins between packages.
#include "schema_parts.h"

namespace generate {
namespace {

// Where the CUDA libraries of a binary come from.
Field Libraries(std::string_view name) {
  return {name,
          Form::kWord,
          false,
          {{"unknown", "LibrariesFrom::kUnknown"},
           {"bundled", "LibrariesFrom::kBundled"},
           {"nvidia-pip", "LibrariesFrom::kNvidiaPip"},
           {"extra", "LibrariesFrom::kExtra"},
           {"system", "LibrariesFrom::kSystem"},
           {"no-gpu", "LibrariesFrom::kNoGpu"}}};
}

}  // namespace

Subject Frameworks() {
  return {.name = "frameworks",
          .header = "frameworks.h",
          .tables = {{.key = "release",
                      .type = "FrameworkRelease",
                      .function = "FrameworkReleases",
                      .fields = {{"framework", Form::kText, kRequired},
                                 {"version", Form::kVersion, kRequired},
                                 {"until", Form::kVersion},
                                 {"variant"},
                                 {"cuda", Form::kVersion},
                                 {"cuda_until", Form::kVersion},
                                 {"cudnn", Form::kVersionOrNone},
                                 {"cudnn_windows", Form::kVersionOrNone},
                                 {"cudnn_until", Form::kVersion},
                                 {"cudnn_below", Form::kVersion},
                                 {"python", Form::kVersion},
                                 {"python_until", Form::kVersion},
                                 {"code", Form::kCode},
                                 {"code_windows", Form::kCode},
                                 {"code_aarch64", Form::kCode},
                                 DataOnly({"code_conda", Form::kCode}),
                                 {"code_min", Form::kCapability},
                                 DataOnly({"code_basis"}),
                                 Libraries("libraries"),
                                 Libraries("libraries_windows"),
                                 Libraries("libraries_aarch64"),
                                 {"extra"},
                                 DataOnly({"package"}),
                                 {"is_default", Form::kFlag},
                                 {"default_windows", Form::kFlag},
                                 {"default_aarch64", Form::kFlag},
                                 kNote,
                                 kSource},
                      .unique = {"framework", "version", "variant"}},
                     {.key = "paddle_code",
                      .type = "PaddleCode",
                      .function = "PaddleCodes",
                      .fields = {{"version", Form::kVersion, kRequired},
                                 {"cuda_major", Form::kNumber, kRequired},
                                 {"code", Form::kCode, kRequired},
                                 kNote,
                                 kSource},
                      .unique = {"version", "cuda_major"}},
                     {.key = "companion",
                      .type = "Companion",
                      .function = "Companions",
                      .fields = {{"package", Form::kText, kRequired},
                                 {"version", Form::kVersion, kRequired},
                                 {"of", Form::kText, kRequired},
                                 {"of_version", Form::kVersion, kRequired},
                                 kSource},
                      .unique = {"package", "version", "of", "of_version"}},
                     Rules("FrameworkRules")}};
}

Subject Harvested() {
  return {
      .name = "harvested",
      .header = "pins.h",
      .tables = {
          {.key = "pin",
           .type = "Pin",
           .function = "Pins",
           .fields = {{"package", Form::kText, kRequired},
                      {"version", Form::kText, kRequired},
                      {"extra"},
                      {"python"},
                      {"python_wheels", Form::kVersions},
                      {"needs", Form::kTexts},
                      kSource},
           .unique = {"package", "version", "extra"}},
          {.key = "wheel",
           .type = "WheelVersions",
           .function = "Wheels",
           .fields = {{"package", Form::kText, kRequired}, {"versions", Form::kTexts, kRequired}, kSource},
           .unique = {"package"}}}};
}

Subject Distributions() {
  return {.name = "distributions",
          .header = "distributions.h",
          .tables = {{.key = "harvest",
                      .type = "Harvest",
                      .function = "Harvests",
                      .fields = {{"date", Form::kDate, kRequired}, kSource},
                      .unique = {"date"}},
                     {.key = "distribution",
                      .type = "Distribution",
                      .function = "Distributions",
                      .fields = {{"package", Form::kText, kRequired},
                                 {"version", Form::kText, kRequired},
                                 {"platform", Form::kText, kRequired},
                                 {"pythons", Form::kVersions},
                                 {"python"},
                                 {"glibc", Form::kVersion},
                                 {"date", Form::kDate},
                                 kSource},
                      .unique = {"package", "version", "platform", "glibc"}}}};
}

Subject Packages() {
  return {.name = "packages",
          .header = "packages.h",
          .tables = {{.key = "name",
                      .type = "PackageName",
                      .function = "PackageNames",
                      .fields = {{"manager", Form::kText, kRequired},
                                 {"what", Form::kText, kRequired},
                                 {"since", Form::kVersion},
                                 {"until", Form::kVersion},
                                 {"name", Form::kText, kRequired},
                                 {"version"},
                                 {"pin"},
                                 {"channel", Form::kText, kRequired},
                                 kNote,
                                 kSource},
                      .unique = {"manager", "what", "channel", "since"}},
                     {.key = "image",
                      .type = "ContainerImage",
                      .function = "ContainerImages",
                      .fields = {{"cuda", Form::kVersion, kRequired},
                                 {"cudnn", Form::kText, kRequired},
                                 {"systems", Form::kTexts, kRequired},
                                 kSource},
                      .unique = {"cuda", "cudnn"}},
                     {.key = "wheel_index",
                      .type = "WheelIndex",
                      .function = "WheelIndexes",
                      .fields = {{"package", Form::kText, kRequired},
                                 {"since", Form::kVersion, kRequired},
                                 {"until", Form::kVersion},
                                 {"option", Form::kText, kRequired},
                                 {"address", Form::kText, kRequired},
                                 kNote,
                                 kSource},
                      .unique = {"package", "since"}}}};
}

}  // namespace generate
