// CutMix: a box of every image is that of the row before, and labels are mixed by its area; torchvision's
// rule.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "transforms/batch/batch_operation.hpp"
#include "transforms/distributions.hpp"

namespace penstock::inline v0 {
namespace {

struct CutMixParameters {
  double alpha = 1.0;
  int num_classes = 0;

  template <class V>
  void fields(V&& v) {
    v("alpha", alpha,
      "of the Beta(alpha, alpha) distribution that the area outside of the box is drawn from");
    v("num_classes", num_classes,
      "labels become that many numbers: 1 for the class and 0 for others, mixed by the area of the box");
  }
};

struct DrawnCut {
  std::vector<int> box;  ///< left, top, right, bottom
  double lam = 1;        ///< the share of the image that stays

  template <class V>
  void fields(V&& v) {
    v("box", box);
    v("lam", lam);
  }
};

/// Pieces of a row that hold a box: `count` of `bytes` bytes, `stride` apart.
struct BoxPieces {
  std::size_t first = 0;
  std::size_t bytes = 0;
  std::size_t stride = 0;
  std::size_t count = 0;  ///< of one plane
  std::size_t plane = 0;  ///< from one plane to the next
  std::size_t planes = 0;

  template <class Use>
  void for_each(Use&& use) const {
    for (std::size_t p = 0; p < planes; ++p) {
      for (std::size_t y = 0; y < count; ++y) {
        use(first + p * plane + y * stride);
      }
    }
  }
};

BoxPieces pieces_of(const BatchPlane& plane, const std::vector<int>& box) {
  const bool planar = plane.format == MemoryFormat::channels_first;
  const auto channels = static_cast<std::size_t>(plane.channels);
  const std::size_t pixel = planar ? plane.element : plane.element * channels;
  const std::size_t stride = static_cast<std::size_t>(plane.size.width) * pixel;
  const auto at = [&box](std::size_t i) { return static_cast<std::size_t>(box[i]); };
  return {.first = at(1) * stride + at(0) * pixel,
          .bytes = (at(2) - at(0)) * pixel,
          .stride = stride,
          .count = at(3) - at(1),
          .plane = static_cast<std::size_t>(plane.size.height) * stride,
          .planes = planar ? channels : 1};
}

void paste_row_before(const BatchPlane& plane, const std::vector<int>& box, Scratch& scratch) {
  const BoxPieces pieces = pieces_of(plane, box);
  if (plane.rows.empty() || pieces.bytes == 0) {
    return;
  }
  const auto row = [&plane](std::size_t i) { return static_cast<std::uint8_t*>(plane.rows[i]); };
  // From the last row on, so that each finds the one before it as it was.
  std::uint8_t* const last = scratch.reserve(pieces.planes * pieces.count * pieces.bytes);
  std::uint8_t* saved = last;
  pieces.for_each([&](std::size_t at) {
    std::memcpy(saved, row(plane.rows.size() - 1) + at, pieces.bytes);
    saved += pieces.bytes;
  });
  for (std::size_t i = plane.rows.size() - 1; i > 0; --i) {
    pieces.for_each([&](std::size_t at) { std::memcpy(row(i) + at, row(i - 1) + at, pieces.bytes); });
  }
  saved = last;
  pieces.for_each([&](std::size_t at) {
    std::memcpy(row(0) + at, saved, pieces.bytes);
    saved += pieces.bytes;
  });
}

class CutMix final : public BatchOperation<CutMix, CutMixParameters, DrawnCut> {
 public:
  static constexpr const char* kName = "CutMix";
  static constexpr const char* kSummary =
      "Pastes a box of the image before into every image of a batch, and mixes labels by its area.";
  using BatchOperation::BatchOperation;

  Status check() const override {
    PENSTOCK_TRY(check_alpha(kName, p_.alpha));
    return check_classes(kName, p_.num_classes);
  }

  int num_classes() const noexcept override { return p_.num_classes; }

  Status check_for(const BatchSpec& in) const override {
    PENSTOCK_TRY(cannot_mix(kName, in.others));
    if (!in.images.fixed_size()) {
      return Error{ErrorKind::invalid,
                   "CutMix mixes images of one size",
                   "add RandomResizedCrop, CenterCrop or Resize([h, w]) before it",
                   {}};
    }
    return needs_labels(kName, in);
  }

  void draw(const BatchSlots& in, Draws& draws, DrawnCut& drawn) const {
    const double lam = beta_number(p_.alpha, draws);
    const auto [width, height] = in.images.size;
    const auto x = static_cast<int>(draws.below(static_cast<std::uint64_t>(width)));
    const auto y = static_cast<int>(draws.below(static_cast<std::uint64_t>(height)));
    const double r = 0.5 * std::sqrt(1.0 - lam);
    const int half_width = static_cast<int>(r * width);
    const int half_height = static_cast<int>(r * height);
    drawn.box.resize(4);
    drawn.box[0] = std::max(x - half_width, 0);
    drawn.box[1] = std::max(y - half_height, 0);
    drawn.box[2] = std::min(x + half_width, width);
    drawn.box[3] = std::min(y + half_height, height);
    const double area = static_cast<double>(drawn.box[2] - drawn.box[0]) * (drawn.box[3] - drawn.box[1]);
    drawn.lam = 1.0 - area / (static_cast<double>(width) * height);
  }

  void run(const DrawnCut& drawn, const BatchSlots& batch, Scratch& scratch) const {
    paste_row_before(batch.images, drawn.box, scratch);
    for (const BatchPlane& mask : batch.masks) {
      paste_row_before(mask, drawn.box, scratch);
    }
    mix_with_row_before(batch.labels, batch.classes, drawn.lam, scratch);
  }
};

}  // namespace

OperationInfo cut_mix_operation() { return operation_info<CutMix>(); }

}  // namespace penstock::inline v0
