// Vectors of 16 bytes from two places, for one target. Included once per target.

#if defined(PENSTOCK_TWO_EIGHTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_TWO_EIGHTS_INL
#undef PENSTOCK_TWO_EIGHTS_INL
#else
#define PENSTOCK_TWO_EIGHTS_INL
#endif

#include <cstdint>

#include "codecs/repacked/bytes.hpp"
#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

using D128 = hn::Full128<std::uint8_t>;
using V128 = hn::Vec<D128>;

/// Eight bytes from each place.
HWY_INLINE V128 load_two_eights(const std::uint8_t* lower, const std::uint8_t* upper) {
#if HWY_TARGET == HWY_NEON
  return V128(vcombine_u8(vld1_u8(lower), vld1_u8(upper)));
#else
  return V128{_mm_set_epi64x(static_cast<long long>(detail::load_64(upper)),
                             static_cast<long long>(detail::load_64(lower)))};
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#endif  // vectors
#endif  // PENSTOCK_TWO_EIGHTS_INL
