#include "probe/host/program.h"

#include "base/text.h"

namespace culprit::probe {
namespace {

class AtPath final : public Program {
 public:
  AtPath(std::string path, std::string source) : path_(std::move(path)), source_(std::move(source)) {}
  const std::string& path() const override { return path_; }
  const std::string& source() const override { return source_; }

 private:
  std::string path_, source_;
};

class Unpacked final : public Program {
 public:
  explicit Unpacked(std::unique_ptr<system::TemporaryProgram> program)
      : program_(std::move(program)), path_(program_->path()) {}
  const std::string& path() const override { return path_; }
  const std::string& source() const override { return source_; }

 private:
  std::unique_ptr<system::TemporaryProgram> program_;
  std::string path_, source_ = "built into culprit";
};

}  // namespace

base::Result<std::unique_ptr<Program>> FindProgram(const std::string& named,
                                                   std::span<const unsigned char> inside,
                                                   std::string_view loader) {
  if (!named.empty()) {
    if (!system::IsProgram(named))
      return base::Fail(base::ErrorCode::kNotFound,
                        "CULPRIT_PROBE names " + named + ", which is not an executable file");
    return std::make_unique<AtPath>(named, "CULPRIT_PROBE");
  }
  if (const std::string self = system::OwnProgram(); !self.empty()) {
    const std::string directory(base::DirName(self));
    const std::string name = "culprit-probe" + std::string(system::kProgramSuffix);
    for (const std::string& path : {base::JoinPath(directory, name),
                                    base::JoinPath(base::DirName(directory), "libexec/culprit/" + name)}) {
      if (system::IsProgram(path)) return std::make_unique<AtPath>(path, path);
    }
  }
  if (inside.empty())
    return base::Fail(
        base::ErrorCode::kNotFound,
        "culprit-probe not found next to culprit or in ../libexec/culprit; set CULPRIT_PROBE to its path");
  if (!loader.empty() && !system::IsProgram(std::string(loader)))
    return base::Fail(
        base::ErrorCode::kNotFound,
        "culprit-probe needs glibc 2.17 or later, as NVIDIA's libraries do; this system has no " +
            std::string(loader));
  auto unpacked = system::WriteTemporaryProgram("culprit-probe", inside);
  if (!unpacked) return std::unexpected(unpacked.error());
  return std::make_unique<Unpacked>(*std::move(unpacked));
}

}  // namespace culprit::probe
