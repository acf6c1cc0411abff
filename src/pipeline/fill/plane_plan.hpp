#pragma once
// Columns of an image and of what lies in its plane: masks, boxes, key points. In one view or in several, for
// which the image is decoded once; geometry moves all of them alike.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codecs/rgb_loss.hpp"
#include "penstock/field_reading.hpp"
#include "pipeline/fill/filler.hpp"
#include "transforms/sample_program.hpp"

namespace penstock::inline v0 {

/// Whether a field lies in the plane of an image: a mask, boxes or key points.
bool lies_in_plane(const FieldReading& reading) noexcept;

/// A field as a plane has it.
struct PlaneField {
  std::size_t number = 0;  ///< of the field
  std::string name;
  FieldReading reading;
  /// Of key points: the boxes with which they are dropped, among the others of the plane.
  std::optional<std::size_t> of_boxes{};

  /// Columns that it has in each view: boxes may have labels, key points their visibility.
  std::size_t columns() const noexcept {
    return reading.annotations && !reading.annotations->beside().empty() ? 2 : 1;
  }
};

/// What moves together.
struct PlaneFields {
  PlaneField image;
  std::vector<PlaneField> others;  ///< those that lie in the image's plane
};

/// [C, H, W] or [H, W, C]; kAnyExtent where images differ.
template <class Shape>
Shape plane_shape(const ImageSpec& spec, MemoryFormat format) {
  const auto extent = [](int pixels) { return pixels > 0 ? static_cast<std::size_t>(pixels) : kAnyExtent; };
  const std::size_t height = extent(spec.size.height);
  const std::size_t width = extent(spec.size.width);
  const auto channels = static_cast<std::size_t>(spec.channels);
  return format == MemoryFormat::channels_first ? Shape{channels, height, width}
                                                : Shape{height, width, channels};
}

/// Immutable, but for what fillers take note of; shared by all workers.
class PlanePlan final : public FillPlan {
 public:
  /// A view's place in the batch: its first column, that of the image.
  struct ViewPlace {
    std::size_t column = 0;
    std::size_t number = 0;   ///< among those that share its columns
    std::size_t count = 0;    ///< of them; 0: not counted
    bool drawn_apart = true;  ///< from the one before it: what it drew is saved
  };

  /// A field that an operation of a view's list adds, in one image of those that share its column.
  struct PatchMask {
    std::size_t view = 0;
    std::size_t number = 0;  ///< of ImageProgram::masks()
    std::size_t column = 0;  ///< counted from the view's first
    Extents shape;
  };

  /// `input`: the size of all images, where the shape of rows rests on that.
  PlanePlan(PlaneFields fields, const FieldSpec& image, SampleProgram program, MemoryFormat format,
            ImageSize input);
  /// Gives every view its place; `invalid` for counted views of no fixed size. What one without a name draws
  /// has the name `draws`.
  Status lay_out(const std::vector<View>& views, bool pad_images, const std::string& draws);

  const std::vector<ColumnPlan>& columns() const noexcept override { return columns_; }
  std::span<const std::size_t> fields() const noexcept override { return numbers_; }
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  std::string rows_in_words(std::size_t column) const override;
  std::string work_in_words() const override;
  DrawnLists drawn_lists() const override { return draws_; }
  std::string remark() const override { return loss_.text(); }

  const PlaneField& image() const noexcept { return fields_.image; }
  const std::vector<PlaneField>& others() const noexcept { return fields_.others; }
  const SampleProgram& program() const noexcept { return program_; }
  MemoryFormat format() const noexcept { return format_; }
  /// The size that all images must have; {0, 0}: any.
  ImageSize input() const noexcept { return input_; }
  const RgbLossNote& loss() const noexcept { return loss_; }
  /// Whether operations may drop boxes or key points.
  bool drops() const noexcept { return drops_; }
  /// One for each view of the program.
  const std::vector<ViewPlace>& places() const noexcept { return places_; }
  /// Those of one column stand together, in the order of their images.
  const std::vector<PatchMask>& patch_masks() const noexcept { return patch_masks_; }

 private:
  void add(ColumnPlan column, std::size_t count);
  void add_columns_of(const PlaneField& field, const std::string& view, std::size_t count,
                      const ImageProgram& image, bool pad_images);
  void add_patch_masks(const View& view, std::size_t first, std::size_t count);

  PlaneFields fields_;
  RgbLossNote loss_;
  SampleProgram program_;
  MemoryFormat format_;
  ImageSize input_;
  bool drops_ = false;
  std::vector<std::size_t> numbers_;  // of the image's field and the others'
  std::vector<ColumnPlan> columns_;
  std::vector<ViewPlace> places_;
  std::vector<PatchMask> patch_masks_;
  DrawnLists draws_;
};

/// Columns for each view: the image, the others, then the masks of patches that its operations add. One view
/// without a name has the names of the fields; those of a view `a` are called `a`, `a.mask`. Views that are
/// counted, and those whose lists make several images of one, are one array for a row: [count, C, H, W].
/// Masks are int32 where they are read wide, else uint8; of one shape where the view's images are. `invalid`
/// where operations cannot follow each other, or counted views differ in size.
Result<FillPlanPtr> plan_plane(const SampleTable& table, PlaneFields fields, const std::vector<View>& views,
                               MemoryFormat format, const LoaderOptions& options);
/// The same for the list of one image, with which nothing moves.
Result<FillPlanPtr> plan_image_plane(const SampleTable& table, PlaneField image, const FieldList& list,
                                     MemoryFormat format, const LoaderOptions& options);

}  // namespace penstock::inline v0
