// What must be hidden, and what must stay.
#include "snapshot/secrets/hide.h"

#include <gtest/gtest.h>

#include <utility>

namespace culprit::snapshot {
namespace {

TEST(HideSecrets, HidesWhatLooksLikeOne) {
  const std::pair<const char*, const char*> kRows[] = {
      {"token hf_AbCdEfGhIjKlMnOpQrStUvWxYz12345678 used", "token hf_[hidden] used"},
      {"https://ghp_0123456789abcdefghijABCDEFGHIJ123456@github.com/a/b", "https://[hidden]@github.com/a/b"},
      {"key sk-proj-Ab12Cd34Ef56Gh78Ij90KlMn", "key sk-[hidden]"},
      {"AKIAIOSFODNN7EXAMPLE in the log", "AKIA[hidden] in the log"},
      {"jwt=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-def_ghi.", "jwt=[hidden]"},
      {"postgres://ada:hunter2@db.example/x", "postgres://ada:[hidden]@db.example/x"},
      {"--index-url https://me:s3cr3t@pypi.example/simple",
       "--index-url https://me:[hidden]@pypi.example/simple"},
      {"HF_TOKEN=abcd1234efgh python train.py", "HF_TOKEN=[hidden] python train.py"},
      {"WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", "WANDB_API_KEY=[hidden]"},
      {"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPx", "AWS_SECRET_ACCESS_KEY=[hidden]"},
      {"mysql --password hunter2 --host db", "mysql --password [hidden] --host db"},
      {"--api-key=abc", "--api-key=[hidden]"},
      {"{\"password\": \"p w\", \"user\": \"ada\"}", "{\"password\": \"[hidden]\", \"user\": \"ada\"}"},
      {"Authorization: Bearer abcdef0123456789XYZ", "Authorization: Bearer [hidden]"},
      {"GET /x?access_token=abc12345&page=2", "GET /x?access_token=[hidden]&page=2"},
      {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nx",
       "-----BEGIN RSA PRIVATE KEY-----[hidden]-----END RSA PRIVATE KEY-----\nx"},
      {"dbPassword=abc", "dbPassword=[hidden]"},
      {"nvapi-AbCd1234EfGh5678IjKl9012", "nvapi-[hidden]"},
      {"PGPASSWORD=x1 psql", "PGPASSWORD=[hidden] psql"},
      {"mysqldump --pass geheim db", "mysqldump --pass [hidden] db"},
      {"Server=db;uid=ada;pwd=geheim;", "Server=db;uid=ada;pwd=[hidden];"},
      {"OPENAI_KEY=geheim python", "OPENAI_KEY=[hidden] python"},
      {"DB_PASS=geheim", "DB_PASS=[hidden]"},
      {"curl -u ada:geheim https://example.org", "curl -u ada:[hidden] https://example.org"},
      {"curl --user 'ada:geheim' x", "curl --user 'ada:[hidden]' x"},
      {"Authorization: token geheim", "Authorization: token [hidden]"},
      {"curl -H 'Authorization: Token a b c' x", "curl -H 'Authorization: Token [hidden]' x"},
      {"authorization: geheim", "authorization: [hidden]"},
      {"Cookie: session=1; id=2\nx", "Cookie: [hidden]\nx"},
      {"https://a.blob.example/c?sv=2022&sig=aB3%2Fxyz9%3D&se=1",
       "https://a.blob.example/c?sv=2022&sig=[hidden]&se=1"},
      {"https://a.example/?sig=short&token=word", "https://a.example/?sig=[hidden]&token=[hidden]"},
      {"?X-Amz-Credential=abc&X-Amz-Signature=0123456789abcdef&x=1",
       "?X-Amz-Credential=[hidden]&X-Amz-Signature=[hidden]&x=1"},
      {"PASSWORD=\x1b[01;31mgeheim\x1b[0m ok", "PASSWORD=\x1b[01;31m[hidden]\x1b[0m ok"},
      {"printf 'PASSWORD=\\033[01;31mgeheim\\e[0m'", "printf 'PASSWORD=\\033[01;31m[hidden]\\e[0m'"},
      {"pass\x1b[1mword=ge\x1b[0mheim", "pass\x1b[1mword=[hidden]"},
      {"AWS_SECRET_ACCESS_KEY=/wJalrXUtnFEMI/K7MDENG/bPx", "AWS_SECRET_ACCESS_KEY=[hidden]"},
      {"TF_TOKEN_app_terraform_io=geheim", "TF_TOKEN_app_terraform_io=[hidden]"},
  };
  for (const auto& [text, hidden] : kRows) EXPECT_EQ(HideSecrets(text), hidden);
}

TEST(HideSecrets, LeavesTheRest) {
  for (const char* text : {
           "LD_LIBRARY_PATH=/usr/local/cuda/lib64:/opt/a python3 train.py --lr 1e-4",
           "max_tokens=4096 num_tokens: 12 pad_token=<pad> eos_token_id=2 --eos-token endoftext1",
           "TOKENIZERS_PARALLELISM=false --tokenizer /models/llama-3-8b-instruct",
           "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
           "/opt/venv/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: "
           "_ZN3c104cuda20CUDACachingAllocator9allocatorE",
           "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
           "GPU-8f3c1a2b-1234-5678-9abc-def012345678 sm_90",
           "from sklearn import x; sk-learn==1.5; hf_hub_download(repo_id)",
           "http://localhost:8080/v1 git@github.com:a/b.git https://ada@example.org/x",
           "KeyError: 'token'",
           "SyntaxError: unexpected token: }",
           "password: ",
           "primary_key=5 cache_key=abc123 key=value",
           "token::kind std::token<int>",
           "export HF_TOKEN=$MY_TOKEN",
           "PWD=/home/ada OLDPWD=/ pwd=/home/ada SSH_AUTH_SOCK=/run/user/1000/ssh",
           "docker run -u 1000:1000 image; python -u train.py; pip install -U torch",
           "HF_TOKEN_PATH=/home/ada/.token GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp.json",
           "--first-pass 2 forward_pass=12ms1234 num_tokens_per_second=12ab34cd",
           "HF_HUB_DISABLE_IMPLICIT_TOKEN=1 signature: (Tensor x) -> Tensor",
           "\x1b[1mLD_LIBRARY_PATH\x1b[0m=/opt/a",
           "\x1b[31mtqdm:  45%|####     | 45/100 [00:10<00:12,  4.41it/s]\r",
       })
    EXPECT_EQ(HideSecrets(text), text);
}

TEST(HideSecrets, OfACommandLineTheNextArgumentToo) {
  const std::vector<std::string> command = {"python",     "x.py",        "--hf-token",
                                            "secret-one", "--tokenizer", "gpt2"};
  const std::vector<std::string> hidden = {"python", "x.py", "--hf-token", "[hidden]", "--tokenizer", "gpt2"};
  EXPECT_EQ(HideSecrets(command), hidden);
}

TEST(HideSecrets, OfACommandLineThePasswordOfAUser) {
  const std::vector<std::string> command = {"curl", "-u", "ada:geheim", "-H", "Authorization: token geheim"};
  const std::vector<std::string> hidden = {"curl", "-u", "ada:[hidden]", "-H",
                                           "Authorization: token [hidden]"};
  EXPECT_EQ(HideSecrets(command), hidden);
  EXPECT_EQ(HideSecrets({"mysql", "--pass", "x y", "-token", "z"}),
            (std::vector<std::string>{"mysql", "--pass", "[hidden]", "-token", "[hidden]"}));
  EXPECT_EQ(HideSecrets({"docker", "-u", "0:0"}), (std::vector<std::string>{"docker", "-u", "0:0"}));
}

TEST(HideVariable, ByNameAndByShape) {
  EXPECT_EQ(HideVariable("NVIDIA_API_KEY", "two words"), "[hidden]");
  EXPECT_EQ(HideVariable("PIP_INDEX_URL", "https://ada:geheim@example.org/simple"),
            "https://ada:[hidden]@example.org/simple");
  EXPECT_EQ(HideVariable("HTTPS_PROXY", "ada:geheim@proxy:3128"), "ada:[hidden]@proxy:3128");
  EXPECT_EQ(HideVariable("FOO", "hf_AbCdEfGhIjKlMnOpQrStUvWxYz12345678"), "hf_[hidden]");
  EXPECT_EQ(HideVariable("LD_LIBRARY_PATH", "/opt/sk-AbCd1234EfGh5678IjKl9012/lib"),
            "/opt/sk-AbCd1234EfGh5678IjKl9012/lib");
  EXPECT_EQ(HideVariable("SSH_AUTH_SOCK", "/run/user/1000/ssh"), "/run/user/1000/ssh");
  EXPECT_EQ(HideVariable("CUDA_VISIBLE_DEVICES", "GPU-8f3c1a2b-1234-5678-9abc-def012345678"),
            "GPU-8f3c1a2b-1234-5678-9abc-def012345678");
}

TEST(HideSecrets, ValuesOfSecretVariablesWhereverTheyStand) {
  const auto known = SecretValues({{"HF_TOKEN", "tell-nobody"},
                                   {"PWD", "/home/ada/net"},
                                   {"MY_PASSWORD", "short"},
                                   {"MY_SECRET", "/wJalr/K7MDENG"}});
  EXPECT_EQ(known, (std::vector<std::string>{"/wJalr/K7MDENG", "tell-nobody"}));
  EXPECT_EQ(HideSecrets("login with tell-nobody failed", known), "login with [hidden] failed");
}

TEST(HideSecrets, TakesTimeInProportion) {
  EXPECT_EQ(HideSecrets(std::string(1 << 15, '-')).size(), size_t{1} << 15);
  EXPECT_EQ(HideSecrets(std::string(1 << 15, 'a')).size(), size_t{1} << 15);
  EXPECT_EQ(HideSecrets(std::string(1 << 15, '=')).size(), size_t{1} << 15);
  std::string urls;
  while (urls.size() < (1 << 16)) urls += "://a";
  EXPECT_EQ(HideSecrets(urls), urls);
}

TEST(HideTokens, HidesOnlyWhatShowsWhatItIs) {
  EXPECT_EQ(HideTokens("/scratch/ghp_0123456789abcdefghijABCDEFGHIJ123456/lib:/opt"),
            "/scratch/ghp_[hidden]/lib:/opt");
  EXPECT_EQ(HideTokens("HF_TOKEN=hunter2hunter2 /opt/ghp_short /x/hf_hub_download_something_else"),
            "HF_TOKEN=hunter2hunter2 /opt/ghp_short /x/hf_hub_download_something_else");
}

}  // namespace
}  // namespace culprit::snapshot
