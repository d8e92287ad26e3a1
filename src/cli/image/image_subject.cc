#include "cli/image/image_subject.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/deadline.h"
#include "cli/image/image_layer.h"
#include "cli/progress.h"
#include "collect/read_ahead.h"
#include "collect/recipe/recipe.h"
#include "collect/started.h"
#include "packed/peeked_stream.h"
#include "packed/unpacked.h"
#include "system/changed.h"
#include "system/stream.h"

namespace culprit::cli {
namespace {

constexpr int kImagePatience = 30;  // a file may have to be fetched from a compressed layer

std::string InWords(image::Misfit why) {
  switch (why) {
    case image::Misfit::kClimbs:
      return "its path leads out of the image";
    case image::Misfit::kNoLinkTarget:
      return "a hard link to a missing file";
    case image::Misfit::kNoParent:
      return "its directory is a file, or a loop of symlinks";
    case image::Misfit::kNameTooLong:
      return "its name is too long";
  }
  return "";
}

std::string LayerName(size_t layer) { return "layer " + std::to_string(layer + 1); }

// `piped`: what comes from standard input, if that is the target.
base::Result<image::Image> ReadImage(const std::string& target, std::unique_ptr<base::ByteStream> piped,
                                     const image::ImageOptions& options) {
  if (piped == nullptr) {
    const auto host = system::RealSystem();
    return image::OpenImage(*host, PathOnMachine(*host, target), options);
  }
  auto image = image::OpenImage(std::move(piped), options);
  if (!image) return base::Fail(image.error().code, "standard input: " + image.error().message);
  return image;
}

base::Result<std::shared_ptr<const image::Image>> OpenPiped(const std::string& name,
                                                            std::unique_ptr<base::ByteStream> piped,
                                                            const Options& options,
                                                            const ImageWishes& wishes) {
  Progress progress(!options.quiet);
  image::ImageOptions reading{.hash_plain = wishes.verify};
  if (!wishes.platform.empty()) {
    auto platform = image::ParsePlatform(wishes.platform);
    if (!platform) return std::unexpected(platform.error());
    reading.platform = *std::move(platform);
  }
  reading.keep.all = wishes.verify;
  reading.keep.look = [](const std::string& path, const base::ByteSource& bytes) {
    collect::ReadAhead(base::CleanPath("/" + path), bytes);
  };
  reading.progress = [&](size_t layer, size_t layers) {
    progress.Show("reading " + LayerName(layer) + " of " + std::to_string(layers));
  };
  auto image = ReadImage(name, std::move(piped), reading);
  if (!image) return std::unexpected(image.error());
  return std::make_shared<const image::Image>(*std::move(image));
}

// Standard input, if it is the target; null otherwise.
base::Result<std::unique_ptr<packed::PeekedStream>> PipeOf(const std::string& name) {
  if (name != "-") return nullptr;
  if (system::StandardInputIsTerminal())
    return base::Fail(base::ErrorCode::kNotReadable,
                      "-: standard input is a terminal; try: docker save IMAGE | culprit check -");
  return std::make_unique<packed::PeekedStream>(system::StandardInput());
}

// An archive has zeros in its first header.
bool IsText(std::string_view head) {
  return !head.empty() && head.find('\0') == std::string_view::npos && !packed::IsPacked(head);
}

// The recipe as a file in the working directory, so that the files it names are found next to it.
base::Result<Subject> RecipeSubject(packed::PeekedStream& piped) {
  const std::string_view text = piped.Peek(collect::kRecipeLimit + 1);
  if (text.size() > collect::kRecipeLimit)
    return base::Fail(base::ErrorCode::kNotReadable, "-: larger than 4 MiB, too large for a recipe");
  std::shared_ptr<const system::System> host = system::RealSystem();
  system::SystemChanges changes;
  changes.put[PathOnMachine(*host, "-")] = {.bytes = std::string(text)};
  return Subject{.machine = system::ChangedSystem(host, std::move(changes)), .recipes = {"-"}};
}

// What is missing from the image, one line each.
std::vector<report::NotChecked> NotRead(const image::Image& image) {
  std::vector<report::NotChecked> lines;
  for (size_t i = 0; i < image.layers.size(); ++i) {
    const image::ImageLayer& layer = image.layers[i];
    if (layer.problem) lines.push_back({LayerName(i), layer.problem->message});
    if (const size_t lost = layer.files->lost(); lost > 0 && !layer.problem) {
      lines.push_back({std::to_string(lost) + (lost == 1 ? " file" : " files") + " in " + LayerName(i),
                       "culprit could not keep enough of the stream, or TMPDIR is full; save the image to an "
                       "uncompressed file and check that"});
    }
  }
  if (image.troubles != nullptr) {
    const auto [troubles, more] = image.troubles->All();
    for (const image::Trouble& trouble : troubles)
      lines.push_back({base::Printable(trouble.path), trouble.why});
    if (more) lines.push_back({"other files", "damaged; too many to list"});
  }
  // Container tools refuse such an image or leave these out too, so what would run is unknown.
  for (const image::LeftOut& out : image.tree->left_out())
    lines.push_back({base::Printable(out.path) + " in " + LayerName(out.layer), InWords(out.why)});
  if (const size_t more = image.tree->left_out_count() - image.tree->left_out().size(); more > 0)
    lines.push_back({std::to_string(more) + " more entries of its layers",
                     "they do not fit into the file tree of the image"});
  return lines;
}

bool IsForOtherCpu(const image::ImagePlatform& platform, const snapshot::Snapshot& checked) {
  const std::string_view said = platform.architecture == "amd64"   ? "x86_64"
                                : platform.architecture == "arm64" ? "aarch64"
                                                                   : "";
  const std::string& is = checked.cpu.machine;
  return !said.empty() && !checked.loaders.empty() && (is == "x86_64" || is == "aarch64") && is != said;
}

// Its CPU is the one that is taken (collect::AdaptCpu).
std::string LoaderOf(const snapshot::Snapshot& checked) {
  return base::Printable(checked.loaders.front().path);
}

}  // namespace

bool IsImage(const std::string& name) {
  if (name == "-") return true;
  const auto host = system::RealSystem();
  return image::MayBeImage(*host, PathOnMachine(*host, name));
}

std::chrono::seconds TimeToOpen(const Options& options, std::chrono::seconds usually) {
  if (options.root.empty()) return usually;
  const Deadline deadline(usually, Deadline::Guard::kAlways);  // its first bytes may be on a dead mount
  return IsImage(options.root) ? std::chrono::hours(1) : usually;
}

std::optional<std::string> ImageAmong(const Options& options, const std::vector<std::string>& targets) {
  if (!options.root.empty())
    return targets.empty() && IsImage(options.root) ? std::optional(options.root) : std::nullopt;
  const auto found = std::ranges::find_if(targets, IsImage);
  return found == targets.end() ? std::nullopt : std::optional(*found);
}

base::Result<std::shared_ptr<const image::Image>> OpenImage(const std::string& name, const Options& options,
                                                            const ImageWishes& wishes) {
  auto piped = PipeOf(name);
  if (!piped) return std::unexpected(piped.error());
  return OpenPiped(name, *std::move(piped), options, wishes);
}

base::Result<Subject> ImageSubject(const std::string& name, const Options& options,
                                   const ImageWishes& wishes) {
  auto piped = PipeOf(name);
  if (!piped) return std::unexpected(piped.error());
  constexpr size_t kHead = 512;
  if (wishes.recipes && *piped != nullptr && IsText((*piped)->Peek(kHead))) return RecipeSubject(**piped);
  auto image = OpenPiped(name, *std::move(piped), options, wishes);
  if (!image) return std::unexpected(image.error());
  const image::ImageConfig& config = (*image)->config;
  std::vector<std::string> command = config.entrypoint;
  command.insert(command.end(), config.command.begin(), config.command.end());
  Subject subject{.machine = (*image)->machine, .rooted = true, .patience = kImagePatience};
  subject.programs = collect::StartedPrograms(*subject.machine, std::move(command), config.environment);
  subject.image = *std::move(image);
  return subject;
}

void AddOfImage(const image::Image& image, const snapshot::Snapshot& checked, report::CheckReport& report) {
  for (report::Finding& finding : report.findings)
    finding.layer = LayerOf(image, checked.environment, finding);
  std::vector<report::NotChecked> lines = NotRead(image);
  if (!lines.empty()) {
    const bool found =
        report.verdict == report::Verdict::kErrors || report.verdict == report::Verdict::kWarnings;
    report.headline =
        "could not tell: parts of the image could not be read" + (found ? "; " + report.headline : "");
    report.verdict = report::Verdict::kUnknown;
    report.nothing_of_cuda = false;  // there may be some in what was not read
  }
  if (IsForOtherCpu(image.config.platform, checked)) {
    lines.push_back({"CPU of the image", "its configuration says " +
                                             base::Printable(image.config.platform.ToString()) + ", but " +
                                             LoaderOf(checked) + " is for " + checked.cpu.machine +
                                             "; checked as that"});
    if (report.verdict == report::Verdict::kOk) {
      report.verdict = report::Verdict::kUnknown;
      report.headline = "could not tell: the image configuration names a different CPU than its files";
    }
  }
  report.not_checked.insert(report.not_checked.begin(), lines.begin(), lines.end());
}

}  // namespace culprit::cli
