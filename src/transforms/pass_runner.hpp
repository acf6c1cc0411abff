#pragma once
// Runs the passes over one image: pixels from a decoder, through one pass after the other, into a sink.

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "core/scratch.hpp"
#include "penstock/result.hpp"
#include "transforms/axis_cache.hpp"
#include "transforms/kernels/resample.hpp"
#include "transforms/kernels/write_rows.hpp"
#include "transforms/passes.hpp"
#include "transforms/statistics.hpp"

namespace penstock::inline v0 {

/// Writes the pixels of a box of the image, as ImageDecoder::decode does.
using ReadBox = std::function<Status(const Rect& box, const PixelView& out)>;

/// A part of an image that has been decoded: rows of pixels in memory, with kRowSlack bytes after the last.
struct DecodedPart {
  const std::uint8_t* data = nullptr;
  std::size_t stride = 0;
  Rect area;  ///< which part of the image this is
};

/// Keeps its memory from image to image. Not thread-safe: one per worker.
class PassRunner {
 public:
  /// For images of that many channels, of uint8 or uint16.
  PassRunner(int channels, ElementType type)
      : type_(type),
        input_channels_(channels),
        channels_(channels),
        pixel_(static_cast<std::size_t>(channels) * size_of(type)),
        layout_(channels == 4                 ? PixelLayout::rgba
                : channels == 3               ? PixelLayout::rgb
                : type == ElementType::uint16 ? PixelLayout::gray_16
                                              : PixelLayout::gray) {}

  /// What the first pass reads of the image.
  Rect needed(const Pass& first) { return prepare(first).need; }

  /// `read` has the image for which the passes were planned. The sink's size is that of the last pass.
  Status run(std::span<const Pass> passes, const ImageEdits& edits, const ReadBox& read,
             const ImageSink& sink);
  /// The same for an image of which what is needed(), or more, has been decoded.
  void run(std::span<const Pass> passes, const ImageEdits& edits, const DecodedPart& part,
           const ImageSink& sink);

  /// Decodes a box to memory that is used again.
  Status decode(const Rect& box, const ReadBox& read, DecodedPart& part);

 private:
  using Pixels = DecodedPart;

  /// What a pass of boxes reads and how.
  struct BoxReading {
    const ResampleAxis* x = nullptr;      ///< horizontal pass, if any
    const ResampleAxis* y = nullptr;      ///< vertical pass, if any
    const RealWeights* real_x = nullptr;  ///< the same for 16 bits
    const RealWeights* real_y = nullptr;
    bool nearest = false;
    bool vertical_first = false;
    Rect need;  ///< in the pass's input
  };

  const std::uint8_t* at(const Pixels& in, int x, int y) const {
    return in.data + static_cast<std::size_t>(y - in.area.y) * in.stride +
           static_cast<std::size_t>(x - in.area.x) * pixel_;
  }
  std::size_t stride_for(int width) const { return padded_stride(width, static_cast<int>(pixel_)); }
  std::size_t row_bytes(int width) const { return static_cast<std::size_t>(width) * pixel_; }
  ConstPixelRows rows_of(const Pixels& in) const;
  void set_channels(int channels) {
    channels_ = channels;
    pixel_ = static_cast<std::size_t>(channels) * size_of(type_);
  }

  /// Pillow filters RGBA pixels multiplied with their alpha.
  bool has_alpha_weights(transforms::Interpolation filter) const {
    return channels_ == 4 && filter != transforms::Interpolation::nearest;
  }
  Pixels times_alpha(const Pixels& in);

  BoxReading prepare(const Pass& pass);
  void run_boxes(const Pass& pass, const BoxReading& reading, const Pixels& in, const ImageSink& sink);
  void copy(const Pass& pass, const Pixels& in, const ImageSink& sink);
  void nearest(const Pass& pass, const Pixels& in, const ImageSink& sink);
  void resample_wide(const Pass& pass, const BoxReading& reading, const Pixels& in, const ImageSink& sink);
  void horizontal_only(const Pass& pass, const BoxReading& reading, const Pixels& in, const ImageSink& sink);
  void vertical_only(const Pass& pass, const BoxReading& reading, const Pixels& in, const ImageSink& sink);
  void horizontal_then_vertical(const Pass& pass, const BoxReading& reading, const Pixels& in,
                                const ImageSink& sink);
  void vertical_then_horizontal(const Pass& pass, const BoxReading& reading, const Pixels& in,
                                const ImageSink& sink);

  void run_from(std::span<const Pass> passes, const ImageEdits& edits, const BoxReading& first,
                const DecodedPart& part, const ImageSink& sink);
  /// Of the last pass, `sink` is where the image is to be, else null. What is returned lies there, or has to
  /// be written.
  Pixels run_tables(const Pass& pass, const ImageEdits& edits, const Pixels& in, const ImageSink* sink);
  Pixels run_edit(const Pass& pass, const ImageEdit& edit, const Pixels& in, const ImageSink* sink);
  void run_field(const FieldEdit& edit, const ConstPixelRows& in, const PixelRows& out);
  /// The tables of a pass, joined to one; false if it is no such pass, or needs an image and there is none.
  bool make_tables(const Pass& pass, const ImageEdits& edits, const Pixels* image);
  /// Whether pixels lie in a sink as they do here. It may be written, not read: what follows it is another's.
  bool is_plain(const ImageSink& sink) const {
    return sink.type == type_ && (sink.format == MemoryFormat::channels_last || sink.channels == 1);
  }
  std::uint8_t* row_of(const ImageSink& sink, int y) const {
    return static_cast<std::uint8_t*>(sink.data) + static_cast<std::size_t>(y) * row_bytes(sink.size.width);
  }
  /// Whether the pass makes an image elsewhere: what it reads need not be memory of its own.
  bool only_reads(const Pass& pass, const ImageEdits& edits, const ImageSink* sink) const;
  /// Memory for an image between passes, other than that of the one before.
  ImageSink between(ImageSize size);
  Pixels whole_of(const ImageSink& made) const;
  /// An image that between() gave memory for last, to be changed.
  PixelRows own_rows(const Pixels& in);
  /// Where row `y` of the pass is in the end, which may be upside down.
  static int place_of(const Pass& pass, const ImageSink& sink, int y) {
    return pass.flip_down ? sink.size.height - 1 - y : y;
  }
  /// Row `y` of the pass, before it is turned upside down, if it is.
  void put(const Pass& pass, const ImageSink& sink, int y, const std::uint8_t* row);
  void write(const Pixels& in, const ImageSink& sink);

  const ElementType type_;
  const int input_channels_;
  int channels_;       // of the image as it is now
  std::size_t pixel_;  // bytes of that
  const PixelLayout layout_;
  AxisCache axes_x_;
  AxisCache axes_y_;
  RealWeights real_x_;
  RealWeights real_y_;
  std::vector<int> nearest_x_;
  std::vector<int> nearest_y_;
  Scratch decoded_;
  Scratch between_;               // rows after the first of two passes
  Scratch rows_;                  // a few rows on their way to the sink
  std::array<Scratch, 2> whole_;  // images between passes
  int last_whole_ = 0;
  Scratch work_;         // of edits on pixels
  Scratch field_;        // where pixels come from
  Scratch mapped_;       // a row behind tables_
  Scratch multiplied_;   // RGBA with its alpha
  ByteTables tables_{};  // joined so far
  ByteMap map_;          // what they became
  bool through_tables_ = false;
  ImageMeasure measure_;
  ImageStatistics statistics_;
};

}  // namespace penstock::inline v0
