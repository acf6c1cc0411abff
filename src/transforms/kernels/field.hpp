#pragma once
// Images looked up where a field says, in float32, as torch's grid_sample does it; and what makes such fields
// smooth. Results are equal on every CPU target. Pure functions; any thread may call.

#include <array>
#include <cstdint>
#include <span>

#include "core/cpu.hpp"
#include "core/rng.hpp"
#include "core/scratch.hpp"
#include "transforms/kernels/pixel_rows.hpp"

namespace penstock::inline v0 {

/// Where each pixel of the output comes from: column and row of the input, whose pixels' centres are at whole
/// numbers. Row after row; both have Scratch::kSlack bytes after them.
struct FieldPlanes {
  float* columns = nullptr;
  float* rows = nullptr;
};

/// Two numbers of [-1, 1) for each pixel, 16 bits each, from one word of the stream.
void fill_noise(const Draws::State& stream, std::size_t count, float* first, float* second);

/// Weights of a Gaussian from its middle outwards, `reach` + 1 of them; together with their mirrored ones
/// they sum to 1. sigma > 0.
void gaussian_taps(double sigma, int reach, float* taps);

/// Blurs one plane in place: along rows by `across`, then down by `down`. Beyond the edges it is reflected,
/// as often as it takes, without repeating the outermost numbers.
void blur_plane(float* plane, ImageSize size, std::span<const float> across, std::span<const float> down,
                Scratch& scratch);

/// The number inside [0, length) that stands at `position` of a row that is reflected beyond its edges.
int reflected(int position, int length);

/// How the input is looked up. Bilinear: what is outside counts as 0, and the share that is inside decides
/// between the result and `fill`, as in torchvision; rounded, halves to even. Nearest: halves to even, what
/// is outside is `fill`.
struct FieldSampling {
  bool nearest = false;
  PixelBytes fill{};
};
/// `in` and `out` must not overlap. 16-bit gray (two channels of bytes) takes nearest only.
void sample_field(const ConstPixelRows& in, const PixelRows& out, const FieldPlanes& field,
                  const FieldSampling& how);

/// The target for which the kernels that run were compiled, for tests.
CpuTarget field_target();

}  // namespace penstock::inline v0
