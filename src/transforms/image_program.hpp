#pragma once
// A list of operations on an image, compiled: from an opened image file to a row of a batch.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "transforms/image_walk.hpp"
#include "transforms/operation_list.hpp"
#include "transforms/pass_runner.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// Pixels of an image that operations make, at most.
inline constexpr std::int64_t kMaxMadePixels = std::int64_t{1} << 28;

/// What goes into operations on images that are read in this layout.
constexpr ImageSpec image_spec(PixelLayout layout) noexcept {
  return {.size = {},
          .type = layout == PixelLayout::gray_16 ? ElementType::uint16 : ElementType::uint8,
          .channels = channels_of(layout)};
}

/// The working memory of one worker for one program; reused from sample to sample. Not thread-safe.
class ImageWorkspace {
 public:
  ImageWorkspace(const ImageSpec& input, DrawnList memory)
      : drawn(std::move(memory)),
        mirrors(input.type == ElementType::uint8),
        runner(input.channels, input.type) {}

  DrawnList drawn;   ///< what the operations drew for the present sample
  ImageEdits edits;  ///< what follows from that
  ImageSize input;   ///< of the present sample
  WalkMemory walk;
  MirrorTest mirrors;
  std::vector<Pass> passes;
  PassRunner runner;
  std::array<Scratch, 2> floats;  ///< images of floats on their way to the row
  Scratch float_work;             ///< of edits on floats
};
using ImageWorkspacePtr = std::unique_ptr<ImageWorkspace>;

/// A field that an operation of a list adds to the sample.
struct ProgramMask {
  MaskField field;
  std::size_t operation = 0;
  std::size_t number = 0;  ///< of those of that operation
};

/// Where a program stands in a list of operations: what it is given, and where its draws come from.
struct ProgramStart {
  ImageSpec input{};
  std::uint32_t first_op = 0;
  std::uint64_t room = 0;
  int part = 0;  ///< ImageSpec::part
};

/// Immutable and shared by all workers; each worker brings its own decoder and workspace.
class ImageProgram {
 public:
  /// Checks every operation and how they follow each other (`invalid`), and that PENSTOCK_TARGET is good.
  /// `fuse` = off runs one operation after the other as Pillow would: the reference that tests compare
  /// with.
  static Result<ImageProgram> compile(std::vector<TransformPtr> operations, MemoryFormat format,
                                      Fuse fuse = Fuse::exact, const ProgramStart& start = {});

  /// What one row of the batch holds.
  const ImageSpec& output() const noexcept;
  const ImageSpec& input() const noexcept;
  /// Whether it is given images upright: as they are after they have been turned by what EXIF says.
  bool wants_upright() const noexcept;
  /// The format that boxes are delivered in.
  BoxFormat box_format() const noexcept;
  /// One line per pass that will run, for Loader::plan().
  std::string describe() const;
  const ListDraws& list() const noexcept;
  /// In the order of the list.
  const std::vector<ProgramMask>& masks() const noexcept;

  ImageWorkspacePtr make_workspace() const;

  /// Decides what happens to an image of this size, upright if that is wanted: draws the random parameters,
  /// finds the boxes. `boxes` are for operations that look at them: each sees them in the image as it is
  /// then. `orientation` is that of the file, `batch` for what the rows of a batch have in common. Returns
  /// the size of the result (equal to output().size where that is fixed).
  Result<ImageSize> resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey& key,
                            std::span<const float> boxes = {}, int orientation = 1,
                            const BatchPlace& batch = {}) const;
  /// The same with what workspace.drawn holds already.
  Result<ImageSize> replay(ImageWorkspace& workspace, ImageSize image) const;

  /// What the last resolve() needs of the image.
  Rect needed(ImageWorkspace& workspace) const { return workspace.runner.needed(workspace.passes.front()); }

  /// Decodes what is needed of the image `decoder` has open and writes the result of the last resolve():
  /// channels * width * height elements of output().type at `out`, contiguous, in the program's memory
  /// format.
  Status run(ImageWorkspace& workspace, ImageDecoder& decoder, void* out) const;
  /// The same for pixels that come from elsewhere.
  Status run(ImageWorkspace& workspace, const ReadBox& read, void* out) const;
  /// The same for pixels that are there: at least those that are needed().
  void run(ImageWorkspace& workspace, const DecodedPart& part, void* out) const;
  /// Writes a field of masks() of the last resolve(): a byte of 0 or 1 for each of its elements().
  void write_mask(const ImageWorkspace& workspace, std::size_t mask, std::uint8_t* out) const;

 private:
  struct Impl;
  explicit ImageProgram(std::shared_ptr<const Impl> impl);
  Result<ImageSize> resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey* key,
                            std::span<const float> boxes, int orientation, const BatchPlace& batch) const;
  /// Where pixels are written: the row, or memory of floats that become others there.
  ImageSink sink(ImageWorkspace& workspace, void* out) const;
  void finish(ImageWorkspace& workspace, const ImageSink& written, void* out) const;

  std::shared_ptr<const Impl> impl_;
};

}  // namespace penstock::inline v0
