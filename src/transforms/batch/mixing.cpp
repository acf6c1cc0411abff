#include "transforms/batch/mixing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penstock::inline v0 {

void save_value(const Shares& shares, std::vector<double>& numbers) {
  detail::save_value(shares.each, numbers);
}
void load_value(Shares& shares, std::span<const double>& numbers) {
  detail::load_value(shares.each, numbers);
}

ParamValue detail::DrawnCodec<Shares>::to_value(const Shares& shares) {
  return shares.each.size() == 1 ? ParamValue(shares.each[0]) : ParamValue(shares.each);
}

bool detail::DrawnCodec<Shares>::from_value(const ParamValue& value, Shares& out) {
  out.each.resize(1);
  return as_double(value, out.each[0]) || as_doubles(value, out.each);
}

Status check_mix(std::string_view operation, const MixParameters& parameters) {
  PENSTOCK_TRY(check_alpha(operation, "alpha", parameters.alpha));
  PENSTOCK_TRY(check_classes(operation, parameters.num_classes));
  PENSTOCK_TRY(check_smoothing(operation, parameters.label_smoothing));
  if (parameters.mode == MixMode::pair && parameters.pairing == Pairing::roll) {
    return invalid_parameter(operation, "mode", "'pair' needs rows that are mixed with each other",
                             "pass pairing='mirror'");
  }
  return {};
}

Status check_shares(std::string_view operation, const Shares& shares, const MixUnits& units) {
  const auto is_share = [](double share) { return share >= 0 && share <= 1; };
  if (shares.each.size() != units.count() || !std::all_of(shares.each.begin(), shares.each.end(), is_share)) {
    return detail::wrong_drawn(operation, "lam",
                               fmt::format("must be {} numbers from 0 to 1", units.count()));
  }
  return {};
}

Status check_boxes(std::string_view operation, const std::vector<int>& boxes, const MixUnits& units,
                   ImageSize size) {
  if (boxes.size() != 4 * units.count()) {
    return detail::wrong_drawn(operation, "box",
                               fmt::format("must have 4 numbers for each of {}", units.count()));
  }
  for (std::size_t unit = 0; unit < units.count(); ++unit) {
    const auto [left, top, right, bottom] = box_at(boxes, unit);
    if (left < 0 || left > right || right > size.width || top < 0 || top > bottom || bottom > size.height) {
      return detail::wrong_drawn(operation, "box", "must lie in the images");
    }
  }
  return {};
}

void mix_floats(float* own, const float* other, std::size_t values, double lam) {
  const auto share = static_cast<float>(lam);
  const auto rest = static_cast<float>(1.0 - lam);
  for (std::size_t i = 0; i < values; ++i) {
    own[i] = other[i] * rest + own[i] * share;
  }
}

void mix_bytes(std::uint8_t* own, const std::uint8_t* other, std::size_t values, double lam) {
  constexpr float kWhole = 0x1.8p23F;  // sums of this size have no fraction: adding it rounds
  const auto share = static_cast<float>(lam);
  const auto rest = static_cast<float>(1.0 - lam);
  for (std::size_t i = 0; i < values; ++i) {
    const float sum = static_cast<float>(other[i]) * rest + static_cast<float>(own[i]) * share;
    own[i] = static_cast<std::uint8_t>(static_cast<int>((sum + kWhole) - kWhole));
  }
}

void mix_image(const BatchSlots& batch, std::uint8_t* own, const std::uint8_t* other, double lam) {
  const std::size_t values = batch.images.row_bytes() / batch.images.element;
  if (batch.type == ElementType::uint8) {
    mix_bytes(own, other, values, lam);
  } else {
    mix_floats(reinterpret_cast<float*>(own), reinterpret_cast<const float*>(other), values, lam);
  }
}

double share_outside(const MixBox& box, ImageSize size) {
  const double area = static_cast<double>(box[2] - box[0]) * (box[3] - box[1]);
  return 1.0 - area / (static_cast<double>(size.width) * size.height);
}

MixBox box_at(const std::vector<int>& boxes, std::size_t unit) {
  MixBox box{};
  std::copy_n(boxes.begin() + static_cast<std::ptrdiff_t>(4 * unit), box.size(), box.begin());
  return box;
}

void append_box(const MixBox& box, std::vector<int>& boxes) {
  boxes.insert(boxes.end(), box.begin(), box.end());
}

void paste_box(const BatchPlane& plane, const MixBox& box, std::uint8_t* own, const std::uint8_t* other) {
  for_each_piece(plane, box,
                 [&](std::size_t at, std::size_t bytes) { std::memcpy(own + at, other + at, bytes); });
}

void smooth_labels(const BatchSlots& batch, double label_smoothing) {
  if (label_smoothing == 0) {
    return;
  }
  const double share = label_smoothing / static_cast<double>(batch.classes);
  const auto off = static_cast<float>(share);
  const auto on = static_cast<float>(1.0 - label_smoothing + share);
  for (void* const row : batch.labels) {
    for (float& value : std::span(static_cast<float*>(row), batch.classes)) {
      value = value == 1 ? on : off + value * (on - off);
    }
  }
}

void mix_labels(const BatchSlots& batch, Pairing pairing, const MixUnits& units, const Shares& shares,
                Scratch& scratch) {
  for_each_mixed(batch.labels, batch.classes * sizeof(float), pairing, scratch,
                 [&](std::size_t row, std::uint8_t* own, const std::uint8_t* other) {
                   mix_floats(reinterpret_cast<float*>(own), reinterpret_cast<const float*>(other),
                              batch.classes, shares.each[units.of(row)]);
                 });
}

}  // namespace penstock::inline v0
