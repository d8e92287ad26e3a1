// Names of the variables: srun(1), mpirun(1) of Open MPI, PMI of MPICH, torch.distributed.run.
#include "run/ranks/job.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text.h"

namespace culprit::ranks {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr size_t kLongestId = 100;

std::optional<uint64_t> NumberOf(const Variables& variables, const std::string& name) {
  const std::string text = base::ValueOf(variables, name);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Letters, digits, '.', '_' and '-' only.
std::string AsFileName(std::string id) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  std::ranges::replace_if(id, [&](char c) { return !plain(c); }, '_');
  if (id.starts_with('.')) id.front() = '_';
  return id.substr(0, kLongestId);
}

std::optional<Job> Numbered(const Variables& variables, const std::string& rank, const std::string& size) {
  const auto number = NumberOf(variables, rank), count = NumberOf(variables, size);
  if (!number || !count || *count < 2 || *count > kMostRanks || *number >= *count) return std::nullopt;
  return Job{.id = "", .rank = *number, .size = *count};
}

// Where a job began again, it is another one.
std::string WithCount(std::string id, const Variables& variables, const std::string& restarts) {
  const std::string count = base::ValueOf(variables, restarts);
  return count.empty() || count == "0" ? id : id + "-" + count;
}

// A step: in a batch script, SLURM_PROCID is 0 whatever the job is.
std::optional<Job> OfSlurm(const Variables& variables) {
  const std::string step = base::ValueOf(variables, "SLURM_STEP_ID"),
                    job = base::ValueOf(variables, "SLURM_JOB_ID");
  if (step.empty() || job.empty()) return std::nullopt;
  auto found = Numbered(variables, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
  if (!found) found = Numbered(variables, "SLURM_PROCID", "SLURM_NTASKS");
  if (found) found->id = AsFileName(WithCount(job + "." + step, variables, "SLURM_RESTART_COUNT"));
  return found;
}

}  // namespace

std::optional<Job> JobOf(const Variables& variables) {
  auto torch = Numbered(variables, "RANK", "WORLD_SIZE");
  if (const std::string id = base::ValueOf(variables, "TORCHELASTIC_RUN_ID"); torch && !id.empty()) {
    // "none": nobody gave it a name
    if (id != "none")
      torch->id = AsFileName(WithCount("torch-" + id, variables, "TORCHELASTIC_RESTART_COUNT"));
    return torch;
  }
  if (auto mpi = Numbered(variables, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) {
    for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
      if (mpi->id.empty()) mpi->id = AsFileName(base::ValueOf(variables, name));
    }
    return mpi;
  }
  auto slurm = OfSlurm(variables);
  if (auto pmi = Numbered(variables, "PMI_RANK", "PMI_SIZE")) {
    const bool same = slurm && slurm->rank == pmi->rank && slurm->size == pmi->size;
    return same ? slurm : pmi;
  }
  return slurm ? slurm : torch;
}

}  // namespace culprit::ranks
