#include "transforms/kernels/resample_axis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace penstock {
namespace {

using transforms::Interpolation;

// The filters in double, each operation in Pillow's order: the last bit of a weight depends on it.

double box(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

double bilinear(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

double hamming(double x) {
  x = std::abs(x);
  if (x == 0.0) {
    return 1.0;
  }
  if (x >= 1.0) {
    return 0.0;
  }
  x = x * std::numbers::pi;
  return std::sin(x) / x * (static_cast<double>(0.54F) + static_cast<double>(0.46F) * std::cos(x));
}

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) {
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  }
  if (x < 2.0) {
    return (((x - 5) * x + 8) * x - 4) * a;
  }
  return 0.0;
}

double sinc(double x) {
  if (x == 0.0) {
    return 1.0;
  }
  x = x * std::numbers::pi;
  return std::sin(x) / x;
}

double lanczos(double x) { return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0; }

struct Filter {
  double (*value)(double);
  double support;
};

Filter filter_of(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::box:
      return {box, 0.5};
    case Interpolation::hamming:
      return {hamming, 1.0};
    case Interpolation::bicubic:
      return {bicubic, 2.0};
    case Interpolation::lanczos:
      return {lanczos, 3.0};
    default:
      return {bilinear, 1.0};
  }
}

std::int32_t to_fixed(double weight) {
  constexpr double kOne = 1 << kWeightBits;
  return static_cast<std::int32_t>(weight < 0 ? -0.5 + weight * kOne : 0.5 + weight * kOne);
}

}  // namespace

void compute_weights(const AxisRequest& request, ResampleWeights& result) {
  const Filter filter = filter_of(request.filter);
  const double scale = static_cast<double>(static_cast<float>(request.in)) / request.out;
  const double filter_scale = std::max(scale, 1.0);
  const double support = filter.support * filter_scale;
  const double inverse = 1.0 / filter_scale;
  result.stride = static_cast<int>(std::ceil(support)) * 2 + 1;
  const auto stride = static_cast<std::size_t>(result.stride);
  result.windows.resize(static_cast<std::size_t>(request.count));
  result.weights.resize(result.windows.size() * stride);
  result.work.resize(stride);
  for (std::size_t i = 0; i < result.windows.size(); ++i) {
    const double center = (static_cast<double>(request.first + static_cast<int>(i)) + 0.5) * scale;
    const int first = std::max(static_cast<int>(center - support + 0.5), 0);
    const int count = std::min(static_cast<int>(center + support + 0.5), request.in) - first;
    double sum = 0.0;
    for (int tap = 0; tap < count; ++tap) {
      const double value = filter.value((tap + first - center + 0.5) * inverse);
      result.work[static_cast<std::size_t>(tap)] = value;
      sum += value;
    }
    for (int tap = 0; tap < count; ++tap) {
      const double value = result.work[static_cast<std::size_t>(tap)];
      result.weights[i * stride + static_cast<std::size_t>(tap)] = to_fixed(sum != 0.0 ? value / sum : value);
    }
    result.windows[i] = {first, count};
  }
}

void compute_axis(const AxisRequest& request, ResampleWeights& work, ResampleAxis& axis) {
  compute_weights(request, work);
  axis.request = request;
  int longest = 0;
  for (const auto& window : work.windows) {
    longest = std::max(longest, window.count);
  }
  const auto pairs_for = [](int count) { return std::max((count + 3) / 4 * 2, 2); };
  axis.stride = longest <= 2 ? 1 : pairs_for(longest);
  axis.taps.resize(work.windows.size());
  axis.pairs.assign(axis.taps.size() * static_cast<std::size_t>(axis.stride), {});
  for (std::size_t i = 0; i < axis.taps.size(); ++i) {
    const auto window = work.windows[i];
    auto& taps = axis.taps[i];
    taps.pairs = axis.stride == 1 ? 1 : pairs_for(window.count);
    taps.start = std::min(window.first, std::max(request.in - 2 * taps.pairs, 0));
    taps.count = std::min(2 * taps.pairs, request.in - taps.start);
    const std::int32_t* weights = work.weights.data() + i * static_cast<std::size_t>(work.stride);
    ResampleAxis::Pair* pairs = axis.pairs.data() + i * static_cast<std::size_t>(axis.stride);
    for (int k = 0; k < window.count; ++k) {
      const int tap = window.first - taps.start + k;
      pairs[tap / 2].high[tap % 2] = static_cast<std::int16_t>(weights[k] >> 11);
      pairs[tap / 2].low[tap % 2] = static_cast<std::int16_t>(weights[k] & 0x7FF);
    }
  }
}

void compute_nearest(const AxisRequest& request, std::vector<int>& sources) {
  sources.resize(static_cast<std::size_t>(request.count));
  const double step = static_cast<double>(static_cast<float>(request.in)) / request.out;
  double position = step * 0.5;  // added up, not multiplied: Pillow's rounding
  for (int pixel = 0; pixel < request.first + request.count; ++pixel) {
    if (pixel >= request.first) {
      sources[static_cast<std::size_t>(pixel - request.first)] =
          std::min(static_cast<int>(position), request.in - 1);
    }
    position += step;
  }
}

}  // namespace penstock
