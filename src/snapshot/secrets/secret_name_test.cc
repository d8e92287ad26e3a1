// The table of names: which are secret, and which only sound like it.
#include "snapshot/secrets/secret_name.h"

#include <gtest/gtest.h>

namespace culprit::snapshot {
namespace {

TEST(SecrecyOf, NamesOfSecrets) {
  for (const char* name : {"NVIDIA_API_KEY",
                           "SLURM_JWT",
                           "SINGULARITY_DOCKER_PASSWORD",
                           "TF_TOKEN_app_terraform_io",
                           "LD_SDK_KEY",
                           "TF_VAR_db_pw",
                           "CUDA_NGC_KEY",
                           "PGPASSWORD",
                           "OPENAI_KEY",
                           "HF_TOKEN",
                           "WANDB_API_KEY",
                           "MYSQL_PWD",
                           "AWS_SECRET_ACCESS_KEY",
                           "AWS_SESSION_TOKEN",
                           "GIT_AUTH",
                           "DB_PASS",
                           "AZURE_CLIENT_SECRET",
                           "SSH_PASSPHRASE",
                           "APP_CREDS",
                           "GITHUB_PAT",
                           "COOKIE",
                           "URL_SIG",
                           "ENCRYPTION_KEYS",
                           "SECRET_KEY_BASE",
                           "dbPassword",
                           "--password",
                           "api-key",
                           "pwd",
                           "X-Amz-Credential",
                           "Authorization"})
    EXPECT_EQ(SecrecyOf(name), Secrecy::kCertain) << name;
  for (const char* name :
       {"token", "hf-token", "sig", "X-Amz-Signature", "auth", "--pass", "db_pass", "TOKEN"})
    EXPECT_EQ(SecrecyOf(name), Secrecy::kLikely) << name;
}

TEST(SecrecyOf, NamesThatOnlySoundLikeIt) {
  for (const char* name : {"PWD",
                           "OLDPWD",
                           "CUDA_CACHE_PATH",
                           "KEYBOARD_LAYOUT",
                           "SSH_AUTH_SOCK",
                           "LD_LIBRARY_PATH",
                           "PATH",
                           "CUDA_VISIBLE_DEVICES",
                           "NVIDIA_VISIBLE_DEVICES",
                           "CUDA_HOME",
                           "NCCL_SOCKET_IFNAME",
                           "HF_TOKEN_PATH",
                           "AWS_ACCESS_KEY_ID",
                           "GIT_ASKPASS",
                           "SSH_ASKPASS",
                           "XAUTHORITY",
                           "TOKENIZERS_PARALLELISM",
                           "MAX_TOKENS",
                           "EOS_TOKEN",
                           "PAD_TOKEN_ID",
                           "PRIMARY_KEY",
                           "PUBLIC_KEY",
                           "cache_key",
                           "key",
                           "FIRST_PASS",
                           "bypass",
                           "forward_pass",
                           "max_token",
                           "PASSWORD_STORE_DIR",
                           "monkey",
                           "author",
                           "signal",
                           "token_embedding",
                           "TOKEN_LIMIT",
                           "SECRETS_DIR",
                           "compass",
                           "CONDA_PREFIX",
                           "authors",
                           "design"})
    EXPECT_EQ(SecrecyOf(name), Secrecy::kNone) << name;
}

TEST(IsPath, PathsAndBase64) {
  EXPECT_TRUE(IsPath("/home/ada/.ssh/id"));
  EXPECT_TRUE(IsPath("/usr/lib:/opt/x"));
  EXPECT_FALSE(IsPath("/wJalrXUtnFEMI/K7MDENG/bPx"));
  EXPECT_FALSE(IsPath("hunter2"));
}

}  // namespace
}  // namespace culprit::snapshot
