// The same arithmetic on the CPU, to compare the device's results with.
#pragma once

#include <cstddef>
#include <vector>

namespace culprit::prober {

// C = A * B for square matrices of `size`, column-major as in BLAS.
std::vector<float> MatrixProduct(const std::vector<float>& a, const std::vector<float>& b, size_t size);

// Images `batch` x `channels` x `height` x `width` and `filters` x `channels` x `kernel` x `kernel`, with
// `pad` zeros around, step 1, not mirrored. Results have the size of the image (kernel = 2 * pad + 1).
struct ConvolutionShape {
  size_t batch = 2, channels = 8, height = 32, width = 32, filters = 16, kernel = 3, pad = 1;

  size_t ImageSize() const { return batch * channels * height * width; }
  size_t FilterSize() const { return filters * channels * kernel * kernel; }
  size_t ResultSize() const { return batch * filters * height * width; }
};

std::vector<float> Convolve(const ConvolutionShape& shape, const std::vector<float>& image,
                            const std::vector<float>& filter);
// What of the difference `gradient` of a result comes from each place of the image, and from each filter.
std::vector<float> ConvolveBackToImage(const ConvolutionShape& shape, const std::vector<float>& filter,
                                       const std::vector<float>& gradient);
std::vector<float> ConvolveBackToFilter(const ConvolutionShape& shape, const std::vector<float>& image,
                                        const std::vector<float>& gradient);

}  // namespace culprit::prober
