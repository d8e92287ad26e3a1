#include "run/ranks/job.h"

#include <gtest/gtest.h>

namespace culprit::ranks {
namespace {

std::string Told(const std::map<std::string, std::string>& variables) {
  const auto job = JobOf(variables);
  return job ? job->id + " " + std::to_string(job->rank) + "/" + std::to_string(job->size) : "none";
}

TEST(Job, IsThatOfTheInnermostLauncher) {
  std::map<std::string, std::string> variables = {
      {"SLURM_JOB_ID", "77"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "8"}};
  EXPECT_EQ(Told(variables), "77.0 3/8");
  variables["SLURM_RESTART_COUNT"] = "2";
  EXPECT_EQ(Told(variables), "77.0-2 3/8");
  variables["PMI_RANK"] = "3", variables["PMI_SIZE"] = "8";  // srun --mpi=pmi2
  EXPECT_EQ(Told(variables), "77.0-2 3/8");
  variables["OMPI_COMM_WORLD_RANK"] = "5", variables["OMPI_COMM_WORLD_SIZE"] = "64";
  variables["PMIX_NAMESPACE"] = "prterun-n1-4711@1";
  EXPECT_EQ(Told(variables), "prterun-n1-4711_1 5/64");
  variables["RANK"] = "9", variables["WORLD_SIZE"] = "16";
  EXPECT_EQ(Told(variables), "prterun-n1-4711_1 5/64");
  variables["TORCHELASTIC_RUN_ID"] = "../x y";
  EXPECT_EQ(Told(variables), "torch-.._x_y 9/16");
  variables["TORCHELASTIC_RUN_ID"] = "none";
  EXPECT_EQ(Told(variables), " 9/16");
}

TEST(Job, OneProcessIsNone) {
  EXPECT_EQ(Told({}), "none");
  // in a batch script
  EXPECT_EQ(Told({{"SLURM_JOB_ID", "77"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}), "none");
  EXPECT_EQ(Told({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), "none");
  for (const char* rank : {"8", "-1", "1x", "", "99999999999999999999"})
    EXPECT_EQ(Told({{"RANK", rank}, {"WORLD_SIZE", "8"}}), "none") << rank;
  EXPECT_EQ(Told({{"RANK", "1"}, {"WORLD_SIZE", "99999999"}}), "none");
}

}  // namespace
}  // namespace culprit::ranks
