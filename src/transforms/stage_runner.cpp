#include "transforms/stage_runner.hpp"

#include <algorithm>

#include "transforms/kernels/pad.hpp"

namespace penstock::inline v0 {
namespace {

// Pixels around each decoded row for what decoders produce beside the box; keeps rows on cache lines.
constexpr int kDecodeMargin = 64;

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

Status StageRunner::run(std::span<const Stage> stages, const ReadBox& read, const ImageSink& sink) {
  Pixels in;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    const ImageSize size = stage.output();
    const bool last = i + 1 == stages.size();
    const auto whole = [&] {
      const std::size_t row = static_cast<std::size_t>(size.width) * 3;
      return ImageSink{whole_[i % 2].reserve(row * static_cast<std::size_t>(size.height)), size,
                       ElementType::uint8, MemoryFormat::channels_last, nullptr};
    };
    const ImageSink out = last ? sink : whole();
    if (stage.pad) {
      pad_image(*stage.pad, in.data, in.stride, stage.input, static_cast<std::uint8_t*>(out.data));
    } else {
      const Passes passes = prepare(stage);
      if (i == 0) {
        const Rect& need = passes.need;
        in.stride = padded_stride(need.width + 2 * kDecodeMargin);
        std::uint8_t* data =
            decoded_.reserve(in.stride * static_cast<std::size_t>(need.height)) + 3 * kDecodeMargin;
        in.data = data;
        in.area = need;
        PENSTOCK_TRY(read(need, {data, in.stride, need.width, need.height, PixelLayout::rgb, kDecodeMargin}));
      }
      run_stage(stage, passes, in, out);
    }
    in = {static_cast<const std::uint8_t*>(out.data),
          static_cast<std::size_t>(size.width) * 3,
          {0, 0, size.width, size.height}};
  }
  finish_rows();
  return {};
}

void StageRunner::run_stage(const Stage& stage, const Passes& passes, const Pixels& in,
                            const ImageSink& sink) {
  if (passes.nearest) {
    nearest(stage, in, sink);
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
  std::uint8_t* mirrored = rows_.reserve(padded_stride(stage.keep.width));
  for (int y = 0; y < stage.keep.height; ++y) {
    const std::uint8_t* row = in.at(stage.box.x + stage.keep.x, stage.box.y + stage.keep.y + y);
    if (stage.flip) {
      flip_row(row, stage.keep.width, mirrored);
      row = mirrored;
    }
    write_row(sink, y, row);
  }
}

void StageRunner::nearest(const Stage& stage, const Pixels& in, const ImageSink& sink) {
  std::uint8_t* row = rows_.reserve(padded_stride(stage.keep.width));
  for (int y = 0; y < stage.keep.height; ++y) {
    const std::uint8_t* from = in.at(in.area.x, stage.box.y + nearest_y_[static_cast<std::size_t>(y)]);
    std::uint8_t* to = row;
    for (int x = 0; x < stage.keep.width; ++x, to += 3) {
      const int source = nearest_x_[static_cast<std::size_t>(stage.flip ? stage.keep.width - 1 - x : x)];
      const std::uint8_t* pixel = from + static_cast<std::ptrdiff_t>(stage.box.x + source - in.area.x) * 3;
      std::copy(pixel, pixel + 3, to);
    }
    write_row(sink, y, row);
  }
}

void StageRunner::horizontal_only(const Stage& stage, const Passes& passes, const Pixels& in,
                                  const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = padded_stride(stage.keep.width);
  std::uint8_t* rows = rows_.reserve(stride * static_cast<std::size_t>(group));
  const HorizontalPass pass{passes.x, passes.need.x - stage.box.x, stage.flip};
  for (int y = 0; y < stage.keep.height; y += group) {
    const int count = std::min(group, stage.keep.height - y);
    resample_horizontal(pass, in.at(passes.need.x, passes.need.y + y), in.stride, count, rows, stride);
    for (int i = 0; i < count; ++i) {
      write_row(sink, y + i, rows + static_cast<std::size_t>(i) * stride);
    }
  }
}

void StageRunner::vertical_only(const Stage& stage, const Passes& passes, const Pixels& in,
                                const ImageSink& sink) {
  const std::size_t stride = padded_stride(stage.keep.width);
  std::uint8_t* row = rows_.reserve(2 * stride);
  for (int y = 0; y < stage.keep.height; ++y) {
    const std::uint8_t* from = in.at(passes.need.x, stage.box.y + passes.y->taps_of(y).start);
    resample_vertical(*passes.y, y, from, in.stride, static_cast<std::size_t>(stage.keep.width) * 3, row);
    if (stage.flip) {
      flip_row(row, stage.keep.width, row + stride);
    }
    write_row(sink, y, stage.flip ? row + stride : row);
  }
}

void StageRunner::horizontal_then_vertical(const Stage& stage, const Passes& passes, const Pixels& in,
                                           const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = padded_stride(stage.keep.width);
  std::uint8_t* between = between_.reserve(stride * static_cast<std::size_t>(passes.need.height));
  std::uint8_t* row = rows_.reserve(stride);
  const HorizontalPass pass{passes.x, passes.need.x - stage.box.x, stage.flip};
  const int origin = passes.need.y - stage.box.y;
  int done = 0;  // rows of `between`; made when they are needed, so that they are still in the cache
  for (int y = 0; y < stage.keep.height; ++y) {
    const auto& taps = passes.y->taps_of(y);
    const int needed = taps.start + taps.count - origin;
    if (done < needed) {
      // The last group is a whole one, too, though some of its rows are there already.
      const int first = std::max(std::min(done, passes.need.height - group), 0);
      const int count = std::min((needed - first + group - 1) / group * group, passes.need.height - first);
      resample_horizontal(pass, in.at(passes.need.x, passes.need.y + first), in.stride, count,
                          between + static_cast<std::size_t>(first) * stride, stride);
      done = first + count;
    }
    const std::uint8_t* from = between + static_cast<std::size_t>(taps.start - origin) * stride;
    resample_vertical(*passes.y, y, from, stride, static_cast<std::size_t>(stage.keep.width) * 3, row);
    write_row(sink, y, row);
  }
}

void StageRunner::vertical_then_horizontal(const Stage& stage, const Passes& passes, const Pixels& in,
                                           const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = padded_stride(stage.keep.width);
  const std::size_t between_stride = padded_stride(passes.need.width);
  std::uint8_t* between = between_.reserve(between_stride * static_cast<std::size_t>(group));
  std::uint8_t* rows = rows_.reserve(stride * static_cast<std::size_t>(group));
  const HorizontalPass pass{passes.x, passes.need.x - stage.box.x, stage.flip};
  for (int y = 0; y < stage.keep.height; y += group) {
    const int count = std::min(group, stage.keep.height - y);
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* from = in.at(passes.need.x, stage.box.y + passes.y->taps_of(y + i).start);
      resample_vertical(*passes.y, y + i, from, in.stride, static_cast<std::size_t>(passes.need.width) * 3,
                        between + static_cast<std::size_t>(i) * between_stride);
    }
    resample_horizontal(pass, between, between_stride, count, rows, stride);
    for (int i = 0; i < count; ++i) {
      write_row(sink, y + i, rows + static_cast<std::size_t>(i) * stride);
    }
  }
}

}  // namespace penstock::inline v0
