#include "transforms/kernels/half_floats.hpp"

#include "core/half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/half_floats.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget half_target_compiled() { return this_target(); }

// As many as whole vectors hold; returns how many. Highway cuts digits off where the CPU does not convert.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_NEON
std::size_t to_half_vectors(const float*, std::size_t, std::uint16_t*) { return 0; }
#else
std::size_t to_half_vectors(const float* in, std::size_t count, std::uint16_t* out) {
  const hn::ScalableTag<float> wide;
  const hn::Rebind<hwy::float16_t, decltype(wide)> narrow;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::DemoteTo(narrow, hn::LoadU(wide, in + i)), narrow,
               reinterpret_cast<hwy::float16_t*>(out + i));
  }
  return i;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(half_target_compiled);
HWY_EXPORT(to_half_vectors);

void to_half(const float* in, std::size_t count, std::uint16_t* out) {
  for (std::size_t i = HWY_DYNAMIC_DISPATCH(to_half_vectors)(in, count, out); i < count; ++i) {
    out[i] = half_of(in[i]);
  }
}

CpuTarget half_target() { return HWY_DYNAMIC_DISPATCH(half_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
