#include <algorithm>

#include "transforms/kernels/resample_16.hpp"
#include "transforms/stage_runner.hpp"

namespace penstock::inline v0 {
namespace {

// The stretch of input that the axis reads.
struct Reach {
  int first = 0;
  int end = 0;
};

Reach reach_of(const ResampleAxis& axis) {
  Reach reach{axis.taps.front().start, 0};
  for (const auto& taps : axis.taps) {
    reach.first = std::min(reach.first, taps.start);
    reach.end = std::max(reach.end, taps.start + taps.count);
  }
  return reach;
}

Reach reach_of(const RealWeights& axis) {
  Reach reach{axis.windows.front().first, 0};
  for (const auto& window : axis.windows) {
    reach.first = std::min(reach.first, window.first);
    reach.end = std::max(reach.end, window.first + window.count);
  }
  return reach;
}

Reach reach_of(const std::vector<int>& sources) { return {sources.front(), sources.back() + 1}; }

// Pillow 13 takes the vertical pass first where that leaves less work.
bool pillow_goes_vertical_first(const Rect& box, ImageSize size) {
  const int fewer_rows = box.height - size.height;
  const int fewer_columns = box.width - size.width;
  return fewer_rows > 0 && fewer_rows > 2 * fewer_columns;
}

}  // namespace

StageRunner::Passes StageRunner::prepare(const Stage& stage) {
  Passes passes;
  Reach x{stage.keep.x, stage.keep.x + stage.keep.width};
  Reach y{stage.keep.y, stage.keep.y + stage.keep.height};
  if (stage.resize) {
    const auto [size, filter] = *stage.resize;
    const AxisRequest across{stage.box.width, size.width, filter, stage.keep.x, stage.keep.width};
    const AxisRequest down{stage.box.height, size.height, filter, stage.keep.y, stage.keep.height};
    if (filter == transforms::Interpolation::nearest) {
      passes.nearest = true;
      compute_nearest(across, nearest_x_);
      compute_nearest(down, nearest_y_);
      x = reach_of(nearest_x_);
      y = reach_of(nearest_y_);
    } else if (type_ == ElementType::uint16) {
      if (across.in != across.out) {
        compute_weights(across, real_x_);
        passes.real_x = &real_x_;
        x = reach_of(real_x_);
      }
      if (down.in != down.out) {
        compute_weights(down, real_y_);
        passes.real_y = &real_y_;
        y = reach_of(real_y_);
      }
      passes.vertical_first = pillow_goes_vertical_first(stage.box, size);
    } else {
      // A pass that would keep the length is left out, as in Pillow.
      if (across.in != across.out) {
        passes.x = &axes_x_.get(across);
        x = reach_of(*passes.x);
      }
      if (down.in != down.out) {
        passes.y = &axes_y_.get(down);
        y = reach_of(*passes.y);
      }
      passes.vertical_first = pillow_goes_vertical_first(stage.box, size);
    }
  }
  passes.need = {stage.box.x + x.first, stage.box.y + y.first, x.end - x.first, y.end - y.first};
  return passes;
}

void StageRunner::run_boxes(const Stage& stage, const Passes& passes, const Pixels& in,
                            const ImageSink& sink) {
  if (passes.nearest) {
    nearest(stage, in, sink);
  } else if (passes.real_x != nullptr || passes.real_y != nullptr) {
    resample_wide(stage, passes, in, sink);
  } else if (passes.x != nullptr && passes.y != nullptr) {
    if (passes.vertical_first) {
      vertical_then_horizontal(stage, passes, in, sink);
    } else {
      horizontal_then_vertical(stage, passes, in, sink);
    }
  } else if (passes.x != nullptr) {
    horizontal_only(stage, passes, in, sink);
  } else if (passes.y != nullptr) {
    vertical_only(stage, passes, in, sink);
  } else {
    copy(stage, in, sink);
  }
}

void StageRunner::copy(const Stage& stage, const Pixels& in, const ImageSink& sink) {
  std::uint8_t* mirrored = rows_.reserve(stride_for(stage.keep.width));
  for (int y = 0; y < stage.keep.height; ++y) {
    const std::uint8_t* row = at(in, stage.box.x + stage.keep.x, stage.box.y + stage.keep.y + y);
    if (stage.flip) {
      flip_row(row, stage.keep.width, pixel_, mirrored);
      row = mirrored;
    }
    put(sink, y, row);
  }
}

void StageRunner::nearest(const Stage& stage, const Pixels& in, const ImageSink& sink) {
  std::uint8_t* row = rows_.reserve(stride_for(stage.keep.width));
  for (int y = 0; y < stage.keep.height; ++y) {
    const std::uint8_t* from = at(in, in.area.x, stage.box.y + nearest_y_[static_cast<std::size_t>(y)]);
    std::uint8_t* to = row;
    for (int x = 0; x < stage.keep.width; ++x, to += pixel_) {
      const int source = nearest_x_[static_cast<std::size_t>(stage.flip ? stage.keep.width - 1 - x : x)];
      const std::uint8_t* pixel = from + static_cast<std::size_t>(stage.box.x + source - in.area.x) * pixel_;
      std::copy_n(pixel, pixel_, to);
    }
    put(sink, y, row);
  }
}

void StageRunner::resample_wide(const Stage& stage, const Passes& passes, const Pixels& in,
                                const ImageSink& sink) {
  const Rect& need = passes.need;
  const auto wide = [](auto* bytes) { return reinterpret_cast<std::uint16_t*>(bytes); };
  const auto* from = reinterpret_cast<const std::uint16_t*>(at(in, need.x, need.y));
  std::size_t stride = in.stride / sizeof(std::uint16_t);
  int width = need.width;
  int rows = need.height;
  const auto horizontal = [&] {
    const auto out_width = static_cast<std::size_t>(stage.keep.width);
    std::uint16_t* const out =
        wide(between_.reserve(row_bytes(stage.keep.width) * static_cast<std::size_t>(rows)));
    resample_horizontal_16({passes.real_x, need.x - stage.box.x, stage.flip}, from, stride, rows, out,
                           out_width);
    from = out;
    stride = out_width;
    width = stage.keep.width;
  };
  const auto vertical = [&] {
    std::uint16_t* const out =
        wide(rows_.reserve(row_bytes(width) * static_cast<std::size_t>(stage.keep.height)));
    for (int y = 0; y < stage.keep.height; ++y) {
      const int first = passes.real_y->windows[static_cast<std::size_t>(y)].first - (need.y - stage.box.y);
      resample_vertical_16(*passes.real_y, y, from + static_cast<std::size_t>(first) * stride, stride, width,
                           out + static_cast<std::size_t>(y) * static_cast<std::size_t>(width));
    }
    from = out;
    stride = static_cast<std::size_t>(width);
    rows = stage.keep.height;
  };
  const bool both = passes.real_x != nullptr && passes.real_y != nullptr;
  if (both && passes.vertical_first) {
    vertical();
    horizontal();
  } else {
    if (passes.real_x != nullptr) {
      horizontal();
    }
    if (passes.real_y != nullptr) {
      vertical();
    }
  }
  const bool mirrors = stage.flip && passes.real_x == nullptr;
  std::uint8_t* const mirrored = mapped_.reserve(row_bytes(width));
  for (int y = 0; y < rows; ++y) {
    const auto* row = reinterpret_cast<const std::uint8_t*>(from + static_cast<std::size_t>(y) * stride);
    if (mirrors) {
      flip_row(row, width, pixel_, mirrored);
      row = mirrored;
    }
    write_row(sink, y, row);
  }
}

void StageRunner::horizontal_only(const Stage& stage, const Passes& passes, const Pixels& in,
                                  const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = stride_for(stage.keep.width);
  std::uint8_t* rows = rows_.reserve(stride * static_cast<std::size_t>(group));
  const HorizontalPass pass{passes.x, passes.need.x - stage.box.x, stage.flip, channels_};
  for (int y = 0; y < stage.keep.height; y += group) {
    const int count = std::min(group, stage.keep.height - y);
    resample_horizontal(pass, at(in, passes.need.x, passes.need.y + y), in.stride, count, rows, stride);
    for (int i = 0; i < count; ++i) {
      put(sink, y + i, rows + static_cast<std::size_t>(i) * stride);
    }
  }
}

void StageRunner::vertical_only(const Stage& stage, const Passes& passes, const Pixels& in,
                                const ImageSink& sink) {
  const std::size_t stride = stride_for(stage.keep.width);
  std::uint8_t* row = rows_.reserve(2 * stride);
  for (int y = 0; y < stage.keep.height; ++y) {
    const std::uint8_t* from = at(in, passes.need.x, stage.box.y + passes.y->taps_of(y).start);
    resample_vertical(*passes.y, y, from, in.stride, row_bytes(stage.keep.width), row);
    if (stage.flip) {
      flip_row(row, stage.keep.width, pixel_, row + stride);
    }
    put(sink, y, stage.flip ? row + stride : row);
  }
}

void StageRunner::horizontal_then_vertical(const Stage& stage, const Passes& passes, const Pixels& in,
                                           const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = stride_for(stage.keep.width);
  std::uint8_t* between = between_.reserve(stride * static_cast<std::size_t>(passes.need.height));
  std::uint8_t* row = rows_.reserve(stride);
  const HorizontalPass pass{passes.x, passes.need.x - stage.box.x, stage.flip, channels_};
  const int origin = passes.need.y - stage.box.y;
  int done = 0;  // rows of `between`; made when they are needed, so that they are still in the cache
  for (int y = 0; y < stage.keep.height; ++y) {
    const auto& taps = passes.y->taps_of(y);
    const int needed = taps.start + taps.count - origin;
    if (done < needed) {
      // The last group is a whole one, too, though some of its rows are there already.
      const int first = std::max(std::min(done, passes.need.height - group), 0);
      const int count = std::min((needed - first + group - 1) / group * group, passes.need.height - first);
      resample_horizontal(pass, at(in, passes.need.x, passes.need.y + first), in.stride, count,
                          between + static_cast<std::size_t>(first) * stride, stride);
      done = first + count;
    }
    const std::uint8_t* from = between + static_cast<std::size_t>(taps.start - origin) * stride;
    resample_vertical(*passes.y, y, from, stride, row_bytes(stage.keep.width), row);
    put(sink, y, row);
  }
}

void StageRunner::vertical_then_horizontal(const Stage& stage, const Passes& passes, const Pixels& in,
                                           const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = stride_for(stage.keep.width);
  const std::size_t between_stride = stride_for(passes.need.width);
  std::uint8_t* between = between_.reserve(between_stride * static_cast<std::size_t>(group));
  std::uint8_t* rows = rows_.reserve(stride * static_cast<std::size_t>(group));
  const HorizontalPass pass{passes.x, passes.need.x - stage.box.x, stage.flip, channels_};
  for (int y = 0; y < stage.keep.height; y += group) {
    const int count = std::min(group, stage.keep.height - y);
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* from = at(in, passes.need.x, stage.box.y + passes.y->taps_of(y + i).start);
      resample_vertical(*passes.y, y + i, from, in.stride, row_bytes(passes.need.width),
                        between + static_cast<std::size_t>(i) * between_stride);
    }
    resample_horizontal(pass, between, between_stride, count, rows, stride);
    for (int i = 0; i < count; ++i) {
      put(sink, y + i, rows + static_cast<std::size_t>(i) * stride);
    }
  }
}

}  // namespace penstock::inline v0
