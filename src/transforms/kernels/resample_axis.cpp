#include "transforms/kernels/resample_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace penstock::inline v0 {
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

bool never_negative(Interpolation interpolation) {
  return interpolation != Interpolation::bicubic && interpolation != Interpolation::lanczos;
}

std::int32_t to_fixed(double weight) {
  constexpr double kScale = 1 << kWeightBits;
  return static_cast<std::int32_t>(weight < 0 ? -0.5 + weight * kScale : 0.5 + weight * kScale);
}

// The filter is a template parameter so that it is inlined. `kNumber` makes a weight of what Pillow computes.
template <double (*kFilter)(double), auto kNumber, class Weights>
void weights_by(const AxisRequest& request, double filter_support, Weights& result) {
  const double scale = static_cast<double>(static_cast<float>(request.in)) / request.out;
  const double filter_scale = std::max(scale, 1.0);
  const double support = filter_support * filter_scale;
  const double inverse = 1.0 / filter_scale;
  result.stride = static_cast<int>(std::ceil(support)) * 2 + 1;
  const auto stride = static_cast<std::size_t>(result.stride);
  result.windows.resize(static_cast<std::size_t>(request.count));
  result.weights.resize(result.windows.size() * stride);
  result.work.resize(stride);
  double* work = result.work.data();
  auto* weights = result.weights.data();
  for (std::size_t i = 0; i < result.windows.size(); ++i, weights += stride) {
    const double center = (static_cast<double>(request.first + static_cast<int>(i)) + 0.5) * scale;
    const int first = std::max(static_cast<int>(center - support + 0.5), 0);
    const int count = std::min(static_cast<int>(center + support + 0.5), request.in) - first;
    double sum = 0.0;
    for (int tap = 0; tap < count; ++tap) {
      const double value = kFilter((tap + first - center + 0.5) * inverse);
      work[tap] = value;
      sum += value;
    }
    for (int tap = 0; tap < count; ++tap) {
      weights[tap] = kNumber(sum != 0.0 ? work[tap] / sum : work[tap]);
    }
    result.windows[i] = {first, count};
  }
}

template <auto kNumber, class Weights>
void weights_of(const AxisRequest& request, Weights& weights) {
  switch (request.filter) {
    case Interpolation::box:
      return weights_by<box, kNumber>(request, 0.5, weights);
    case Interpolation::hamming:
      return weights_by<hamming, kNumber>(request, 1.0, weights);
    case Interpolation::bicubic:
      return weights_by<bicubic, kNumber>(request, 2.0, weights);
    case Interpolation::lanczos:
      return weights_by<lanczos, kNumber>(request, 3.0, weights);
    default:
      return weights_by<bilinear, kNumber>(request, 1.0, weights);
  }
}

double as_it_is(double weight) { return weight; }

constexpr std::size_t kDigitTaps = 4;
using Four = std::array<std::int32_t, kDigitTaps>;
constexpr std::int32_t kOne = 1 << kWeightBits;
// Added to a weight it makes digits that are read without sign 64 larger than those nearest to it.
constexpr std::int32_t kCentre = 64 + 64 * 128;

struct Parts {
  int low = 0, middle = 0, top = 0;
};

Parts nearest_parts(std::int32_t weight) {
  const std::int32_t moved = weight + kCentre;
  return {(moved & 127) - 64, ((moved >> 7) & 127) - 64, moved >> 14};
}

std::uint32_t twice(std::uint32_t bits) { return bits * 0x10001U; }
std::uint32_t bias_of(int number) { return twice(static_cast<std::uint32_t>(number) & 0xFFFF); }
std::uint32_t bytes_of(int first, int second) {
  return twice(static_cast<std::uint32_t>(first & 0xFF) | (static_cast<std::uint32_t>(second & 0xFF) << 8));
}

// Two taps whose nearest digits will not do: one is 256, or the sum of the middle ones leaves 16 bits.
bool split_two(const Four& weights, ResampleAxis::Digits& digits) {
  Parts parts[2] = {nearest_parts(weights[0]), nearest_parts(weights[1])};
  std::size_t other = 1;  // the tap whose digits may be carried over
  for (std::size_t i = 0; i < 2; ++i) {
    if (parts[i].top > 255) {
      // A weight of 1 is the only one; less by one it gives the same pixels.
      const std::int32_t weight = std::min(weights[i], kOne - 1);
      parts[i] = {weight & 127, (weight >> 7) & 127, weight >> 14};
      other = 1 - i;
      if (weights[i] >= kOne && weights[other] != 0) {
        return false;
      }
    }
  }
  const int sum = parts[0].middle + parts[1].middle;
  const int carry = sum >= 128 ? 1 : sum <= -128 ? -1 : 0;
  parts[other].middle -= 128 * carry;
  parts[other].top += carry;
  const auto& [a, b] = parts;
  digits.low[0] = bytes_of(a.low, b.low);
  digits.middle[0] = bytes_of(a.middle, b.middle);
  digits.top[0] = bytes_of(a.top, b.top);
  digits.bias[2] = bias_of(128 + 128 * (a.top + b.top));
  return a.low + b.low <= 128 && a.top + b.top <= 256;
}

// Makes a sum of three digits smaller by carrying 128 of the outermost digit over to the next place.
void carry_one(int sign, std::array<int, 3>& digits, std::array<int, 3>& next) {
  std::size_t outermost = 0;
  for (std::size_t i = 1; i < digits.size(); ++i) {
    outermost = sign * digits[i] > sign * digits[outermost] ? i : outermost;
  }
  digits[outermost] -= sign * 128;
  next[outermost] += sign;
}

// Three taps have digits whose sums need no bias: if not the nearest ones, then those with one of them
// carried.
constexpr int kMinLow = -128, kMinMiddle = -64, kMax = 127;

bool split_three(const Four& weights, ResampleAxis::Digits& digits) {
  std::array<int, 3> low, middle, top, rest;
  const auto sum = [](const std::array<int, 3>& d) { return d[0] + d[1] + d[2]; };
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = nearest_parts(weights[i]).low;
    rest[i] = (weights[i] - low[i]) >> 7;
  }
  if (sum(low) > kMax || sum(low) < kMinLow) {
    carry_one(sum(low) > kMax ? 1 : -1, low, rest);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    middle[i] = nearest_parts(rest[i]).low;
    top[i] = (rest[i] - middle[i]) >> 7;
  }
  if (sum(middle) > kMax || sum(middle) < kMinMiddle) {
    carry_one(sum(middle) > kMax ? 1 : -1, middle, top);
  }
  digits.low[0] = bytes_of(low[0], low[1]);
  digits.low[1] = bytes_of(low[2], 0);
  digits.middle[0] = bytes_of(middle[0], middle[1]);
  digits.middle[1] = bytes_of(middle[2], 0);
  digits.top[0] = bytes_of(top[0], top[1]);
  digits.top[1] = bytes_of(top[2], 0);
  digits.bias[2] = bias_of(128 + 128 * sum(top));
  int negative = 0;
  for (const int digit : middle) {
    negative += std::min(digit, 0);
  }
  return negative >= -127 && top[0] + top[1] <= 256 && std::max({top[0], top[1], top[2]}) <= 255;
}

// Two taps' numbers in the halves of a word: taps are split two at a time.
std::uint64_t join(std::int32_t first, std::int32_t second) {
  return static_cast<std::uint64_t>(first) | (static_cast<std::uint64_t>(second) << 32);
}

std::uint64_t digits_at(std::uint64_t pair, int bit) { return (pair >> bit) & 0x7F0000007F; }

// The digits' bytes next to each other, less 64.
std::uint32_t centred(std::uint64_t digits) {
  const auto bytes = static_cast<std::uint32_t>(digits | (digits >> 24)) & 0xFFFF;
  return twice(((bytes | 0x8080) - 0x4040) ^ 0x8080);
}

int both(std::uint64_t digits) { return static_cast<int>(digits + (digits >> 32)); }

// Sums of four taps, at their largest, might leave 16 bits.
bool four_fit(const Four& weights) {
  int low = 0, middle = 0;
  for (const std::int32_t weight : weights) {
    const Parts parts = nearest_parts(weight);
    low += std::abs(parts.low);
    middle += std::abs(parts.middle);
  }
  return 128 * low <= 32767 && 128 * middle + 2 * low <= 32767;
}

// What a pair's nearest digits add up to.
struct Sums {
  int low = 0, middle = 0, top = 0;
};

Sums split_pair(std::uint64_t pair, std::size_t place, ResampleAxis::Digits& digits) {
  const std::uint64_t lows = digits_at(pair, 0), middles = digits_at(pair, 7);
  const std::uint64_t tops = (pair >> 14) & 0xFF000000FF;
  digits.low[place] = centred(lows);
  digits.middle[place] = centred(middles);
  digits.top[place] = twice(static_cast<std::uint32_t>(tops | (tops >> 24)) & 0xFFFF);
  return {both(lows) - 128, both(middles) - 128, both(tops)};
}

// False if the sums could leave 16 bits.
bool split(const Four& weights, ResampleAxis::Digits& digits) {
  digits.taps = weights[3] != 0 ? 4 : weights[2] != 0 ? 3 : 2;
  const std::uint64_t first = join(weights[0] + kCentre, weights[1] + kCentre);
  const std::uint64_t second = join(weights[2] + kCentre, weights[3] + kCentre);
  const bool full = ((first | second) & join(kOne, kOne)) != 0;  // a top digit of 256
  if (digits.taps == 2) {
    digits.low[1] = digits.middle[1] = digits.top[1] = digits.bias[0] = digits.bias[1] = 0;
    if (full || digits_at(first, 7) == 0) {
      return split_two(weights, digits);
    }
    const Sums sums = split_pair(first, 0, digits);
    digits.bias[2] = bias_of(128 + 128 * sums.top);
    return sums.top <= 256;
  }
  const Sums a = split_pair(first, 0, digits), b = split_pair(second, 1, digits);
  const int low = a.low + b.low, middle = a.middle + b.middle;
  if (digits.taps == 3) {
    digits.bias[0] = digits.bias[1] = 0;
    if (low < kMinLow || low > kMax || middle < kMinMiddle || middle > kMax) {
      return split_three(weights, digits);
    }
    digits.bias[2] = bias_of(128 + 128 * (a.top + b.top));
    return !full && a.top <= 256;
  }
  digits.bias[0] = bias_of(-128 * low);
  digits.bias[1] = bias_of(low - 128 * middle);
  digits.bias[2] = bias_of(128 + 128 * (a.top + b.top) + middle);
  return !full && a.top <= 256 && b.top <= 256 && four_fit(weights);
}

// Fills taps and digits for windows of at most `longest` taps. False if there are none.
bool use_digits(const ResampleWeights& work, int longest, ResampleAxis& axis) {
  axis.digits.resize(work.windows.size());
  const std::int32_t* weights = work.weights.data();
  for (std::size_t i = 0; i < work.windows.size(); ++i, weights += work.stride) {
    const auto window = work.windows[i];
    const int start = std::min(window.first, axis.request.in - longest);
    axis.taps[i] = {start, longest, 0};
    Four taps{};
    for (int k = 0; k < window.count; ++k) {
      taps[static_cast<std::size_t>(window.first - start + k)] = weights[k];
    }
    if (!split(taps, axis.digits[i])) {
      return false;
    }
  }
  axis.digit_taps = longest;
  return true;
}

void use_pairs(const ResampleWeights& work, int longest, ResampleAxis& axis) {
  const auto pairs_for = [](int count) { return std::max((count + 3) / 4 * 2, 2); };
  axis.digit_taps = 0;
  axis.stride = pairs_for(longest);
  axis.pairs.assign(axis.taps.size() * static_cast<std::size_t>(axis.stride), {});
  for (std::size_t i = 0; i < axis.taps.size(); ++i) {
    const auto window = work.windows[i];
    auto& taps = axis.taps[i];
    taps.pairs = pairs_for(window.count);
    taps.start = std::min(window.first, std::max(axis.request.in - 2 * taps.pairs, 0));
    taps.count = std::min(2 * taps.pairs, axis.request.in - taps.start);
    const std::int32_t* weights = work.weights.data() + i * static_cast<std::size_t>(work.stride);
    ResampleAxis::Pair* pairs = axis.pairs.data() + i * static_cast<std::size_t>(axis.stride);
    for (int k = 0; k < window.count; ++k) {
      const int tap = window.first - taps.start + k;
      pairs[tap / 2].high[tap % 2] = static_cast<std::int16_t>(weights[k] >> 11);
      pairs[tap / 2].low[tap % 2] = static_cast<std::int16_t>(weights[k] & 0x7FF);
    }
  }
}

}  // namespace

void compute_weights(const AxisRequest& request, ResampleWeights& weights) {
  weights_of<to_fixed>(request, weights);
}

void compute_weights(const AxisRequest& request, RealWeights& weights) {
  weights_of<as_it_is>(request, weights);
}

void compute_axis(const AxisRequest& request, ResampleWeights& work, ResampleAxis& axis) {
  compute_weights(request, work);
  axis.request = request;
  axis.taps.resize(work.windows.size());
  int longest = 2;
  for (const auto& window : work.windows) {
    longest = std::max(longest, window.count);
  }
  const bool few = longest <= std::min(static_cast<int>(kDigitTaps), request.in);
  if (!few || !never_negative(request.filter) || !use_digits(work, longest, axis)) {
    use_pairs(work, longest, axis);
  }
}

void compute_nearest(const AxisRequest& request, ElementType type, std::vector<int>& sources) {
  sources.resize(static_cast<std::size_t>(request.count));
  const double step = static_cast<double>(static_cast<float>(request.in)) / request.out;
  const auto put = [&](int pixel, double position) {
    sources[static_cast<std::size_t>(pixel - request.first)] =
        std::min(static_cast<int>(position), request.in - 1);
  };
  const int end = request.first + request.count;
  if (type == ElementType::uint16) {  // a place for each pixel by itself
    for (int pixel = request.first; pixel < end; ++pixel) {
      put(pixel, step * (pixel + 0.5));
    }
    return;
  }
  double position = step * 0.5;  // added up from pixel to pixel
  for (int pixel = 0; pixel < end; ++pixel, position += step) {
    if (pixel >= request.first) {
      put(pixel, position);
    }
  }
}

}  // namespace penstock::inline v0
