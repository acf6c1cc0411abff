#include "transforms/kernels/box_blur.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/box_blur.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"
#include "transforms/kernels/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget blur_target_compiled() { return this_target(); }

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

// Bytes that lines have side by side: what is blurred is a line of such bundles.
constexpr std::size_t kBundle = 16;

void blur_line(const BlurBox& box, const std::uint8_t* in, std::size_t in_step, int length, std::uint8_t* out,
               std::size_t out_step) {
  const auto at = [&](int i, std::size_t lane) {
    return std::uint32_t{in[static_cast<std::size_t>(std::clamp(i, 0, length - 1)) * in_step + lane]};
  };
  for (std::size_t lane = 0; lane < kBundle; ++lane) {
    std::uint32_t sum = 0;
    for (int i = -box.reach; i <= box.reach; ++i) {
      sum += at(i, lane);
    }
    for (int i = 0; i < length; ++i) {
      const std::uint32_t edges = at(i - box.reach - 1, lane) + at(i + box.reach + 1, lane);
      out[static_cast<std::size_t>(i) * out_step + lane] =
          static_cast<std::uint8_t>((sum * box.inner + edges * box.edge + (1U << 23)) >> 24);
      sum += at(i + box.reach + 1, lane) - at(i - box.reach, lane);
    }
  }
}

void to_lines(const std::uint8_t* in, std::size_t stride, int rows, std::size_t bytes, std::uint8_t* lines) {
  for (std::size_t i = 0; i < bytes; ++i) {
    for (std::size_t y = 0; y < kBundle; ++y) {
      lines[i * kBundle + y] = in[std::min(y, static_cast<std::size_t>(rows - 1)) * stride + i];
    }
  }
}

void from_lines(const std::uint8_t* lines, int rows, std::size_t bytes, std::uint8_t* out,
                std::size_t stride) {
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
    for (std::size_t i = 0; i < bytes; ++i) {
      out[y * stride + i] = lines[i * kBundle + y];
    }
  }
}

#else

constexpr std::size_t kBundle = HWY_MAX_BYTES;

using DU16 = hn::Repartition<std::uint16_t, D8>;
using DU32 = hn::Repartition<std::uint32_t, D8>;
using VU16 = hn::Vec<DU16>;
using VU32 = hn::Vec<DU32>;

struct Halves {
  VU16 lower, upper;
};

HWY_INLINE Halves widened(V8 v) {
  const V8 zero = hn::Zero(D8());
  return {hn::BitCast(DU16(), hn::InterleaveLower(D8(), v, zero)),
          hn::BitCast(DU16(), hn::InterleaveUpper(D8(), v, zero))};
}

struct Quarters {
  VU32 of[4];
};

HWY_INLINE Quarters widened(const Halves& halves) {
  const VU16 zero = hn::Zero(DU16());
  return {{hn::BitCast(DU32(), hn::InterleaveLower(DU16(), halves.lower, zero)),
           hn::BitCast(DU32(), hn::InterleaveUpper(DU16(), halves.lower, zero)),
           hn::BitCast(DU32(), hn::InterleaveLower(DU16(), halves.upper, zero)),
           hn::BitCast(DU32(), hn::InterleaveUpper(DU16(), halves.upper, zero))}};
}

HWY_INLINE Halves operator+(const Halves& a, const Halves& b) {
  return {hn::Add(a.lower, b.lower), hn::Add(a.upper, b.upper)};
}

void blur_line(const BlurBox& box, const std::uint8_t* in, std::size_t in_step, int length, std::uint8_t* out,
               std::size_t out_step) {
  const auto at = [&](int i) HWY_ATTR {
    return hn::LoadU(D8(), in + static_cast<std::size_t>(std::clamp(i, 0, length - 1)) * in_step);
  };
  const VU32 inner = hn::Set(DU32(), box.inner), edge = hn::Set(DU32(), box.edge);
  const VU32 half = hn::Set(DU32(), 1U << 23);
  Quarters sums{{hn::Zero(DU32()), hn::Zero(DU32()), hn::Zero(DU32()), hn::Zero(DU32())}};
  const auto add = [&](V8 v) HWY_ATTR {
    const Quarters more = widened(widened(v));
    for (int q = 0; q < 4; ++q) {
      sums.of[q] = hn::Add(sums.of[q], more.of[q]);
    }
  };
  for (int i = -box.reach; i <= box.reach; ++i) {
    add(at(i));
  }
  for (int i = 0; i < length; ++i, out += out_step) {
    const V8 next = at(i + box.reach + 1);
    const Quarters edges = widened(widened(at(i - box.reach - 1)) + widened(next));
    V32 result[4];
    for (int q = 0; q < 4; ++q) {
      const VU32 sum = hn::Add(hn::Mul(sums.of[q], inner), hn::Add(hn::Mul(edges.of[q], edge), half));
      result[q] = hn::BitCast(D32(), hn::ShiftRight<24>(sum));
    }
    const Quarters old = widened(widened(at(i - box.reach)));
    add(next);
    for (int q = 0; q < 4; ++q) {
      sums.of[q] = hn::Sub(sums.of[q], old.of[q]);
    }
    hn::StoreU(pack_8(pack_16(result[0], result[1]), pack_16(result[2], result[3])), D8(), out);
  }
}

void to_lines(const std::uint8_t* in, std::size_t stride, int rows, std::size_t bytes, std::uint8_t* lines) {
  for (std::size_t i = 0; i < bytes; i += 16) {
    to_columns(in + i, stride, rows, lines + i * kBundle);
  }
}

void from_lines(const std::uint8_t* lines, int rows, std::size_t bytes, std::uint8_t* out,
                std::size_t stride) {
  std::size_t i = 0;
  for (; i + 16 <= bytes; i += 16) {
    to_rows(lines + i * kBundle, rows, out + i, stride);
  }
  if (i < bytes) {
    alignas(64) std::uint8_t rest[kBundle * 16];
    to_rows(lines + i * kBundle, rows, rest, 16);
    for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
      std::memcpy(out + y * stride + i, rest + y * 16, bytes - i);
    }
  }
}

#endif

// Three times along a line of bundles, from `in` to `out`, by way of `work`: two lines.
void blur_three_times(const BlurBox& box, const std::uint8_t* in, std::size_t in_step, int length,
                      std::uint8_t* work, std::uint8_t* out, std::size_t out_step) {
  std::uint8_t* const other = work + static_cast<std::size_t>(length) * kBundle;
  blur_line(box, in, in_step, length, work, kBundle);
  blur_line(box, work, kBundle, length, other, kBundle);
  blur_line(box, other, kBundle, length, out, out_step);
}

std::size_t work_bytes(ImageSize size, int channels) {
  // Lines are moved 16 at a time, on the way in and on the way out: the last ones of a narrow image are not
  // its own.
  const std::size_t across = 2 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels) +
                             32 + 2 * static_cast<std::size_t>(size.width);
  return kBundle * std::max(across, 3 * static_cast<std::size_t>(size.height));
}

void across(const ConstPixelRows& in, const PixelRows& out, const BlurBox& box, std::uint8_t* work) {
  const auto channels = static_cast<std::size_t>(in.channels);
  const std::size_t bytes = in.row_bytes();
  std::uint8_t* const blurred = work + (bytes + 16) * kBundle;
  std::uint8_t* const between = blurred + bytes * kBundle;
  for (int y = 0; y < in.size.height; y += static_cast<int>(kBundle)) {
    const int rows = std::min(static_cast<int>(kBundle), in.size.height - y);
    to_lines(in.row(y), in.stride, rows, bytes, work);
    for (std::size_t c = 0; c < channels; ++c) {
      blur_three_times(box, work + c * kBundle, channels * kBundle, in.size.width, between,
                       blurred + c * kBundle, channels * kBundle);
    }
    from_lines(blurred, rows, bytes, out.row(y), out.stride);
  }
}

// Rows that are read here may be read beyond their end: by what follows them, or by the slack.
void down(const PixelRows& image, const BlurBox& box, std::uint8_t* work) {
  const std::size_t bytes = image.row_bytes();
  for (std::size_t x = 0; x < bytes; x += kBundle) {
    std::uint8_t* const column = image.data + x;
    const std::size_t count = std::min(kBundle, bytes - x);
    if (count == kBundle) {
      blur_three_times(box, column, image.stride, image.size.height, work, column, image.stride);
      continue;
    }
    std::uint8_t* const narrow = work + 2 * kBundle * static_cast<std::size_t>(image.size.height);
    for (int y = 0; y < image.size.height; ++y) {
      std::memcpy(narrow + static_cast<std::size_t>(y) * kBundle,
                  column + static_cast<std::size_t>(y) * image.stride, count);
    }
    blur_three_times(box, narrow, kBundle, image.size.height, work, narrow, kBundle);
    for (int y = 0; y < image.size.height; ++y) {
      std::memcpy(column + static_cast<std::size_t>(y) * image.stride,
                  narrow + static_cast<std::size_t>(y) * kBundle, count);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(blur_target_compiled);
HWY_EXPORT(work_bytes);
HWY_EXPORT(across);
HWY_EXPORT(down);

BlurBox gaussian_blur_box(float radius) {
  // Pillow's mixture of float and double.
  const float variance = radius * radius / 3.0F;
  const auto length = static_cast<float>(std::sqrt(12.0 * static_cast<double>(variance) + 1.0));
  const auto whole = static_cast<float>(std::floor((static_cast<double>(length) - 1.0) / 2.0));
  float part = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance);
  part /= 6 * (variance - (whole + 1) * (whole + 1));
  const float box_radius = whole + part;
  BlurBox box;
  box.reach = static_cast<int>(box_radius);
  box.inner = static_cast<std::uint32_t>(16777216.0F / (box_radius * 2 + 1));
  box.edge = ((1U << 24) - static_cast<std::uint32_t>(box.reach * 2 + 1) * box.inner) / 2;
  return box;
}

void box_blur_three_times(const ConstPixelRows& in, const PixelRows& out, const BlurBox& box,
                          Scratch& scratch) {
  std::uint8_t* const work = scratch.reserve(HWY_DYNAMIC_DISPATCH(work_bytes)(in.size, in.channels));
  HWY_DYNAMIC_DISPATCH(across)(in, out, box, work);
  HWY_DYNAMIC_DISPATCH(down)(out, box, work);
}

CpuTarget blur_target() { return HWY_DYNAMIC_DISPATCH(blur_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
