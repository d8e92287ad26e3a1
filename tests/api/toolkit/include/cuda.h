/* The few prototypes of the driver API that the examples call; our own words, for the fake libcuda. */
#ifndef FAKE_TOOLKIT_CUDA_H_
#define FAKE_TOOLKIT_CUDA_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CUDA_SUCCESS = 0 } CUresult;
typedef struct FakeModule* CUmodule;
typedef struct FakeFunction* CUfunction;
typedef struct FakeStream* CUstream;

CUresult cuModuleLoadData(CUmodule* module, const void* image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** parameters, void** extra);

#ifdef __cplusplus
}
#endif
#endif
