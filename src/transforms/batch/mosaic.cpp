// Mosaic: each image becomes parts of four that meet at a point; as kornia's RandomMosaic lays them out.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "transforms/batch/batch_operation.hpp"

namespace penstock::inline v0 {
namespace {

struct MosaicParameters {
  std::array<double, 2> center_range = {0.3, 0.7};
  double p = 0.5;
  double min_size = 1.0;

  template <class V>
  void fields(V&& v) {
    v("center_range", center_range,
      "(min, max) share of each side at which the four images meet, drawn apart");
    v("p", p, "probability of making a mosaic of a row");
    v("min_size", min_size,
      "boxes of which less is left, in pixels of width or height, are dropped, with their labels");
  }
};

struct DrawnMosaics {
  std::vector<int> center;  ///< x and y of each row; the image's width and height: the row stays as it is
  std::vector<int> parts;   ///< rows whose images lie top left, top right, bottom left, bottom right

  template <class V>
  void fields(V&& v) {
    v("center", center);
    v("parts", parts);
  }
};

/// One of the four parts of a row.
struct MosaicPart {
  std::size_t from = 0;  ///< the row that it is of
  std::array<int, 4> box{};
  int dx = 0;  ///< how far pixels of that row move
  int dy = 0;
};

class Mosaic final : public BatchOperation<Mosaic, MosaicParameters, DrawnMosaics> {
 public:
  static constexpr const char* kName = "Mosaic";
  static constexpr const char* kSummary =
      "Makes each image of a batch of parts of itself and of three others, with their masks and boxes.";
  using BatchOperation::BatchOperation;

  Status check() const override {
    PENSTOCK_TRY(check_chance(p_.p));
    const auto [low, high] = p_.center_range;
    if (!(low >= 0 && low <= high && high <= 1)) {
      return wrong("center_range", fmt::format("must be (min, max) between 0 and 1, got ({}, {})", low, high),
                   "");
    }
    if (!(p_.min_size > 0)) {
      return wrong("min_size", fmt::format("must be a positive number, got {}", p_.min_size), "");
    }
    return {};
  }

  int num_classes() const noexcept override { return 0; }
  bool moves_boxes() const noexcept override { return true; }

  Status check_for(const BatchSpec& in) const override {
    if (!in.points.empty()) {
      return Error{ErrorKind::invalid,
                   fmt::format("Mosaic drops boxes, and the key points of field '{}' do not say to which of "
                               "them they belong",
                               in.points),
                   "omit the field: Dataset(..., fields={...})",
                   {}};
    }
    return needs_images(kName, in);
  }

  void draw(const BatchSlots& in, Draws& draws, DrawnMosaics& drawn) const {
    const std::size_t rows = in.images.rows.size();
    const auto [width, height] = in.images.size;
    const auto place = [&](int side) {
      return static_cast<int>(draws.uniform(p_.center_range[0], p_.center_range[1]) * side);
    };
    drawn.center.clear();
    drawn.parts.clear();
    for (std::size_t row = 0; row < rows; ++row) {
      const bool apply = draws.chance(p_.p);
      drawn.center.push_back(apply ? place(width) : width);
      drawn.center.push_back(apply ? place(height) : height);
      drawn.parts.push_back(static_cast<int>(row));
      for (int other = 0; other < 3; ++other) {
        drawn.parts.push_back(apply ? static_cast<int>(draws.below(rows)) : static_cast<int>(row));
      }
    }
  }

  Status check_drawn(const DrawnMosaics& drawn, const BatchSlots& batch) const {
    const std::size_t rows = batch.images.rows.size();
    const auto [width, height] = batch.images.size;
    if (drawn.center.size() != 2 * rows) {
      return detail::wrong_drawn(kName, "center",
                                 fmt::format("must have two numbers for each of {} rows", rows));
    }
    if (drawn.parts.size() != 4 * rows) {
      return detail::wrong_drawn(kName, "parts",
                                 fmt::format("must have four numbers for each of {} rows", rows));
    }
    for (std::size_t i = 0; i < drawn.center.size(); ++i) {
      if (drawn.center[i] < 0 || drawn.center[i] > (i % 2 == 0 ? width : height)) {
        return detail::wrong_drawn(kName, "center", "must lie in the images");
      }
    }
    for (const int part : drawn.parts) {
      if (part < 0 || static_cast<std::size_t>(part) >= rows) {
        return detail::wrong_drawn(kName, "parts", fmt::format("must be rows of {}, got {}", rows, part));
      }
    }
    return {};
  }

  void run(const DrawnMosaics& drawn, const BatchSlots& batch, Scratch& scratch) const {
    for_each_moving_plane(batch, [&](const BatchPlane& plane) { move_pixels(drawn, plane, scratch); });
    for (std::vector<RowBoxes>& rows : batch.boxes) {
      move_boxes_of(drawn, batch.images.size, rows);
    }
    if (batch.classes > 0) {
      mix_labels_by_area(drawn, batch, scratch);
    }
  }

 private:
  static std::array<MosaicPart, 4> parts_of(const DrawnMosaics& drawn, std::size_t row, ImageSize size) {
    const int x = drawn.center[2 * row];
    const int y = drawn.center[2 * row + 1];
    std::array<MosaicPart, 4> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool right = i % 2 == 1;
      const bool bottom = i >= 2;
      parts[i] = {
          .from = static_cast<std::size_t>(drawn.parts[4 * row + i]),
          .box = {right ? x : 0, bottom ? y : 0, right ? size.width : x, bottom ? size.height : y},
          .dx = right ? x : x - size.width,
          .dy = bottom ? y : y - size.height,
      };
    }
    return parts;
  }
  static bool stays(const DrawnMosaics& drawn, std::size_t row, ImageSize size) {
    return drawn.center[2 * row] == size.width && drawn.center[2 * row + 1] == size.height;
  }

  /// A copy of all rows, one after the other: every one may be part of every other.
  static const std::uint8_t* copy_of(std::span<void* const> rows, std::size_t bytes, Scratch& scratch) {
    std::uint8_t* const copies = scratch.reserve(rows.size() * bytes);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::memcpy(copies + row * bytes, rows[row], bytes);
    }
    return copies;
  }

  static void move_pixels(const DrawnMosaics& drawn, const BatchPlane& plane, Scratch& scratch) {
    const std::uint8_t* const copies = copy_of(plane.rows, plane.row_bytes(), scratch);
    const auto pixel =
        static_cast<std::ptrdiff_t>(plane.format == MemoryFormat::channels_first
                                        ? plane.element
                                        : plane.element * static_cast<std::size_t>(plane.channels));
    for (std::size_t row = 0; row < plane.rows.size(); ++row) {
      if (stays(drawn, row, plane.size)) {
        continue;
      }
      auto* const out = static_cast<std::uint8_t*>(plane.rows[row]);
      for (const MosaicPart& part : parts_of(drawn, row, plane.size)) {
        const std::uint8_t* const from = copies + part.from * plane.row_bytes();
        const std::ptrdiff_t shift = (std::ptrdiff_t{part.dy} * plane.size.width + part.dx) * pixel;
        for_each_piece(plane, part.box, [&](std::size_t at, std::size_t bytes) {
          std::memcpy(out + at, from + (static_cast<std::ptrdiff_t>(at) - shift), bytes);
        });
      }
    }
  }

  void move_boxes_of(const DrawnMosaics& drawn, ImageSize size, std::vector<RowBoxes>& rows) const {
    const std::vector<RowBoxes> before = rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (stays(drawn, row, size)) {
        continue;
      }
      rows[row] = {.corners = {}, .labels = {}, .changed = true};
      for (const MosaicPart& part : parts_of(drawn, row, size)) {
        add_boxes(before[part.from], part, rows[row]);
      }
    }
  }

  /// Appends what is seen of the boxes.
  void add_boxes(const RowBoxes& boxes, const MosaicPart& part, RowBoxes& out) const {
    const auto min_size = static_cast<float>(p_.min_size);
    for (std::size_t i = 0; i < boxes.corners.size() / 4; ++i) {
      std::array<float, 4> box;
      for (std::size_t side = 0; side < 4; ++side) {
        const bool across = side % 2 == 0;
        const float moved = boxes.corners[4 * i + side] + static_cast<float>(across ? part.dx : part.dy);
        box[side] = std::clamp(moved, static_cast<float>(part.box[across ? 0 : 1]),
                               static_cast<float>(part.box[across ? 2 : 3]));
      }
      if (!(box[2] - box[0] >= min_size && box[3] - box[1] >= min_size)) {
        continue;
      }
      out.corners.insert(out.corners.end(), box.begin(), box.end());
      if (!boxes.labels.empty()) {
        out.labels.push_back(boxes.labels[i]);
      }
    }
  }

  static void mix_labels_by_area(const DrawnMosaics& drawn, const BatchSlots& batch, Scratch& scratch) {
    const ImageSize size = batch.images.size;
    const std::uint8_t* const copies = copy_of(batch.labels, batch.classes * sizeof(float), scratch);
    for (std::size_t row = 0; row < batch.labels.size(); ++row) {
      if (stays(drawn, row, size)) {
        continue;
      }
      const std::span out(static_cast<float*>(batch.labels[row]), batch.classes);
      std::fill(out.begin(), out.end(), 0.0F);
      for (const MosaicPart& part : parts_of(drawn, row, size)) {
        const double area = static_cast<double>(part.box[2] - part.box[0]) * (part.box[3] - part.box[1]);
        const auto share = static_cast<float>(area / (static_cast<double>(size.width) * size.height));
        const auto* const label = reinterpret_cast<const float*>(copies) + part.from * batch.classes;
        for (std::size_t i = 0; i < out.size(); ++i) {
          out[i] += label[i] * share;
        }
      }
    }
  }
};

}  // namespace

OperationInfo mosaic_operation() { return operation_info<Mosaic>(); }

}  // namespace penstock::inline v0
