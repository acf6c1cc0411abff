#pragma once
// A list of operations on an image, compiled: from an opened image file to a row of a batch.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// Writes the pixels of a box of the image, as ImageDecoder::decode does.
using ReadBox = std::function<Status(const Rect& box, const PixelView& out)>;

/// The working memory of one worker for one program; reused from sample to sample. Not thread-safe.
class ImageWorkspace;

struct DeleteImageWorkspace {
  void operator()(ImageWorkspace* workspace) const noexcept;
};
using ImageWorkspacePtr = std::unique_ptr<ImageWorkspace, DeleteImageWorkspace>;

/// Where a program stands in a list of operations: what it is given, and the number of its first operation,
/// from which its draws count.
struct ProgramStart {
  ImageSpec input{};
  std::uint32_t first_op = 0;
};

/// Immutable and shared by all workers; each worker brings its own decoder and workspace.
class ImageProgram {
 public:
  /// Checks every operation and how they follow each other (`invalid`), and that PENSTOCK_TARGET is good.
  /// `fuse` = false runs one operation after the other as Pillow would: the reference that tests compare
  /// with.
  static Result<ImageProgram> compile(std::vector<TransformPtr> operations, MemoryFormat format,
                                      bool fuse = true, const ProgramStart& start = {});

  /// What one row of the batch holds.
  const ImageSpec& output() const noexcept;
  /// One line per step that will run, for Loader::plan().
  std::string describe() const;

  ImageWorkspacePtr make_workspace() const;

  /// Decides what happens to an image of this size: draws the random parameters, finds the boxes.
  /// Returns the size of the result (equal to output().size where that is fixed).
  Result<ImageSize> resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey& key) const;

  /// Decodes what is needed of the image `decoder` has open and writes the result of the last resolve():
  /// 3 * width * height elements of output().type at `out`, contiguous, in the program's memory format.
  Status run(ImageWorkspace& workspace, ImageDecoder& decoder, void* out) const;
  /// The same for pixels that come from elsewhere.
  Status run(ImageWorkspace& workspace, const ReadBox& read, void* out) const;

 private:
  struct Impl;
  explicit ImageProgram(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace penstock::inline v0
