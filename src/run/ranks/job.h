// Which rank of which job this process is, from the variables of its launcher.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace culprit::ranks {

inline constexpr uint64_t kMostRanks = 1'000'000;  // larger numbers are made up

struct Job {
  // The same in all ranks and in no other job, and fit for the name of a file; "" if the launcher says none.
  std::string id;
  uint64_t rank = 0, size = 0;
};

// nullopt where there is one process only. Where one launcher started another (torchrun below srun), the
// inner one counts. srun: SLURM_PROCID of a step; Open MPI: OMPI_COMM_WORLD_RANK; MPICH and Intel: PMI_RANK;
// torchrun: RANK.
std::optional<Job> JobOf(const std::map<std::string, std::string>& variables);

}  // namespace culprit::ranks
