#include "audio/kernels/mel_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "audio/kernels/mel_kernel.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "audio/kernels/fourier-inl.hpp"
#include "core/vector_helpers-inl.hpp"
#include "hwy/highway.h"

#ifndef PENSTOCK_MEL_KERNEL_ONCE
#define PENSTOCK_MEL_KERNEL_ONCE
namespace penstock::inline v0 {
namespace {

constexpr std::size_t kMaxLanes = 16;

/// What is seen at place i of a wave between two mirrors, as numpy.pad has it: also of one much shorter than
/// i.
std::ptrdiff_t mirrored(std::ptrdiff_t i, std::ptrdiff_t samples) {
  if (samples == 1) {
    return 0;
  }
  const std::ptrdiff_t period = 2 * (samples - 1);
  const std::ptrdiff_t place = (i % period + period) % period;
  return place < samples ? place : period - place;
}

/// `size` samples from `begin` on, which may lie before or behind the wave.
void copy_padded(const float* wave, std::ptrdiff_t samples, std::ptrdiff_t begin, std::ptrdiff_t size,
                 AudioPadding padding, float* out) {
  for (std::ptrdiff_t i = begin; i < begin + size; ++i) {
    std::ptrdiff_t from = i;
    if (i < 0 || i >= samples) {
      if (padding == AudioPadding::constant) {
        *out++ = 0;
        continue;
      }
      if (padding == AudioPadding::edge) {
        from = i < 0 ? 0 : samples - 1;
      } else {
        from = mirrored(i, samples);
      }
    }
    *out++ = wave[from];
  }
}

/// Where the frames of a batch lie, one after the other.
class FrameWalk {
 public:
  FrameWalk(const MelTables& tables, const WaveBatch& batch) : tables_(tables), batch_(batch) {}

  /// The next frame: in its wave, or put together in `padded`.
  const float* next(float* padded) {
    const float* const wave = batch_.waves + wave_ * batch_.samples;
    const auto size = static_cast<std::ptrdiff_t>(tables_.fft.size);
    const auto samples = static_cast<std::ptrdiff_t>(batch_.samples);
    const std::ptrdiff_t begin =
        static_cast<std::ptrdiff_t>(frame_ * tables_.hop) - (tables_.center ? size / 2 : 0);
    if (++frame_ == batch_.frames) {
      frame_ = 0;
      ++wave_;
    }
    if (begin >= 0 && begin + size <= samples) {
      return wave + begin;
    }
    copy_padded(wave, samples, begin, size, tables_.padding, padded);
    return padded;
  }

 private:
  const MelTables& tables_;
  const WaveBatch& batch_;
  std::size_t wave_ = 0;
  std::size_t frame_ = 0;
};

/// Where things lie in the scratch memory, in floats.
struct MelScratch {
  std::size_t size = 0;
  std::size_t z;           ///< points complex vectors
  std::size_t parts;       ///< max_radix complex vectors
  std::size_t magnitudes;  ///< bins vectors
  std::size_t tile;        ///< n_mels vectors
  std::size_t halves;      ///< the same in half precision
  std::size_t padded;      ///< frames that reach beyond their wave

  MelScratch(const MelTables& tables, std::size_t lanes) {
    const auto take = [this](std::size_t floats) {
      const std::size_t begin = size;
      size += (floats + kMaxLanes - 1) / kMaxLanes * kMaxLanes;
      return begin;
    };
    z = take(static_cast<std::size_t>(tables.fft.points) * 2 * lanes);
    parts = take(static_cast<std::size_t>(tables.fft.max_radix) * 2 * lanes);
    magnitudes = take(static_cast<std::size_t>(tables.fft.bins()) * lanes);
    tile = take(tables.bank.rows.size() * lanes);
    halves = take(tables.bank.rows.size() * lanes / 2);
    padded = take(tables.center ? static_cast<std::size_t>(tables.fft.size) * lanes : 0);
  }
};

}  // namespace
}  // namespace penstock::inline v0
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::inline v0 {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using fourier::D;
using fourier::kLanes;
using fourier::V;

CpuTarget mel_target_compiled() { return this_target(); }

/// For normal numbers above 0; infinity and NaN stay as they are. By the polynomial of the Cephes library.
HWY_INLINE V log10_of(V x) {
  const hn::RebindToSigned<D> whole;
  const auto bits = hn::BitCast(whole, x);
  const V mantissa = hn::BitCast(
      D(), hn::Or(hn::And(bits, hn::Set(whole, 0x007fffff)), hn::Set(whole, 0x3f000000)));  // 0.5 to 1
  const auto is_small = hn::Lt(mantissa, hn::Set(D(), 0.707106781186547524F));
  const V exponent = hn::Sub(hn::ConvertTo(D(), hn::Sub(hn::ShiftRight<23>(bits), hn::Set(whole, 126))),
                             hn::IfThenElseZero(is_small, hn::Set(D(), 1.0F)));
  const V m = hn::Sub(hn::Add(mantissa, hn::IfThenElseZero(is_small, mantissa)), hn::Set(D(), 1.0F));
  const V m2 = hn::Mul(m, m);
  constexpr float kTerms[] = {-1.1514610310E-1F, 1.1676998740E-1F, -1.2420140846E-1F, 1.4249322787E-1F,
                              -1.6668057665E-1F, 2.0000714765E-1F, -2.4999993993E-1F, 3.3333331174E-1F};
  V y = hn::Set(D(), 7.0376836292E-2F);
  for (const float term : kTerms) {
    y = hn::Add(hn::Mul(y, m), hn::Set(D(), term));
  }
  y = hn::Sub(hn::Mul(hn::Mul(y, m), m2), hn::Mul(m2, hn::Set(D(), 0.5F)));
  // log10(e) and log10(2) in two parts each, the small ones first.
  V sum = hn::Mul(hn::Add(m, y), hn::Set(D(), 7.00731903251827651129E-4F));
  sum = hn::Add(sum, hn::Mul(y, hn::Set(D(), 4.3359375E-1F)));
  sum = hn::Add(sum, hn::Mul(m, hn::Set(D(), 4.3359375E-1F)));
  sum = hn::Add(sum, hn::Mul(exponent, hn::Set(D(), 2.48745663981195213739E-4F)));
  sum = hn::Add(sum, hn::Mul(exponent, hn::Set(D(), 3.0078125E-1F)));
  return hn::IfThenElse(hn::Lt(x, hn::Set(D(), HUGE_VALF)), sum, x);
}

HWY_INLINE V scaled_log10_of(V x, float floor, float factor) {
  const V least = hn::Set(D(), floor);
  return hn::Mul(log10_of(hn::IfThenElse(hn::Lt(x, least), least, x)), hn::Set(D(), factor));
}

void scaled_log10_by(const float* in, std::size_t count, float floor, float factor, float* out) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(scaled_log10_of(hn::LoadU(D(), in + i), floor, factor), D(), out + i);
  }
  if (i < count) {
    HWY_ALIGN float rest[kLanes] = {};
    std::copy(in + i, in + count, rest);
    hn::Store(scaled_log10_of(hn::Load(D(), rest), floor, factor), D(), rest);
    std::copy(rest, rest + (count - i), out + i);
  }
}

/// Squared magnitudes to magnitudes of the power that is wanted.
HWY_INLINE void raise(double power, std::size_t bins, float* magnitudes) {
  if (power == 2) {
    return;
  }
  for (std::size_t i = 0; i < bins * kLanes; i += kLanes) {
    if (power == 1) {
      hn::Store(hn::Sqrt(hn::Load(D(), magnitudes + i)), D(), magnitudes + i);
    } else {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        magnitudes[i + lane] =
            static_cast<float>(std::pow(static_cast<double>(magnitudes[i + lane]), power / 2));
      }
    }
  }
}

HWY_INLINE void filter(const MelTables& tables, const float* magnitudes, float* tile) {
  for (const MelBank::Row& row : tables.bank.rows) {
    V sum = hn::Zero(D());
    const float* weight = tables.bank.weights.data() + row.weights;
    const float* at = magnitudes + static_cast<std::size_t>(row.first) * kLanes;
    for (int k = 0; k < row.count; ++k, at += kLanes) {
      sum = hn::Add(sum, hn::Mul(hn::Load(D(), at), hn::Set(D(), *weight++)));
    }
    if (tables.db_mult) {
      sum = scaled_log10_of(sum, kMelFloor, *tables.db_mult);
    }
    hn::Store(sum, D(), tile);
    tile += kLanes;
  }
}

HWY_INLINE void halve(const float* tile, std::size_t rows, std::uint16_t* out) {
  for (std::size_t i = 0; i < rows * kLanes; i += kLanes) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_NEON
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      out[i + lane] = half_of(tile[i + lane]);
    }
#else
    const hn::Rebind<hwy::float16_t, D> narrow;
    hn::StoreU(hn::DemoteTo(narrow, hn::Load(D(), tile + i)), narrow,
               reinterpret_cast<hwy::float16_t*>(out + i));
#endif
  }
}

/// Lanes of a tile, `count` of them from `lane` on, to neighbouring frames of each of its rows.
template <class T>
HWY_INLINE void write_run(const T* tile, std::size_t rows, std::size_t count, std::size_t frames, T* out) {
  if (count == kLanes) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(out + row * frames, tile + row * kLanes, kLanes * sizeof(T));
    }
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < count; ++i) {
      out[row * frames + i] = tile[row * kLanes + i];
    }
  }
}

/// The first `used` lanes of a tile: frames `begin` and on, counted over all waves.
template <class T>
HWY_INLINE void write_tile(const T* tile, std::size_t rows, std::size_t begin, std::size_t used,
                           std::size_t frames, T* out) {
  for (std::size_t lane = 0; lane < used;) {
    const std::size_t wave = (begin + lane) / frames;
    const std::size_t frame = (begin + lane) % frames;
    const std::size_t count = std::min(used - lane, frames - frame);
    write_run(tile + lane, rows, count, frames, out + wave * rows * frames + frame);
    lane += count;
  }
}

HWY_INLINE void write_values(const float* tile, std::uint16_t*, std::size_t rows, std::size_t begin,
                             std::size_t used, std::size_t frames, float* out) {
  write_tile(tile, rows, begin, used, frames, out);
}
HWY_INLINE void write_values(const float* tile, std::uint16_t* halves, std::size_t rows, std::size_t begin,
                             std::size_t used, std::size_t frames, std::uint16_t* out) {
  halve(tile, rows, halves);
  write_tile(halves, rows, begin, used, frames, out);
}

template <class T>
HWY_INLINE void run_as(const MelTables& tables, const WaveBatch& batch, float* memory, T* out) {
  const MelScratch scratch(tables, kLanes);
  float* const z = memory + scratch.z;
  float* const magnitudes = memory + scratch.magnitudes;
  float* const tile = memory + scratch.tile;
  auto* const halves = reinterpret_cast<std::uint16_t*>(memory + scratch.halves);
  const std::size_t total = batch.count * batch.frames;
  const auto size = static_cast<std::size_t>(tables.fft.size);
  const std::size_t step = tables.fft.is_even() ? 1 : 2;
  FrameWalk walk(tables, batch);
  for (std::size_t begin = 0; begin < total; begin += kLanes) {
    const std::size_t used = std::min(kLanes, total - begin);
    const float* frames[kLanes];
    for (std::size_t lane = 0; lane < used; ++lane) {
      frames[lane] = walk.next(memory + scratch.padded + lane * size);
    }
    std::fill(frames + used, frames + kLanes, frames[0]);
    if (step == 2) {  // odd sizes: a real number has no imaginary part
      std::fill(z, z + size * 2 * kLanes, 0.0F);
    }
    fourier::load_frames(frames, tables.window.data(), size, step, z);
    fourier::transform(tables.fft, z, memory + scratch.parts);
    fourier::squared_magnitudes(tables.fft, z, magnitudes);
    raise(tables.power, static_cast<std::size_t>(tables.fft.bins()), magnitudes);
    filter(tables, magnitudes, tile);
    write_values(tile, halves, tables.bank.rows.size(), begin, used, batch.frames, out);
  }
}

void run_floats(const MelTables& tables, const WaveBatch& batch, float* memory, float* out) {
  run_as(tables, batch, memory, out);
}
void run_halves(const MelTables& tables, const WaveBatch& batch, float* memory, std::uint16_t* out) {
  run_as(tables, batch, memory, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace penstock::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::inline v0 {

HWY_EXPORT(mel_target_compiled);
HWY_EXPORT(run_floats);
HWY_EXPORT(run_halves);
HWY_EXPORT(scaled_log10_by);

std::size_t mel_scratch_size(const MelTables& tables) { return MelScratch(tables, kMaxLanes).size; }

void run_mel(const MelTables& tables, const WaveBatch& batch, float* scratch, float* out) {
  HWY_DYNAMIC_DISPATCH(run_floats)(tables, batch, scratch, out);
}
void run_mel(const MelTables& tables, const WaveBatch& batch, float* scratch, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(run_halves)(tables, batch, scratch, out);
}
void scaled_log10(const float* in, std::size_t count, float floor, float factor, float* out) {
  HWY_DYNAMIC_DISPATCH(scaled_log10_by)(in, count, floor, factor, out);
}
CpuTarget mel_target() { return HWY_DYNAMIC_DISPATCH(mel_target_compiled)(); }

}  // namespace penstock::inline v0
#endif
