#include "probe/child/on_host.h"

namespace culprit::prober {
namespace {

// Calls visit(place in the image, in the filter, in the result) for each product of the convolution.
template <typename Visit>
void EachProduct(const ConvolutionShape& s, Visit visit) {
  for (size_t n = 0; n < s.batch; ++n) {
    for (size_t f = 0; f < s.filters; ++f) {
      for (size_t c = 0; c < s.channels; ++c) {
        for (size_t dy = 0; dy < s.kernel; ++dy) {
          for (size_t dx = 0; dx < s.kernel; ++dx) {
            const size_t in_filter = ((f * s.channels + c) * s.kernel + dy) * s.kernel + dx;
            for (size_t y = 0; y < s.height; ++y) {
              const size_t row = y + dy - s.pad;  // beyond the image it wraps around, and is too large
              if (row >= s.height) continue;
              for (size_t x = 0; x < s.width; ++x) {
                const size_t column = x + dx - s.pad;
                if (column >= s.width) continue;
                visit(((n * s.channels + c) * s.height + row) * s.width + column, in_filter,
                      ((n * s.filters + f) * s.height + y) * s.width + x);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<float> MatrixProduct(const std::vector<float>& a, const std::vector<float>& b, size_t size) {
  std::vector<float> c(size * size);
  for (size_t column = 0; column < size; ++column) {
    for (size_t row = 0; row < size; ++row) {
      double sum = 0;
      for (size_t i = 0; i < size; ++i) sum += double{a[i * size + row]} * double{b[column * size + i]};
      c[column * size + row] = static_cast<float>(sum);
    }
  }
  return c;
}

std::vector<float> Convolve(const ConvolutionShape& shape, const std::vector<float>& image,
                            const std::vector<float>& filter) {
  std::vector<float> result(shape.ResultSize());
  EachProduct(shape, [&](size_t i, size_t f, size_t r) { result[r] += image[i] * filter[f]; });
  return result;
}

std::vector<float> ConvolveBackToImage(const ConvolutionShape& shape, const std::vector<float>& filter,
                                       const std::vector<float>& gradient) {
  std::vector<float> image(shape.ImageSize());
  EachProduct(shape, [&](size_t i, size_t f, size_t r) { image[i] += gradient[r] * filter[f]; });
  return image;
}

std::vector<float> ConvolveBackToFilter(const ConvolutionShape& shape, const std::vector<float>& image,
                                        const std::vector<float>& gradient) {
  std::vector<float> filter(shape.FilterSize());
  EachProduct(shape, [&](size_t i, size_t f, size_t r) { filter[f] += gradient[r] * image[i]; });
  return filter;
}

}  // namespace culprit::prober
