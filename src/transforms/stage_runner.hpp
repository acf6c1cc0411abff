#pragma once
// Runs the stages of one image: pixels from a decoder, through as many passes as there are stages, into a
// sink.

#include <array>
#include <span>
#include <vector>

#include "core/scratch.hpp"
#include "penstock/result.hpp"
#include "transforms/axis_cache.hpp"
#include "transforms/image_program.hpp"
#include "transforms/kernels/resample.hpp"
#include "transforms/kernels/write_rows.hpp"
#include "transforms/stages.hpp"

namespace penstock::inline v0 {

/// Keeps its memory from image to image. Not thread-safe: one per worker.
class StageRunner {
 public:
  /// `read` has the image for which the stages were planned. The sink's size is that of the last stage.
  Status run(std::span<const Stage> stages, const ReadBox& read, const ImageSink& sink);

 private:
  /// Rows of 3-byte pixels, somewhere in an image.
  struct Pixels {
    const std::uint8_t* data = nullptr;
    std::size_t stride = 0;
    Rect area;  ///< which part of the image this is

    const std::uint8_t* at(int x, int y) const {
      return data + static_cast<std::size_t>(y - area.y) * stride + static_cast<std::size_t>(x - area.x) * 3;
    }
  };
  /// What a stage reads and how.
  struct Passes {
    const ResampleAxis* x = nullptr;  ///< horizontal pass, if any
    const ResampleAxis* y = nullptr;  ///< vertical pass, if any
    bool nearest = false;
    bool vertical_first = false;
    Rect need;  ///< in the stage's input
  };

  Passes prepare(const Stage& stage);
  void run_stage(const Stage& stage, const Passes& passes, const Pixels& in, const ImageSink& sink);
  void copy(const Stage& stage, const Pixels& in, const ImageSink& sink);
  void nearest(const Stage& stage, const Pixels& in, const ImageSink& sink);
  void horizontal_only(const Stage& stage, const Passes& passes, const Pixels& in, const ImageSink& sink);
  void vertical_only(const Stage& stage, const Passes& passes, const Pixels& in, const ImageSink& sink);
  void horizontal_then_vertical(const Stage& stage, const Passes& passes, const Pixels& in,
                                const ImageSink& sink);
  void vertical_then_horizontal(const Stage& stage, const Passes& passes, const Pixels& in,
                                const ImageSink& sink);

  AxisCache axes_x_;
  AxisCache axes_y_;
  std::vector<int> nearest_x_;
  std::vector<int> nearest_y_;
  Scratch decoded_;
  Scratch between_;               // rows after the first of two passes
  Scratch rows_;                  // a few rows on their way to the sink
  std::array<Scratch, 2> whole_;  // images between stages
};

}  // namespace penstock::inline v0
