#pragma once
// What happens to one sample: an image, and the masks, boxes and points that lie in its plane, in one view or
// several. One decode, one draw for each view, then every slot is moved as the image is.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "transforms/image_program.hpp"

namespace penstock::inline v0 {

/// A list of operations, compiled. Draws of the only view are those of a list without a name.
struct SampleView {
  std::string name;
  int number = 0;  ///< of those with this name
  ImageProgram image;
};

/// How many images a list makes of one, from the same draws; `invalid` where two operations make several.
Result<int> images_of(const std::vector<TransformPtr>& operations);
/// Whether one of them adds fields to the sample.
bool adds_masks(const std::vector<TransformPtr>& operations);

/// The memory of one worker for one program. Not thread-safe.
class SampleWorkspace {
 public:
  /// What happens to the image in each view: that of the last SampleProgram::resolve().
  std::vector<ImageWorkspacePtr> views;
  std::vector<ImageSize> sizes;  ///< of the results

 private:
  friend class SampleProgram;
  DecodedPart part_;
  /// What happens to a mask in each view.
  struct MaskView {
    ImageEdits edits;
    std::vector<Pass> passes;
  };
  std::vector<MaskView> masks_;
  DecodedPart mask_part_;
  MirrorTest mask_mirrors_;
  ElementType mask_type_ = ElementType::uint8;
  std::array<std::unique_ptr<PassRunner>, 2> mask_runners_;  // of uint8, of uint16
};

/// Immutable and shared by all workers.
class SampleProgram {
 public:
  /// `invalid` where operations cannot follow each other, or views have one name. One view without a name is
  /// a list as it is, which draws in `room`. `first_op` is the number of its first operation in a longer
  /// list.
  static Result<SampleProgram> compile(const std::vector<View>& views, const ImageSpec& input,
                                       MemoryFormat format, Fuse fuse = Fuse::exact, std::uint64_t room = 0,
                                       std::uint32_t first_op = 0);

  /// One for each view, those that are counted one after the other, as are those that a list makes of one
  /// image.
  const std::vector<SampleView>& views() const noexcept { return views_; }
  /// As ImageProgram::wants_upright(), of all views.
  bool wants_upright() const noexcept { return views_[0].image.wants_upright(); }
  SampleWorkspace make_workspace() const;

  /// Draws for every view and decides what happens to an image of this size; as ImageProgram::resolve().
  Status resolve(SampleWorkspace& workspace, ImageSize image, const RandomKey& key,
                 std::span<const float> boxes = {}, int orientation = 1, const BatchPlace& batch = {}) const;
  /// The same with what the views' workspaces hold as drawn.
  Status replay(SampleWorkspace& workspace, ImageSize image) const;

  /// Decodes what the views need, together.
  Status decode(SampleWorkspace& workspace, const ReadBox& read) const;
  /// In place of decode(), for pixels that are there: at least what the views need, until the last run().
  void lend(SampleWorkspace& workspace, const DecodedPart& part) const { workspace.part_ = part; }
  /// Writes one view of the image.
  void run(SampleWorkspace& workspace, std::size_t view, void* out) const;
  /// Decodes what the views need of a mask of the image's size, together; its values are uint8 or uint16.
  Status decode_mask(SampleWorkspace& workspace, ElementType type, const ReadBox& read) const;
  /// Writes one view of that mask: rows of its values, nothing between them.
  void run_mask(SampleWorkspace& workspace, std::size_t view, void* out) const;
  /// Moves what lies in the image, and drops what operations drop: `kept` says so. Boxes come as corners, and
  /// are in the format of the view then.
  void move_boxes(const SampleWorkspace& workspace, std::size_t view, const AnnotationItems& boxes) const;
  void move_points(const SampleWorkspace& workspace, std::size_t view, const AnnotationItems& points) const;

 private:
  std::vector<SampleView> views_;
};

}  // namespace penstock::inline v0
