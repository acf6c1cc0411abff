#include "penstock/mean_std.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel_for.hpp"
#include "core/usable_cores.hpp"

namespace penstock::inline v0 {
namespace {

__extension__ using uint128 = unsigned __int128;

constexpr std::size_t kMaxChannels = 4;

/// Of the values of one channel in one row.
struct RowSums {
  std::uint64_t values = 0;
  std::uint64_t squares = 0;
  double real_values = 0;
  double real_squares = 0;
};

/// Of one channel in all rows.
struct ChannelSums {
  uint128 values = 0;
  uint128 squares = 0;
  double real_values = 0;
  double real_squares = 0;

  void add(const RowSums& row) {
    values += row.values;
    squares += row.squares;
    real_values += row.real_values;
    real_squares += row.real_squares;
  }
};

/// How the values of a row lie: `count` of a channel, `step` apart.
struct Lane {
  std::size_t count = 0;
  std::size_t step = 1;
};

/// Of bytes that lie side by side. The length of the inner loop is a constant, so that compilers make vector
/// code of it.
void add_bytes(const std::uint8_t* data, std::size_t count, RowSums& sums) {
  constexpr std::size_t kBlock = 1024;
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    std::uint32_t values = 0;
    std::uint32_t squares = 0;
    for (std::size_t k = 0; k < kBlock; ++k) {
      const std::uint32_t value = data[i + k];
      values += value;
      squares += value * value;
    }
    sums.values += values;
    sums.squares += squares;
  }
  for (; i < count; ++i) {
    const std::uint32_t value = data[i];
    sums.values += value;
    sums.squares += value * value;
  }
}

RowSums sums_of(const void* data, Scalar type, std::size_t first, Lane lane) {
  RowSums sums;
  if (type == Scalar::uint8 && lane.step == 1) {
    add_bytes(static_cast<const std::uint8_t*>(data) + first, lane.count, sums);
    return sums;
  }
  for (std::size_t i = 0, at = first; i < lane.count; ++i, at += lane.step) {
    if (type == Scalar::float32) {
      const double value = static_cast<const float*>(data)[at];
      sums.real_values += value;
      sums.real_squares += value * value;
    } else {
      const std::uint64_t value = type == Scalar::uint8 ? static_cast<const std::uint8_t*>(data)[at]
                                                        : static_cast<const std::uint16_t*>(data)[at];
      sums.values += value;
      sums.squares += value * value;
    }
  }
  return sums;
}

Error not_images(const std::string& message) {
  return {.kind = ErrorKind::invalid,
          .message = "mean and std: " + message,
          .advice = "",
          .place = {.stage = "plan"}};
}

/// Adds the batches of an epoch, row by row in their order.
class Adder {
 public:
  Adder(std::string field, unsigned threads) : field_(std::move(field)), threads_(threads) {}

  Status add(const Batch& batch) {
    const Column* const column = batch.find(field_);
    if (column == nullptr) {
      return not_images(fmt::format("the batches have no field {}", field_));
    }
    if (!column->format || column->spec.shape.size() != 3) {
      return not_images(fmt::format("{} is not one image of 1 to 4 channels for each sample", field_));
    }
    std::vector<std::array<RowSums, kMaxChannels>> rows(batch.rows());
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      PENSTOCK_TRY(check(*column, row));
    }
    parallel_for(batch.rows(), threads_, [&](std::size_t row) {
      const Extents shape = column->shape_of(row);
      const bool planes = *column->format == MemoryFormat::channels_first;
      const Lane lane{shape.elements() / channels_, planes ? 1 : channels_};
      for (std::size_t c = 0; c < channels_; ++c) {
        rows[row][c] = sums_of(column->bytes_of(row).data(), type_, planes ? c * lane.count : c, lane);
      }
    });
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      for (std::size_t c = 0; c < channels_; ++c) {
        sums_[c].add(rows[row][c]);
      }
      pixels_ += column->shape_of(row).elements() / channels_;
    }
    images_ += batch.rows();
    return {};
  }

  std::uint64_t images() const noexcept { return images_; }

  Result<MeanStd> result() const {
    if (pixels_ == 0) {
      return not_images("there are no images to compute them of");
    }
    MeanStd result{.mean = {}, .std = {}, .images = images_, .pixels = pixels_};
    const auto n = static_cast<double>(pixels_);
    for (std::size_t c = 0; c < channels_; ++c) {
      const ChannelSums& sums = sums_[c];
      if (type_ == Scalar::float32) {
        const double mean = sums.real_values / n;
        result.mean.push_back(mean);
        result.std.push_back(std::sqrt(std::max(sums.real_squares / n - mean * mean, 0.0)));
        continue;
      }
      // n^2 times the variance, without a rounding: equal values have none.
      const uint128 spread = pixels_ * sums.squares - sums.values * sums.values;
      const double one = type_ == Scalar::uint8 ? 255.0 : 65535.0;
      result.mean.push_back(static_cast<double>(sums.values) / n / one);
      result.std.push_back(std::sqrt(static_cast<double>(spread)) / n / one);
    }
    return result;
  }

 private:
  Status check(const Column& column, std::size_t row) {
    const Extents shape = column.shape_of(row);
    const Scalar type = column.ragged() ? column.rows[row].type : column.spec.type;
    if (type != Scalar::uint8 && type != Scalar::uint16 && type != Scalar::float32) {
      return not_images(
          fmt::format("images of {} are not supported; use uint8, uint16 or float32", name_of(type)));
    }
    const bool planes = *column.format == MemoryFormat::channels_first;
    const std::size_t channels = shape.size() == 3 ? (planes ? shape[0] : shape[2]) : 0;
    if (channels == 0 || channels > kMaxChannels) {
      return not_images(fmt::format("{} must have 1 to {} channels", field_, kMaxChannels));
    }
    if (channels_ != 0 && (channels != channels_ || type != type_)) {
      return not_images(
          fmt::format("images of {} differ in channels or type; read them in one mode", field_));
    }
    channels_ = channels;
    type_ = type;
    return {};
  }

  std::string field_;
  unsigned threads_;
  std::size_t channels_ = 0;
  Scalar type_ = Scalar::uint8;
  std::array<ChannelSums, kMaxChannels> sums_{};
  std::uint64_t images_ = 0;
  std::uint64_t pixels_ = 0;
};

}  // namespace

Result<MeanStd> compute_mean_std(Loader& loader, const std::string& field, const MeanStdProgress& progress) {
  constexpr std::chrono::milliseconds kPatience{50};
  const std::uint64_t total = loader.dataset().size();
  Adder adder(field,
              static_cast<unsigned>(loader.options().num_workers.value_or(static_cast<int>(usable_cores()))));
  PENSTOCK_ASSIGN(const std::uint64_t ticket, loader.start_epoch());
  for (;;) {
    PENSTOCK_ASSIGN(const Loader::Step step, loader.next(ticket, kPatience));
    if (step.state == Loader::Step::State::finished) {
      return adder.result();
    }
    if (step.state == Loader::Step::State::ready) {
      PENSTOCK_TRY(adder.add(step.batch));
    }
    if (progress && !progress(adder.images(), total)) {
      return Error{.kind = ErrorKind::cancelled, .message = "mean and std: interrupted"};
    }
  }
}

}  // namespace penstock::inline v0
