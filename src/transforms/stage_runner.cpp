#include "transforms/stage_runner.hpp"

#include <algorithm>

#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/pad.hpp"
#include "transforms/statistics.hpp"

namespace penstock {
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

ConstPixelRows StageRunner::rows_of(const Pixels& in) const {
  return {in.data, in.stride, {in.area.width, in.area.height}, channels_};
}

Status StageRunner::decode(const Rect& box, const ReadBox& read, DecodedPart& part) {
  part.stride = stride_for(box.width + 2 * kDecodeMargin);
  std::uint8_t* const data = decoded_.reserve(part.stride * static_cast<std::size_t>(box.height)) +
                             pixel_ * static_cast<std::size_t>(kDecodeMargin);
  part.data = data;
  part.area = box;
  return read(box, {data, part.stride, box.width, box.height, PixelLayout::rgb, kDecodeMargin});
}

Status StageRunner::run(std::span<const Stage> stages, const ImageSteps& steps, const ReadBox& read,
                        const ImageSink& sink) {
  const Passes passes = prepare(stages.front());
  DecodedPart part;
  PENSTOCK_TRY(decode(passes.need, read, part));
  run_from(stages, steps, passes, part, sink);
  return {};
}

void StageRunner::run(std::span<const Stage> stages, const ImageSteps& steps, const DecodedPart& part,
                      const ImageSink& sink) {
  run_from(stages, steps, prepare(stages.front()), part, sink);
}

void StageRunner::run_from(std::span<const Stage> stages, const ImageSteps& steps, const Passes& first,
                           const DecodedPart& part, const ImageSink& sink) {
  Pixels in = part;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    if (stage.kind == Stage::Kind::boxes) {
      // Tables that need to know nothing of the image are looked up on the way to its memory.
      through_tables_ = i + 1 < stages.size() && make_tables(stages[i + 1], steps, nullptr);
      const std::size_t done = through_tables_ ? i + 1 : i;
      const bool last = done + 1 == stages.size();
      const ImageSink out = last ? sink : between(stage.output);
      run_boxes(stage, i == 0 ? first : prepare(stage), in, out);
      through_tables_ = false;
      if (last) {
        break;
      }
      in = whole_of(out);
      i = done;
    } else {
      in = stage.kind == Stage::Kind::tables ? run_tables(stage, steps, in)
                                             : run_step(stage, steps[stage.first], in);
      if (i + 1 == stages.size()) {
        write(in, sink);
      }
    }
  }
  finish_rows();
}

ImageSink StageRunner::between(ImageSize size) {
  last_whole_ = 1 - last_whole_;
  const std::size_t bytes = row_bytes(size.width) * static_cast<std::size_t>(size.height);
  return {.data = whole_[static_cast<std::size_t>(last_whole_)].reserve(bytes),
          .size = size,
          .type = type_,
          .format = MemoryFormat::channels_last,
          .floats = nullptr,
          .channels = channels_,
          .from = type_};
}

StageRunner::Pixels StageRunner::whole_of(const ImageSink& made) const {
  return {static_cast<const std::uint8_t*>(made.data), row_bytes(made.size.width),
          {0, 0, made.size.width, made.size.height}};
}

PixelRows StageRunner::own_rows(const Pixels& in) {
  return {whole_[static_cast<std::size_t>(last_whole_)].data(), in.stride, {in.area.width, in.area.height},
          channels_};
}

bool StageRunner::make_tables(const Stage& stage, const ImageSteps& steps, const Pixels* image) {
  if (stage.kind != Stage::Kind::tables) {
    return false;
  }
  tables_.fill(identity_table());
  for (std::size_t i = stage.first; i < stage.first + stage.count; ++i) {
    const auto& step = std::get<TableStep>(steps[i]);
    if (step.needs != TableStep::Needs::nothing) {
      if (image == nullptr) {
        return false;
      }
      measure_image(rows_of(*image), tables_, step.needs, work_, statistics_);
    }
    // The fourth channel is transparency, not colour.
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(std::min(channels_, 3)); ++channel) {
      tables_[channel] = joined(tables_[channel], step.make(step, statistics_, channel));
    }
  }
  return true;
}

StageRunner::Pixels StageRunner::run_tables(const Stage& stage, const ImageSteps& steps, const Pixels& in) {
  make_tables(stage, steps, &in);
  apply_tables(rows_of(in), own_rows(in), {tables_.data(), static_cast<std::size_t>(channels_)});
  return in;
}

StageRunner::Pixels StageRunner::run_step(const Stage& stage, const ImageStep& step, const Pixels& in) {
  if (const auto* pixels = std::get_if<PixelsStep>(&step); pixels != nullptr && pixels->in_place) {
    pixels->run(*pixels, rows_of(in), own_rows(in), work_);
    return in;
  }
  const ImageSink out = between(stage.output);
  auto* const data = static_cast<std::uint8_t*>(out.data);
  if (const auto* pixels = std::get_if<PixelsStep>(&step)) {
    pixels->run(*pixels, rows_of(in), {data, row_bytes(out.size.width), out.size, channels_}, work_);
  } else if (const auto* pad = std::get_if<PadStep>(&step)) {
    pad_image(*pad, in.data, in.stride, stage.input, {.channels = channels_, .type = type_}, data);
  } else {
    // Moves take pixels of two bytes as two channels.
    const int channels = static_cast<int>(pixel_);
    const ConstPixelRows from{in.data, in.stride, stage.input, channels};
    const PixelRows to{data, row_bytes(out.size.width), out.size, channels};
    if (const auto* moved = std::get_if<MoveStep>(&step)) {
      move_pixels(from, to, moved->move);
    } else {
      warp_affine(from, to, std::get<WarpStep>(step).warp);
    }
  }
  return whole_of(out);
}

void StageRunner::write(const Pixels& in, const ImageSink& sink) {
  for (int y = 0; y < in.area.height; ++y) {
    write_row(sink, y, at(in, 0, y));
  }
}

void StageRunner::put(const ImageSink& sink, int y, const std::uint8_t* row) {
  if (!through_tables_) {
    write_row(sink, y, row);
    return;
  }
  const std::size_t bytes = row_bytes(sink.size.width);
  const ImageSize one{sink.size.width, 1};
  const PixelRows mapped{mapped_.reserve(bytes), bytes, one, channels_};
  apply_tables({row, bytes, one, channels_}, mapped, {tables_.data(), static_cast<std::size_t>(channels_)});
  write_row(sink, y, mapped.data);
}

void StageRunner::run_boxes(const Stage& stage, const Passes& passes, const Pixels& in,
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

}  // namespace penstock
