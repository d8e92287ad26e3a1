# Stands in for CMake's module: a made-up toolkit of a few prototypes (include/) over the fake libraries of
# tests/probe, so that the examples are built as users build them, on machines without CUDA. FAKES is given.
set(CUDAToolkit_FOUND TRUE)
set(CUDAToolkit_INCLUDE_DIRS ${CMAKE_CURRENT_LIST_DIR}/include)
foreach(pair cudart=cuda/libcudart.so.13 cuda_driver=driver/libcuda.so.1)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 file)
  if(NOT TARGET CUDA::${name})
    add_library(CUDA::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(CUDA::${name} PROPERTIES IMPORTED_LOCATION ${FAKES}/${file}
                          INTERFACE_INCLUDE_DIRECTORIES ${CUDAToolkit_INCLUDE_DIRS})
  endif()
endforeach()
