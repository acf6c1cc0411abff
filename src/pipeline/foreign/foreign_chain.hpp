#pragma once
// Lists of operations with functions of the user in between: programs of images, and the stages that part
// them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "core/scratch.hpp"
#include "penstock/foreign_stage.hpp"
#include "pipeline/fill/counters.hpp"
#include "transforms/image_program.hpp"

namespace penstock::inline v0 {

/// An image as an array [H, W, C], and back.
ArraySpec image_array(const ImageSpec& image);
ImageSize image_size(const ArraySpec& array) noexcept;

/// A user's stage and the operations of ours that follow it.
struct ForeignLink {
  std::shared_ptr<ForeignStage> stage;
  std::string name;      ///< the stage's; stands still, for those who look on
  std::uint32_t op = 0;  ///< its number in the list
  ArraySpec output;      ///< as described
  /// What makes of its image the next stage's input or the row of the batch; absent for other arrays and
  /// for float images, which continue as they are.
  std::optional<ImageProgram> then;
};

/// A list of operations, compiled: up to the first stage of the user, and from there.
struct ImageChain {
  ImageProgram first;
  std::vector<ForeignLink> links;
  std::uint64_t room = 0;  ///< of the list's draws

  /// Whether rows are images, and not arrays as the last function returned them.
  bool gives_images() const noexcept;
  /// Whether a stage's result is an image: of three channels or as many as the list is given, of 8 bits, of
  /// 16 where there is one channel, or floats.
  bool is_image(const ArraySpec& array) const noexcept;
  /// What the rows of a batch hold. Images as [H, W, C], whatever the memory format.
  ArraySpec output() const;
  /// For Loader::plan().
  std::string describe() const;
};

/// Splits the list at the user's stages, and asks each what it will return. `invalid` where operations cannot
/// follow each other. `input`: what images are, with a size if all have one.
Result<ImageChain> compile_chain(const std::vector<TransformPtr>& operations, MemoryFormat format,
                                 const ImageSpec& input = {}, std::uint64_t room = 0,
                                 Fuse fuse = Fuse::exact);

/// Memory for the row once its shape is known.
using RowRoom = std::function<Result<void*>(const ArraySpec& row)>;

/// Runs the links after the first program for one sample after the other. One per worker and column.
class ChainRunner {
 public:
  ChainRunner(const ImageChain& chain, MemoryFormat format, WorkerCounters& counters);

  /// Where the first program writes an image of this size, [H, W, C].
  void* input(ImageSize size);
  /// Takes what is at input() on to the row; what is drawn on the way is appended to `drawn`.
  Status run(ImageSize size, std::uint64_t sample, const RandomKey& key, std::vector<double>& drawn,
             const RowRoom& room);

 private:
  Status run_stage(std::size_t number, std::uint64_t sample, const RandomKey& key, const RowRoom& room);
  Status run_program(const ForeignLink& link, std::size_t number, const RandomKey& key, const RowRoom& room);

  const ImageChain& chain_;
  const MemoryFormat format_;
  WorkerCounters& counters_;
  std::vector<ImageWorkspacePtr> workspaces_;  // per link, null without a program
  ArraySpec spec_;                             // of what is in current_
  Scratch current_;
  Scratch next_;
};

}  // namespace penstock::inline v0
