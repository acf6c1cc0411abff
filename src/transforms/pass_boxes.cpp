#include <algorithm>

#include "transforms/kernels/mirror.hpp"
#include "transforms/kernels/resample_16.hpp"
#include "transforms/pass_runner.hpp"

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

PassRunner::BoxReading PassRunner::prepare(const Pass& pass) {
  BoxReading reading;
  Reach x{pass.keep.x, pass.keep.x + pass.keep.width};
  Reach y{pass.keep.y, pass.keep.y + pass.keep.height};
  if (pass.resize) {
    const auto [size, filter] = *pass.resize;
    const AxisRequest across{pass.box.width, size.width, filter, pass.keep.x, pass.keep.width};
    const AxisRequest down{pass.box.height, size.height, filter, pass.keep.y, pass.keep.height};
    if (filter == transforms::Interpolation::nearest) {
      reading.nearest = true;
      compute_nearest(across, type_, nearest_x_);
      compute_nearest(down, type_, nearest_y_);
      x = reach_of(nearest_x_);
      y = reach_of(nearest_y_);
    } else if (type_ == ElementType::uint16) {
      if (across.in != across.out) {
        compute_weights(across, real_x_);
        reading.real_x = &real_x_;
        x = reach_of(real_x_);
      }
      if (down.in != down.out) {
        compute_weights(down, real_y_);
        reading.real_y = &real_y_;
        y = reach_of(real_y_);
      }
      reading.vertical_first = pillow_goes_vertical_first(pass.box, size);
    } else {
      // A pass that would keep the length is left out, as in Pillow.
      if (across.in != across.out) {
        reading.x = &axes_x_.get(across);
        x = reach_of(*reading.x);
      }
      if (down.in != down.out) {
        reading.y = &axes_y_.get(down);
        y = reach_of(*reading.y);
      }
      reading.vertical_first = pillow_goes_vertical_first(pass.box, size);
    }
  }
  reading.need = {pass.box.x + x.first, pass.box.y + y.first, x.end - x.first, y.end - y.first};
  return reading;
}

void PassRunner::run_boxes(const Pass& pass, const BoxReading& reading, const Pixels& in,
                           const ImageSink& sink) {
  if (reading.nearest) {
    nearest(pass, in, sink);
  } else if (reading.real_x != nullptr || reading.real_y != nullptr) {
    resample_wide(pass, reading, in, sink);
  } else if (reading.x != nullptr && reading.y != nullptr) {
    if (reading.vertical_first) {
      vertical_then_horizontal(pass, reading, in, sink);
    } else {
      horizontal_then_vertical(pass, reading, in, sink);
    }
  } else if (reading.x != nullptr) {
    horizontal_only(pass, reading, in, sink);
  } else if (reading.y != nullptr) {
    vertical_only(pass, reading, in, sink);
  } else {
    copy(pass, in, sink);
  }
}

void PassRunner::copy(const Pass& pass, const Pixels& in, const ImageSink& sink) {
  std::uint8_t* const mirrored = rows_.reserve(stride_for(pass.keep.width));
  const bool straight = pass.flip && is_plain(sink) && !through_tables_;
  for (int y = 0; y < pass.keep.height; ++y) {
    const std::uint8_t* row = at(in, pass.box.x + pass.keep.x, pass.box.y + pass.keep.y + y);
    if (straight) {
      flip_row(row, pass.keep.width, pixel_, row_of(sink, place_of(pass, sink, y)));
      continue;
    }
    if (pass.flip) {
      flip_row(row, pass.keep.width, pixel_, mirrored);
      row = mirrored;
    }
    put(pass, sink, y, row);
  }
}

void PassRunner::nearest(const Pass& pass, const Pixels& in, const ImageSink& sink) {
  std::uint8_t* row = rows_.reserve(stride_for(pass.keep.width));
  for (int y = 0; y < pass.keep.height; ++y) {
    const std::uint8_t* from = at(in, in.area.x, pass.box.y + nearest_y_[static_cast<std::size_t>(y)]);
    std::uint8_t* to = row;
    for (int x = 0; x < pass.keep.width; ++x, to += pixel_) {
      const int source = nearest_x_[static_cast<std::size_t>(pass.flip ? pass.keep.width - 1 - x : x)];
      const std::uint8_t* pixel = from + static_cast<std::size_t>(pass.box.x + source - in.area.x) * pixel_;
      std::copy_n(pixel, pixel_, to);
    }
    put(pass, sink, y, row);
  }
}

void PassRunner::resample_wide(const Pass& pass, const BoxReading& reading, const Pixels& in,
                               const ImageSink& sink) {
  const Rect& need = reading.need;
  const auto wide = [](auto* bytes) { return reinterpret_cast<std::uint16_t*>(bytes); };
  const auto* from = reinterpret_cast<const std::uint16_t*>(at(in, need.x, need.y));
  std::size_t stride = in.stride / sizeof(std::uint16_t);
  int width = need.width;
  int rows = need.height;
  const auto horizontal = [&] {
    const auto out_width = static_cast<std::size_t>(pass.keep.width);
    std::uint16_t* const out =
        wide(between_.reserve(row_bytes(pass.keep.width) * static_cast<std::size_t>(rows)));
    resample_horizontal_16({reading.real_x, need.x - pass.box.x, pass.flip}, from, stride, rows, out,
                           out_width);
    from = out;
    stride = out_width;
    width = pass.keep.width;
  };
  const auto vertical = [&] {
    std::uint16_t* const out =
        wide(rows_.reserve(row_bytes(width) * static_cast<std::size_t>(pass.keep.height)));
    for (int y = 0; y < pass.keep.height; ++y) {
      const int first = reading.real_y->windows[static_cast<std::size_t>(y)].first - (need.y - pass.box.y);
      resample_vertical_16(*reading.real_y, y, from + static_cast<std::size_t>(first) * stride, stride, width,
                           out + static_cast<std::size_t>(y) * static_cast<std::size_t>(width));
    }
    from = out;
    stride = static_cast<std::size_t>(width);
    rows = pass.keep.height;
  };
  const bool both = reading.real_x != nullptr && reading.real_y != nullptr;
  if (both && reading.vertical_first) {
    vertical();
    horizontal();
  } else {
    if (reading.real_x != nullptr) {
      horizontal();
    }
    if (reading.real_y != nullptr) {
      vertical();
    }
  }
  const bool mirrors = pass.flip && reading.real_x == nullptr;
  std::uint8_t* const mirrored = mapped_.reserve(row_bytes(width));
  for (int y = 0; y < rows; ++y) {
    const auto* row = reinterpret_cast<const std::uint8_t*>(from + static_cast<std::size_t>(y) * stride);
    if (mirrors) {
      flip_row(row, width, pixel_, mirrored);
      row = mirrored;
    }
    put(pass, sink, y, row);
  }
}

void PassRunner::horizontal_only(const Pass& pass, const BoxReading& reading, const Pixels& in,
                                 const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = stride_for(pass.keep.width);
  std::uint8_t* rows = rows_.reserve(stride * static_cast<std::size_t>(group));
  const HorizontalPass across{reading.x, reading.need.x - pass.box.x, pass.flip, channels_};
  for (int y = 0; y < pass.keep.height; y += group) {
    const int count = std::min(group, pass.keep.height - y);
    resample_horizontal(across, at(in, reading.need.x, reading.need.y + y), in.stride, count, rows, stride);
    for (int i = 0; i < count; ++i) {
      put(pass, sink, y + i, rows + static_cast<std::size_t>(i) * stride);
    }
  }
}

void PassRunner::vertical_only(const Pass& pass, const BoxReading& reading, const Pixels& in,
                               const ImageSink& sink) {
  const std::size_t stride = stride_for(pass.keep.width);
  std::uint8_t* row = rows_.reserve(2 * stride);
  for (int y = 0; y < pass.keep.height; ++y) {
    const std::uint8_t* from = at(in, reading.need.x, pass.box.y + reading.y->taps_of(y).start);
    resample_vertical(*reading.y, y, from, in.stride, row_bytes(pass.keep.width), row);
    if (pass.flip) {
      flip_row(row, pass.keep.width, pixel_, row + stride);
    }
    put(pass, sink, y, pass.flip ? row + stride : row);
  }
}

void PassRunner::horizontal_then_vertical(const Pass& pass, const BoxReading& reading, const Pixels& in,
                                          const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = stride_for(pass.keep.width);
  std::uint8_t* between = between_.reserve(stride * static_cast<std::size_t>(reading.need.height));
  std::uint8_t* row = rows_.reserve(stride);
  const HorizontalPass across{reading.x, reading.need.x - pass.box.x, pass.flip, channels_};
  const int origin = reading.need.y - pass.box.y;
  int done = 0;  // rows of `between`; made when they are needed, so that they are still in the cache
  for (int y = 0; y < pass.keep.height; ++y) {
    const auto& taps = reading.y->taps_of(y);
    const int needed = taps.start + taps.count - origin;
    if (done < needed) {
      // The last group is a whole one, too, though some of its rows are there already.
      const int first = std::max(std::min(done, reading.need.height - group), 0);
      const int count = std::min((needed - first + group - 1) / group * group, reading.need.height - first);
      resample_horizontal(across, at(in, reading.need.x, reading.need.y + first), in.stride, count,
                          between + static_cast<std::size_t>(first) * stride, stride);
      done = first + count;
    }
    const std::uint8_t* from = between + static_cast<std::size_t>(taps.start - origin) * stride;
    resample_vertical(*reading.y, y, from, stride, row_bytes(pass.keep.width), row);
    put(pass, sink, y, row);
  }
}

void PassRunner::vertical_then_horizontal(const Pass& pass, const BoxReading& reading, const Pixels& in,
                                          const ImageSink& sink) {
  const int group = horizontal_group();
  const std::size_t stride = stride_for(pass.keep.width);
  const std::size_t between_stride = stride_for(reading.need.width);
  std::uint8_t* between = between_.reserve(between_stride * static_cast<std::size_t>(group));
  std::uint8_t* rows = rows_.reserve(stride * static_cast<std::size_t>(group));
  const HorizontalPass across{reading.x, reading.need.x - pass.box.x, pass.flip, channels_};
  for (int y = 0; y < pass.keep.height; y += group) {
    const int count = std::min(group, pass.keep.height - y);
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* from = at(in, reading.need.x, pass.box.y + reading.y->taps_of(y + i).start);
      resample_vertical(*reading.y, y + i, from, in.stride, row_bytes(reading.need.width),
                        between + static_cast<std::size_t>(i) * between_stride);
    }
    resample_horizontal(across, between, between_stride, count, rows, stride);
    for (int i = 0; i < count; ++i) {
      put(pass, sink, y + i, rows + static_cast<std::size_t>(i) * stride);
    }
  }
}

}  // namespace penstock::inline v0
