#include "transforms/join_warps.hpp"

#include <cmath>
#include <optional>

namespace penstock::inline v0 {
namespace {

using Map = std::array<double, 9>;  // a 3 x 3 matrix on (x, y, 1), row by row

Map map_of(const Warp& warp) {
  const AffineMatrix& m = warp.matrix;
  const auto p = warp.perspective.value_or(std::array<double, 2>{0, 0});
  return {m[0], m[1], m[2], m[3], m[4], m[5], p[0], p[1], 1};
}

/// First `b`, then `a`.
Map product(const Map& a, const Map& b) {
  Map c{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      for (std::size_t i = 0; i < 3; ++i) {
        c[3 * row + column] += a[3 * row + i] * b[3 * i + column];
      }
    }
  }
  return c;
}

/// Where the pixels of an edit's result come from, if it only moves them, as a map may.
std::optional<Map> moves_of(const ImageEdit& edit, const WarpEdit& before) {
  if (const auto* warp = std::get_if<WarpEdit>(&edit)) {
    const bool alike = warp->warp.filter == before.warp.filter && warp->warp.fill == before.warp.fill &&
                       warp->mask_fill == before.mask_fill;
    return alike ? std::optional(map_of(warp->warp)) : std::nullopt;
  }
  if (const auto* crop = std::get_if<CropEdit>(&edit); crop != nullptr && !crop->centers_only) {
    return Map{1, 0, static_cast<double>(crop->box.x), 0, 1, static_cast<double>(crop->box.y), 0, 0, 1};
  }
  return std::nullopt;  // of mirrors too: they move key points otherwise than a map does
}

bool join(WarpEdit& first, const ImageEdit& edit) {
  const auto moves = moves_of(edit, first);
  if (!moves) {
    return false;
  }
  Map both = product(map_of(first.warp), *moves);
  if (std::abs(both[8]) < 1e-9) {
    return false;
  }
  const double scale = both[8];
  for (double& value : both) {
    value /= scale;
  }
  first.size = size_after(first.size, edit);
  first.warp.matrix = {both[0], both[1], both[2], both[3], both[4], both[5]};
  if (both[6] != 0 || both[7] != 0) {
    first.warp.perspective = {both[6], both[7]};
  }
  return true;
}

}  // namespace

void join_warps(ImageEdits& edits) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (kept > 0) {
      if (auto* before = std::get_if<WarpEdit>(&edits[kept - 1]);
          before != nullptr && join(*before, edits[i])) {
        continue;
      }
    }
    if (kept != i) {
      edits[kept] = std::move(edits[i]);
    }
    ++kept;
  }
  edits.resize(kept);
}

}  // namespace penstock::inline v0
