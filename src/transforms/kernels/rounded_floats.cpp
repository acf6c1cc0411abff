#include "transforms/kernels/rounded_floats.hpp"

#include "core/half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transforms/kernels/rounded_floats.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {

CpuTarget rounding_target_compiled() { return this_target(); }

// Each: as many as whole vectors hold; returns how many.

// Highway cuts digits off where the CPU does not convert.
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

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
std::size_t to_bfloat_vectors(const float*, std::size_t, std::uint16_t*) { return 0; }
std::size_t to_byte_vectors(const float*, std::size_t, std::uint8_t*) { return 0; }
#else
std::size_t to_bfloat_vectors(const float* in, std::size_t count, std::uint16_t* out) {
  const hn::ScalableTag<float> wide;
  const hn::RebindToUnsigned<decltype(wide)> bits;
  const hn::RebindToSigned<decltype(wide)> whole;
  const hn::Rebind<std::uint16_t, decltype(wide)> narrow;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(wide, in + i);
    const auto all = hn::BitCast(bits, value);
    const auto odd = hn::And(hn::ShiftRight<16>(all), hn::Set(bits, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(all, hn::Set(bits, 0x7FFF)), odd));
    const auto no_number = hn::RebindMask(bits, hn::Not(hn::Eq(value, value)));
    const auto made = hn::IfThenElse(no_number, hn::Set(bits, 0x7FC0), rounded);
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(whole, made)), narrow, out + i);
  }
  return i;
}

std::size_t to_byte_vectors(const float* in, std::size_t count, std::uint8_t* out) {
  const hn::ScalableTag<float> wide;
  const hn::RebindToSigned<decltype(wide)> whole;
  const hn::Rebind<std::uint8_t, decltype(wide)> narrow;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto scaled = hn::Mul(hn::LoadU(wide, in + i), hn::Set(wide, 255.999F));
    const auto positive = hn::IfThenElseZero(hn::Gt(scaled, hn::Zero(wide)), scaled);
    const auto made = hn::ConvertTo(whole, hn::Min(positive, hn::Set(wide, 255.0F)));
    hn::StoreU(hn::DemoteTo(narrow, made), narrow, out + i);
  }
  return i;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(rounding_target_compiled);
HWY_EXPORT(to_half_vectors);
HWY_EXPORT(to_bfloat_vectors);
HWY_EXPORT(to_byte_vectors);

void round_floats(const float* in, std::size_t count, ElementType type, void* out) {
  if (type == ElementType::uint8) {
    auto* const bytes = static_cast<std::uint8_t*>(out);
    for (std::size_t i = HWY_DYNAMIC_DISPATCH(to_byte_vectors)(in, count, bytes); i < count; ++i) {
      bytes[i] = byte_of(in[i]);
    }
    return;
  }
  auto* const words = static_cast<std::uint16_t*>(out);
  if (type == ElementType::bfloat16) {
    for (std::size_t i = HWY_DYNAMIC_DISPATCH(to_bfloat_vectors)(in, count, words); i < count; ++i) {
      words[i] = bfloat_of(in[i]);
    }
    return;
  }
  for (std::size_t i = HWY_DYNAMIC_DISPATCH(to_half_vectors)(in, count, words); i < count; ++i) {
    words[i] = half_of(in[i]);
  }
}

CpuTarget rounding_target() { return HWY_DYNAMIC_DISPATCH(rounding_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
