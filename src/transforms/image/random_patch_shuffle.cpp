// RandomPatchShuffle: the image cut into tiles that change places; slipstream's operation.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct PatchParameters {
  std::vector<double> sizes;
  double p = 0.5;

  template <class V>
  void fields(V&& v) {
    v("sizes", sizes,
      "sides of tiles as shares of the image's sides, of which one is drawn; one number or several");
    v("p", p, "probability of its being done");
  }
};

struct DrawnPatches {
  bool apply = false;
  int width = 0;  ///< of a tile
  int height = 0;
  std::vector<int> permutation;  ///< which tile comes to each place, row by row

  mutable std::vector<std::uint8_t> seen;  ///< memory of plan()

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
    v("width", width);
    v("height", height);
    v("permutation", permutation);
  }
};

void shuffle_patches(const PixelsEdit& edit, const ConstPixelRows& in, const PixelRows& out, Scratch&) {
  const auto& drawn = *static_cast<const DrawnPatches*>(edit.drawn);
  const int across = in.size.width / drawn.width;
  for (int y = 0; y < in.size.height; ++y) {
    std::memcpy(out.row(y), in.row(y), in.row_bytes());
  }
  const auto channels = static_cast<std::size_t>(in.channels);
  const auto left = [&](int tile) {
    return static_cast<std::size_t>(tile % across * drawn.width) * channels;
  };
  for (std::size_t i = 0; i < drawn.permutation.size(); ++i) {
    const int to = static_cast<int>(i);
    const int from = drawn.permutation[i];
    for (int y = 0; y < drawn.height; ++y) {
      std::memcpy(out.row(to / across * drawn.height + y) + left(to),
                  in.row(from / across * drawn.height + y) + left(from),
                  static_cast<std::size_t>(drawn.width) * channels);
    }
  }
}

class RandomPatchShuffle final : public ImageOperation<RandomPatchShuffle, PatchParameters, DrawnPatches> {
 public:
  static constexpr const char* kName = "RandomPatchShuffle";
  static constexpr const char* kSummary =
      "Cuts the image into tiles and puts them in a random order, with a given probability; masks and boxes "
      "stay.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    for (const double size : p_.sizes) {
      if (!(size > 0) || !(size <= 1)) {
        return wrong("sizes", fmt::format("must be above 0 and at most 1, got {}", size), "");
      }
    }
    return check_chance(p_.p);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots& in, Draws& draws, DrawnPatches& drawn) const {
    const double share = p_.sizes[static_cast<std::size_t>(draws.below(p_.sizes.size()))];
    drawn.apply = draws.chance(p_.p);
    drawn.width = std::max(1, static_cast<int>(share * in.image.size.width));
    drawn.height = std::max(1, static_cast<int>(share * in.image.size.height));
    drawn.permutation.resize(drawn.apply ? tiles(in.image.size, drawn) : 0);
    std::iota(drawn.permutation.begin(), drawn.permutation.end(), 0);
    for (std::size_t left = drawn.permutation.size(); left > 1; --left) {
      std::swap(drawn.permutation[left - 1], drawn.permutation[static_cast<std::size_t>(draws.below(left))]);
    }
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnPatches& drawn, ImageEdits& edits) const {
    if (!drawn.apply) {
      return {};
    }
    if (drawn.width < 1 || drawn.height < 1 || !has_each_tile(drawn, tiles(in.size, drawn))) {
      return detail::wrong_drawn(kName, "permutation", "must have each tile of the image once");
    }
    edits.push_back(PixelsEdit{.name = "shuffle patches", .run = &shuffle_patches, .drawn = &drawn});
    return {};
  }

 private:
  static bool has_each_tile(const DrawnPatches& drawn, std::size_t tiles) {
    drawn.seen.assign(tiles, 0);
    for (const int tile : drawn.permutation) {
      if (tile < 0 || static_cast<std::size_t>(tile) >= tiles) {
        return false;
      }
      drawn.seen[static_cast<std::size_t>(tile)] = 1;
    }
    return drawn.permutation.size() == tiles &&
           std::all_of(drawn.seen.begin(), drawn.seen.end(), [](std::uint8_t seen) { return seen != 0; });
  }

  static std::size_t tiles(ImageSize image, const DrawnPatches& drawn) {
    return static_cast<std::size_t>(image.width / drawn.width) *
           static_cast<std::size_t>(image.height / drawn.height);
  }
};

}  // namespace

OperationInfo random_patch_shuffle_operation() { return operation_info<RandomPatchShuffle>(); }

}  // namespace penstock::inline v0
