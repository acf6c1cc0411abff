#include "transforms/kernels/difference_of_gaussians.hpp"

#include <algorithm>
#include <cstring>

#include "transforms/kernels/gaussian_blur.hpp"

namespace penstock::inline v0 {
namespace {

int pixels_of(double sigma) {
  const int size = static_cast<int>(6 * sigma) + 1;
  return size % 2 == 1 ? size : size + 1;
}

// Memory for one blur: all rows after the weights across, with rows of zeros above and below.
struct DogMemory {
  DogMemory(ImageSize size, int pixels)
      : reach(static_cast<std::size_t>(pixels / 2)),
        line(static_cast<std::size_t>(size.width) + kWeighStep),
        high(static_cast<std::size_t>(size.height) + 2 * reach) {}

  std::size_t bytes() const {
    const std::size_t floats = (reach + 1) + (line + 2 * reach) + high * line + line;
    return (2 * reach + 1) * sizeof(const float*) + floats * sizeof(float);
  }
  void place(std::uint8_t* memory) {
    lines = reinterpret_cast<const float**>(memory);
    weights = reinterpret_cast<float*>(memory + (2 * reach + 1) * sizeof(const float*));
    padded = weights + reach + 1;
    rows = padded + line + 2 * reach;
    made = rows + high * line;
  }
  float* row(std::size_t y) const { return rows + (y + reach) * line; }

  std::size_t reach;
  std::size_t line;  // floats from row to row
  std::size_t high;
  const float** lines = nullptr;
  float* weights = nullptr;
  float* padded = nullptr;
  float* rows = nullptr;
  float* made = nullptr;
};

// Calls put(y, row) for each row of the blurred image.
template <class Put>
void blur_rows(const float* in, ImageSize size, double sigma, std::uint8_t* work, Put put) {
  const int pixels = pixels_of(sigma);
  DogMemory memory(size, pixels);
  memory.place(work);
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  const int taps = gaussian_weights(pixels, sigma, memory.weights);
  const auto reach = static_cast<std::size_t>(taps - 1);
  std::fill_n(memory.padded, memory.line + 2 * memory.reach, 0.0F);
  std::fill_n(memory.rows, (height + 2 * memory.reach) * memory.line, 0.0F);
  for (std::size_t y = 0; y < height; ++y) {
    float* const middle = memory.padded + memory.reach;
    std::memcpy(middle, in + y * width, width * sizeof(float));
    memory.lines[0] = middle;
    for (std::size_t k = 1; k <= reach; ++k) {
      memory.lines[2 * k - 1] = middle - k;
      memory.lines[2 * k] = middle + k;
    }
    weigh_lines(memory.lines, memory.weights, taps, width, memory.row(y));
  }
  for (std::size_t y = 0; y < height; ++y) {
    memory.lines[0] = memory.row(y);
    for (std::size_t k = 1; k <= reach; ++k) {
      memory.lines[2 * k - 1] = memory.row(y) - k * memory.line;
      memory.lines[2 * k] = memory.row(y) + k * memory.line;
    }
    weigh_lines(memory.lines, memory.weights, taps, width, memory.made);
    put(y, memory.made);
  }
}

}  // namespace

std::size_t work_of_difference(ImageSize size, const CenterSurround& sigmas) {
  return std::max(DogMemory(size, pixels_of(sigmas.center)).bytes(),
                  DogMemory(size, pixels_of(sigmas.surround)).bytes());
}

void difference_of_gaussians(const float* in, ImageSize size, const CenterSurround& sigmas, float* out,
                             std::uint8_t* work) {
  const auto width = static_cast<std::size_t>(size.width);
  blur_rows(in, size, sigmas.center, work, [&](std::size_t y, const float* row) {
    std::memcpy(out + y * width, row, width * sizeof(float));
  });
  blur_rows(in, size, sigmas.surround, work, [&](std::size_t y, const float* row) {
    for (std::size_t x = 0; x < width; ++x) {
      out[y * width + x] -= row[x];
    }
  });
}

}  // namespace penstock::inline v0
