// The schema of status codes.
#include "schema_parts.h"

namespace generate {

namespace {

// The status codes of one library.
Table Codes(std::string_view key, std::string_view function) {
  return {.key = key,
          .type = "StatusCode",
          .function = function,
          .fields = {{"code", Form::kStatus, kRequired},
                     {"name", Form::kText, kRequired},
                     {"meaning", Form::kText, kRequired},
                     {"causes", Form::kTexts},
                     kSource},
          .unique = {"code"},
          .packed = true};
}

}  // namespace

Subject StatusCodes() {
  return {.name = "status_codes",
          .header = "messages/status_codes.h",
          .tables = {{.key = "cuda",
                      .type = "CudaStatus",
                      .function = "CudaStatuses",
                      .fields = {{"code", Form::kStatus, kRequired},
                                 {"driver_name"},
                                 {"runtime_name"},
                                 {"legacy", Form::kStatus},
                                 {"texts", Form::kTexts},
                                 {"retired", Form::kFlag},
                                 {"meaning", Form::kText, kRequired},
                                 {"causes", Form::kTexts},
                                 kSource},
                      .unique = {"code"},
                      .packed = true},
                     {.key = "cudnn",
                      .type = "CudnnStatus",
                      .function = "CudnnStatuses",
                      .fields = {{"name", Form::kText, kRequired},
                                 {"v7", Form::kStatus},
                                 {"v8", Form::kStatus},
                                 {"v9", Form::kStatus},
                                 {"alias_in_v9"},
                                 {"meaning", Form::kText, kRequired},
                                 {"causes", Form::kTexts},
                                 kSource},
                      .unique = {"name"},
                      .packed = true},
                     Codes("nvml", "NvmlStatuses"),
                     Codes("cublas", "CublasStatuses"),
                     Codes("cusolver", "CusolverStatuses"),
                     Codes("cusparse", "CusparseStatuses"),
                     Codes("cufft", "CufftStatuses"),
                     Codes("nvrtc", "NvrtcStatuses"),
                     Codes("nvjitlink", "NvJitLinkStatuses"),
                     Codes("nccl", "NcclStatuses"),
                     Codes("xid", "XidCodes"),
                     Codes("windows_loader", "WindowsLoaderCodes")}};
}

}  // namespace generate
