#include "transforms/kernels/weighted_sum.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/weighted_sum.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

CpuTarget weighted_sum_target_compiled() { return this_target(); }

// As many as whole vectors hold; returns how many.
std::size_t weighted_sum_vectors(std::span<const std::uint8_t* const> rows, std::span<const float> weights,
                                 std::size_t count, std::uint8_t* out) {
  const hn::ScalableTag<float> floats;
  const hn::RebindToSigned<decltype(floats)> whole;
  const hn::Rebind<std::uint8_t, decltype(floats)> bytes;
  const std::size_t lanes = hn::Lanes(floats);
  const auto product = [&](std::size_t row, std::size_t i) HWY_ATTR {
    const auto values = hn::ConvertTo(floats, hn::PromoteTo(whole, hn::LoadU(bytes, rows[row] + i)));
    return hn::Mul(hn::Set(floats, weights[row]), values);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto sum = product(0, i);
    for (std::size_t row = 1; row < rows.size(); ++row) {
      sum = hn::Add(sum, product(row, i));
    }
    sum = hn::Min(hn::Max(sum, hn::Zero(floats)), hn::Set(floats, 255.0F));
    hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(whole, sum)), bytes, out + i);
  }
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(weighted_sum_target_compiled);
HWY_EXPORT(weighted_sum_vectors);

void weighted_sum(std::span<const std::uint8_t* const> rows, std::span<const float> weights,
                  std::size_t count, std::uint8_t* out) {
  for (std::size_t i = HWY_DYNAMIC_DISPATCH(weighted_sum_vectors)(rows, weights, count, out); i < count;
       ++i) {
    float sum = weights[0] * static_cast<float>(rows[0][i]);
    for (std::size_t row = 1; row < rows.size(); ++row) {
      sum += weights[row] * static_cast<float>(rows[row][i]);
    }
    out[i] = static_cast<std::uint8_t>(std::clamp(sum, 0.0F, 255.0F));
  }
}

CpuTarget weighted_sum_target() { return HWY_DYNAMIC_DISPATCH(weighted_sum_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
