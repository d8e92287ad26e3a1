// The tables of a PE file, each read by a file of its own: pe_imports.cc, pe_exports.cc, pe_resources.cc.
#pragma once

#include <optional>

#include "binfmt/pe/image.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// The headers and the section table; what could be read of them is in `pe` and `layout` in any case. The
// image can be asked by RVA afterwards if the answer is kNone.
PeProblem ReadPeHeaders(PeImage& image, PeFile& pe, PeLayout& layout);

// Imports, delay imports and bound imports. False when something of them does not lie in the image.
bool ReadPeImports(PeImage& image, const PeLayout& layout, PeFile& pe);

// The head of the export table: export_name and export_count.
void ReadPeExportHead(PeImage& image, const PeLayout& layout, PeFile& pe);

// Version and manifest; what is damaged is left out.
void ReadPeResources(PeImage& image, const PeLayout& layout, PeFile& pe);

// Names of the dependent assemblies of a manifest, each once, in order.
std::vector<std::string> ManifestDependencies(std::string_view manifest);

}  // namespace culprit::binfmt
