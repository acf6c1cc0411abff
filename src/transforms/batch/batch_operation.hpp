#pragma once
// What an operation on whole batches is: it stands at the end of a list, draws once for a batch, and changes
// its images, their labels and what lies in their plane, where they are. Labels that are mixed are one-hot:
// float32, one for each class.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "core/scratch.hpp"
#include "penstock/result.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// What batches hold, known before there is one.
struct BatchSpec {
  ImageSpec images{};  ///< a size of {0, 0}: they differ
  int dimensions = 3;  ///< of an image; 3: [H, W, C] in either memory format
  int classes = 0;     ///< of one-hot labels; 0: there are no labels
  std::string
      masks{};  ///< the field of masks that move with the images; empty: none. Of one size as they are
  std::string others{};  ///< the field of boxes or key points that move with them; empty: none
  std::string points{};  ///< the field of key points among these; empty: none
};

/// The good rows of images or masks, in their order; all of one size.
struct BatchPlane {
  std::span<void* const> rows{};
  ImageSize size{};
  int channels = 1;
  std::size_t element = 1;  ///< bytes of a value
  MemoryFormat format = MemoryFormat::channels_first;

  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
           static_cast<std::size_t>(channels) * element;
  }
};

/// The boxes of one row, as corners in pixels of its image.
struct RowBoxes {
  std::vector<float> corners;
  std::vector<std::int64_t> labels;  ///< one for each, if there are any
  bool changed = false;              ///< an operation has made them anew
};

/// One batch. What is not there is empty.
struct BatchSlots {
  BatchPlane images{};
  ElementType type = ElementType::uint8;  ///< of the images
  std::span<void* const> labels{};        ///< of the same rows, `classes` floats each
  std::size_t classes = 0;
  std::span<const BatchPlane> masks{};       ///< of each field
  std::span<std::vector<RowBoxes>> boxes{};  ///< likewise, of the same rows; for operations that move boxes
  RandomKey key{};                           ///< of the batch, for operations that hold some with a key
};

/// Calls use(plane) for the images and for the masks that move with them.
template <class Use>
void for_each_moving_plane(const BatchSlots& batch, Use&& use) {
  use(batch.images);
  for (const BatchPlane& mask : batch.masks) {
    use(mask);
  }
}

/// Calls use(offset, bytes) for the pieces of a row of the plane that hold a box: left, top, right, bottom.
template <class Use>
void for_each_piece(const BatchPlane& plane, const std::array<int, 4>& box, Use&& use) {
  const bool planar = plane.format == MemoryFormat::channels_first;
  const auto channels = static_cast<std::size_t>(plane.channels);
  const std::size_t pixel = planar ? plane.element : plane.element * channels;
  const std::size_t stride = static_cast<std::size_t>(plane.size.width) * pixel;
  const auto at = [&box](std::size_t i) { return static_cast<std::size_t>(box[i]); };
  const std::size_t bytes = (at(2) - at(0)) * pixel;
  for (std::size_t p = 0; bytes > 0 && p < (planar ? channels : 1); ++p) {
    const std::size_t first = p * static_cast<std::size_t>(plane.size.height) * stride + at(0) * pixel;
    for (std::size_t y = at(1); y < at(3); ++y) {
      use(first + y * stride, bytes);
    }
  }
}

class BatchTransform : public Transform {
 public:
  static constexpr const char* kKind = "batch";

  /// Labels must be one-hot, of that many classes; 0: it does not look at them.
  virtual int num_classes() const noexcept = 0;
  /// Whether it moves what lies in the images, and so needs their boxes.
  virtual bool moves_boxes() const noexcept { return false; }
  /// `invalid` where it cannot work on such batches.
  virtual Status check_for(const BatchSpec& in) const = 0;
  /// Draws for one batch; it may look at sizes and numbers of rows, not at pixels.
  virtual void draw_for(const BatchSlots& in, Draws& draws, Drawn& drawn) const = 0;
  /// `invalid` where what is set as drawn is not for such a batch. What draw_for() drew needs no check.
  virtual Status check_drawn_for(const Drawn& drawn, const BatchSlots& batch) const = 0;
  /// Changes the rows where they are.
  virtual void run_for(const Drawn& drawn, const BatchSlots& batch, Scratch& scratch) const = 0;
};

/// `Self` brings kName, kSummary, check_for(), draw(), check_drawn() and run().
template <class Self, class Parameters, class DrawnType>
class BatchOperation : public Operation<Self, Parameters, DrawnType, BatchTransform> {
 public:
  using Operation<Self, Parameters, DrawnType, BatchTransform>::Operation;

  int num_classes() const noexcept override { return 0; }
  void draw_for(const BatchSlots& in, Draws& draws, Drawn& drawn) const final {
    this->self().draw(in, draws, this->of(drawn));
  }
  Status check_drawn_for(const Drawn& drawn, const BatchSlots& batch) const final {
    return this->self().check_drawn(this->of(drawn), batch);
  }
  void run_for(const Drawn& drawn, const BatchSlots& batch, Scratch& scratch) const final {
    this->self().run(this->of(drawn), batch, scratch);
  }
};

/// The operations at the end of a list that work on whole batches, taken out of it; `invalid` where one
/// stands elsewhere, or two want different numbers of classes.
Result<std::vector<TransformPtr>> take_batch_operations(std::vector<TransformPtr>& list);
/// Classes of the one-hot labels that they want; 0: labels stay as they are.
int classes_for(const std::vector<TransformPtr>& operations);
/// `invalid` where two of them want different numbers of classes.
Status check_same_classes(const std::vector<TransformPtr>& operations);

/// Runs operations on a batch with what was drawn for it before, one entry for each. `invalid` where they do
/// not suit the batch, or what was drawn does not: nothing has been changed then.
Status replay_on_batch(const std::vector<TransformPtr>& operations, const std::vector<NamedDrawn>& drawn,
                       const BatchSlots& batch);

// For check() and check_for().

/// `invalid` unless that many classes can be.
Status check_classes(std::string_view operation, int num_classes);
/// `invalid` unless alpha is one of a Beta distribution.
Status check_alpha(std::string_view operation, std::string_view parameter, double alpha);
/// `invalid` unless it is a share.
Status check_smoothing(std::string_view operation, double label_smoothing);
/// `invalid` without labels.
Status needs_labels(std::string_view operation, const BatchSpec& in);
/// `invalid` unless there are images [H, W, C] of one size.
Status needs_images(std::string_view operation, const BatchSpec& in);
/// The same, and unless their values can be mixed: float32, or uint8.
Status needs_values(std::string_view operation, const BatchSpec& in);
/// `invalid` where the field `other` lies in the images' plane.
Status cannot_mix(std::string_view operation, const std::string& other);

}  // namespace penstock::inline v0
