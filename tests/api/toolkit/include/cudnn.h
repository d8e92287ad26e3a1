/* The few prototypes of cuDNN that the examples call; our own words, for the fake libcudnn of 9.14. */
#ifndef FAKE_TOOLKIT_CUDNN_H_
#define FAKE_TOOLKIT_CUDNN_H_

#include <stddef.h>

#define CUDNN_MAJOR 9
#define CUDNN_MINOR 14

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CUDNN_STATUS_SUCCESS = 0 } cudnnStatus_t;
typedef struct FakeHandle* cudnnHandle_t;

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
size_t cudnnGetVersion(void);

#ifdef __cplusplus
}
#endif
#endif
