#include "codecs/kernels/audio_samples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codecs/kernels/audio_samples.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget audio_samples_target_compiled() { return this_target(); }

// Each function does as many of the samples as whole vectors hold and returns how many; the caller does the
// rest.

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

std::size_t from_uint8(const std::uint8_t*, std::size_t, float*) { return 0; }
std::size_t from_int16(const std::uint8_t*, std::size_t, float*) { return 0; }
std::size_t from_int24(const std::uint8_t*, std::size_t, float*) { return 0; }
std::size_t from_int32(const std::uint8_t*, std::size_t, float*) { return 0; }
std::size_t from_float64(const std::uint8_t*, std::size_t, float*) { return 0; }
std::size_t split_pairs(const float*, std::size_t, float*, float*) { return 0; }
std::size_t mix_pairs(const float*, const float*, std::size_t, float*) { return 0; }
std::size_t values_within(const float*, std::size_t, float) { return 0; }

#else

using DF = hn::ScalableTag<float>;

/// A vector of T from bytes of any alignment, as many as the tag has.
template <class T, class D>
HWY_INLINE hn::Vec<D> load_any(D d, const std::uint8_t* in) {
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, in));
}

std::size_t from_uint8(const std::uint8_t* in, std::size_t count, float* out) {
  const std::size_t lanes = hn::Lanes(DF());
  const hn::Rebind<std::uint8_t, DF> narrow;
  const auto scale = hn::Set(DF(), 1.0F / 128);
  const auto zero = hn::Set(D32(), 128);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::Sub(hn::PromoteTo(D32(), hn::LoadU(narrow, in + i)), zero);
    hn::StoreU(hn::Mul(hn::ConvertTo(DF(), x), scale), DF(), out + i);
  }
  return i;
}

std::size_t from_int16(const std::uint8_t* in, std::size_t count, float* out) {
  const std::size_t lanes = hn::Lanes(DF());
  const hn::Rebind<std::int16_t, DF> narrow;
  const auto scale = hn::Set(DF(), 1.0F / 32768);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::PromoteTo(D32(), load_any<std::int16_t>(narrow, in + i * 2));
    hn::StoreU(hn::Mul(hn::ConvertTo(DF(), x), scale), DF(), out + i);
  }
  return i;
}

// Four samples of three bytes to the upper bytes of four 32-bit lanes.
alignas(16) constexpr std::uint8_t kWiden[16] = {128, 0, 1, 2, 128, 3, 4, 5, 128, 6, 7, 8, 128, 9, 10, 11};

std::size_t from_int24(const std::uint8_t* in, std::size_t count, float* out) {
  const std::size_t lanes = hn::Lanes(DF());
  const V8 widen = hn::LoadDup128(D8(), kWiden);
  const auto scale = hn::Set(DF(), 1.0F / 2147483648.0F);
  std::size_t i = 0;
  // A block is loaded as 16 bytes, four more than its samples have: two samples must follow.
  for (; i + lanes + 2 <= count; i += lanes) {
    const auto x = hn::BitCast(D32(), hn::TableLookupBytesOr0(load_blocks(in + i * 3, 12), widen));
    hn::StoreU(hn::Mul(hn::ConvertTo(DF(), x), scale), DF(), out + i);
  }
  return i;
}

std::size_t from_int32(const std::uint8_t* in, std::size_t count, float* out) {
  const std::size_t lanes = hn::Lanes(DF());
  const auto scale = hn::Set(DF(), 1.0F / 2147483648.0F);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = load_any<std::int32_t>(D32(), in + i * 4);
    hn::StoreU(hn::Mul(hn::ConvertTo(DF(), x), scale), DF(), out + i);
  }
  return i;
}

std::size_t from_float64(const std::uint8_t* in, std::size_t count, float* out) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::DemoteTo(narrow, load_any<double>(wide, in + i * 8)), narrow, out + i);
  }
  return i;
}

std::size_t split_pairs(const float* in, std::size_t frames, float* first, float* second) {
  const std::size_t lanes = hn::Lanes(DF());
  std::size_t i = 0;
  for (; i + lanes <= frames; i += lanes) {
    hn::Vec<DF> a, b;
    hn::LoadInterleaved2(DF(), in + i * 2, a, b);
    hn::StoreU(a, DF(), first + i);
    hn::StoreU(b, DF(), second + i);
  }
  return i;
}

std::size_t mix_pairs(const float* first, const float* second, std::size_t frames, float* out) {
  const std::size_t lanes = hn::Lanes(DF());
  const auto half = hn::Set(DF(), 0.5F);  // dividing by two is exact, so is this
  std::size_t i = 0;
  for (; i + lanes <= frames; i += lanes) {
    const auto sum = hn::Add(hn::LoadU(DF(), first + i), hn::LoadU(DF(), second + i));
    hn::StoreU(hn::Mul(sum, half), DF(), out + i);
  }
  return i;
}

/// Stops at the first vector with a value that is not finite.
std::size_t values_within(const float* values, std::size_t count, float limit) {
  constexpr std::size_t kAtOnce = 4;
  const std::size_t lanes = hn::Lanes(DF());
  const auto infinity = hn::Set(DF(), std::numeric_limits<float>::infinity());
  const auto bound = hn::Set(DF(), limit);
  std::size_t i = 0;
  for (; i + kAtOnce * lanes <= count; i += kAtOnce * lanes) {
    // A difference of a value to itself is 0, or no number: so is the sum of such.
    auto sum = hn::Zero(DF());
    auto largest = hn::Zero(DF());
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      const auto x = hn::LoadU(DF(), values + i + k * lanes);
      sum = hn::Add(sum, hn::Sub(x, x));
      largest = hn::Max(largest, hn::Abs(x));
    }
    if (!hn::AllTrue(DF(), hn::And(hn::Lt(sum, infinity), hn::Le(largest, bound)))) {
      break;
    }
  }
  return i;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(audio_samples_target_compiled);
HWY_EXPORT(from_uint8);
HWY_EXPORT(from_int16);
HWY_EXPORT(from_int24);
HWY_EXPORT(from_int32);
HWY_EXPORT(from_float64);
HWY_EXPORT(split_pairs);
HWY_EXPORT(mix_pairs);
HWY_EXPORT(values_within);

namespace {

static_assert(std::endian::native == std::endian::little, "samples are taken as they lie in the file");

template <class T>
T load(const std::uint8_t* in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

/// G.711 to the 16-bit scale.
constexpr std::array<float, 256> make_a_law() {
  std::array<float, 256> table{};
  for (int code = 0; code < 256; ++code) {
    const int bits = code ^ 0x55;
    const int exponent = (bits >> 4) & 7;
    const int mantissa = bits & 15;
    int value = (mantissa << 4) + 8;
    if (exponent > 0) {
      value = (value + 256) << (exponent - 1);
    }
    table[static_cast<std::size_t>(code)] =
        static_cast<float>((bits & 0x80) != 0 ? value : -value) / 32768.0F;
  }
  return table;
}

constexpr std::array<float, 256> make_mu_law() {
  std::array<float, 256> table{};
  for (int code = 0; code < 256; ++code) {
    const int bits = ~code & 0xFF;
    const int exponent = (bits >> 4) & 7;
    const int value = ((((bits & 15) << 3) + 132) << exponent) - 132;
    table[static_cast<std::size_t>(code)] =
        static_cast<float>((bits & 0x80) != 0 ? -value : value) / 32768.0F;
  }
  return table;
}

constexpr std::array<float, 256> kALaw = make_a_law();
constexpr std::array<float, 256> kMuLaw = make_mu_law();

float one_sample(SampleFormat format, const std::uint8_t* in) {
  switch (format) {
    case SampleFormat::uint8:
      return static_cast<float>(static_cast<int>(*in) - 128) * (1.0F / 128);
    case SampleFormat::int16:
      return static_cast<float>(load<std::int16_t>(in)) * (1.0F / 32768);
    case SampleFormat::int24: {
      const std::uint32_t bits = static_cast<std::uint32_t>(in[0]) << 8 |
                                 static_cast<std::uint32_t>(in[1]) << 16 |
                                 static_cast<std::uint32_t>(in[2]) << 24;
      return static_cast<float>(static_cast<std::int32_t>(bits)) * (1.0F / 2147483648.0F);
    }
    case SampleFormat::int32:
      return static_cast<float>(load<std::int32_t>(in)) * (1.0F / 2147483648.0F);
    case SampleFormat::float32:
      return load<float>(in);
    case SampleFormat::float64:
      return static_cast<float>(load<double>(in));
    case SampleFormat::a_law:
      return kALaw[*in];
    case SampleFormat::mu_law:
      return kMuLaw[*in];
  }
  return 0.0F;
}

std::size_t whole_vectors(SampleFormat format, const std::uint8_t* in, std::size_t count, float* out) {
  switch (format) {
    case SampleFormat::uint8:
      return HWY_DYNAMIC_DISPATCH(from_uint8)(in, count, out);
    case SampleFormat::int16:
      return HWY_DYNAMIC_DISPATCH(from_int16)(in, count, out);
    case SampleFormat::int24:
      return HWY_DYNAMIC_DISPATCH(from_int24)(in, count, out);
    case SampleFormat::int32:
      return HWY_DYNAMIC_DISPATCH(from_int32)(in, count, out);
    case SampleFormat::float64:
      return HWY_DYNAMIC_DISPATCH(from_float64)(in, count, out);
    case SampleFormat::float32:
      std::memcpy(out, in, count * sizeof(float));
      return count;
    case SampleFormat::a_law:
    case SampleFormat::mu_law:
      return 0;
  }
  return 0;
}

}  // namespace

std::size_t bytes_of(SampleFormat format) noexcept {
  switch (format) {
    case SampleFormat::int16:
      return 2;
    case SampleFormat::int24:
      return 3;
    case SampleFormat::int32:
    case SampleFormat::float32:
      return 4;
    case SampleFormat::float64:
      return 8;
    case SampleFormat::uint8:
    case SampleFormat::a_law:
    case SampleFormat::mu_law:
      return 1;
  }
  return 1;
}

void samples_to_float(SampleFormat format, const std::uint8_t* in, std::size_t count, float* out) {
  const std::size_t size = bytes_of(format);
  for (std::size_t i = whole_vectors(format, in, count, out); i < count; ++i) {
    out[i] = one_sample(format, in + i * size);
  }
}

void split_channels(const float* in, std::size_t frames, std::size_t channels, float* out,
                    std::size_t stride) {
  std::size_t done = 0;
  if (channels == 2) {
    done = HWY_DYNAMIC_DISPATCH(split_pairs)(in, frames, out, out + stride);
  }
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t i = done; i < frames; ++i) {
      out[channel * stride + i] = in[i * channels + channel];
    }
  }
}

void mix_channels(const float* in, std::size_t frames, std::size_t channels, std::size_t stride, float* out) {
  std::size_t done = 0;
  if (channels == 2) {
    done = HWY_DYNAMIC_DISPATCH(mix_pairs)(in, in + stride, frames, out);
  }
  for (std::size_t i = done; i < frames; ++i) {
    float sum = in[i];
    for (std::size_t channel = 1; channel < channels; ++channel) {
      sum += in[channel * stride + i];
    }
    out[i] = sum / static_cast<float>(channels);
  }
}

bool all_within(const float* values, std::size_t count, float limit) {
  const std::size_t done = HWY_DYNAMIC_DISPATCH(values_within)(values, count, limit);
  return std::all_of(values + done, values + count,
                     [limit](float value) { return std::abs(value) <= limit; });
}

CpuTarget audio_samples_target() { return HWY_DYNAMIC_DISPATCH(audio_samples_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
