#pragma once
// What operations have in common that mix the rows of a batch, two and two.

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scratch.hpp"
#include "transforms/batch/batch_operation.hpp"
#include "transforms/distributions.hpp"

namespace penstock::inline v0 {

/// Which row each row is mixed with: the one before it, the first with the last, as torchvision does; or the
/// one as far from the end as it is from the start, as timm does. The middle row of an odd number of rows is
/// its own mirror and stays as it is.
enum class Pairing : std::uint8_t { roll, mirror };
/// What has draws of its own: the batch, each two rows that mirror each other, or each row.
enum class MixMode : std::uint8_t { batch, pair, elem };

template <>
struct EnumNames<Pairing> {
  static constexpr std::array<std::string_view, 2> kNames = {"roll", "mirror"};
  static constexpr std::string_view kType = "Literal['roll', 'mirror']";
};

template <>
struct EnumNames<MixMode> {
  static constexpr std::array<std::string_view, 3> kNames = {"batch", "pair", "elem"};
  static constexpr std::string_view kType = "Literal['batch', 'pair', 'elem']";
};

/// One number for the batch, or one for each pair or row.
struct Shares {
  std::vector<double> each;
};

void save_value(const Shares& shares, std::vector<double>& numbers);
void load_value(Shares& shares, std::span<const double>& numbers);

namespace detail {

template <>
struct DrawnCodec<Shares> {
  static constexpr std::string_view kType = "float | Sequence[float]";
  static ParamValue to_value(const Shares& shares);
  static bool from_value(const ParamValue& value, Shares& out);
};

}  // namespace detail

/// Which of the draws of a batch is for which row.
struct MixUnits {
  MixMode mode = MixMode::batch;
  std::size_t rows = 0;

  std::size_t count() const noexcept {
    return mode == MixMode::batch ? 1 : mode == MixMode::pair ? rows / 2 : rows;
  }
  std::size_t of(std::size_t row) const noexcept {
    return mode == MixMode::batch ? 0 : mode == MixMode::elem ? row : std::min(row, rows - 1 - row);
  }
  /// A share as it is kept: those of pairs and rows are float32, as timm has them.
  double share(double lam) const noexcept { return mode == MixMode::batch ? lam : static_cast<float>(lam); }
};

/// Parameters of MixUp and CutMix.
struct MixParameters {
  double alpha = 1.0;
  int num_classes = 0;
  Pairing pairing = Pairing::roll;
  MixMode mode = MixMode::batch;
  double label_smoothing = 0;

  template <class V>
  void fields(V&& v) {
    v("alpha", alpha, "of the Beta(alpha, alpha) distribution that each row's own share is drawn from");
    v("num_classes", num_classes,
      "labels become that many numbers: 1 for the class and 0 for others, mixed by the share");
    v("pairing", pairing,
      "'roll': each row with the one before it, as torchvision; 'mirror': the first with the last, the "
      "second "
      "with the last but one, as timm");
    v("mode", mode,
      "what has draws of its own: the 'batch', each 'pair' of rows that mirror each other, or each row "
      "('elem')");
    v("label_smoothing", label_smoothing,
      "share of each label, before it is mixed, that all classes are given alike");
  }
};

Status check_mix(std::string_view operation, const MixParameters& parameters);

/// Calls use(row, own, other) for every row that has another one: `other` is that as it was before.
template <class Use>
void for_each_mixed(std::span<void* const> rows, std::size_t bytes, Pairing pairing, Scratch& scratch,
                    Use&& use) {
  if (rows.empty()) {
    return;
  }
  std::uint8_t* const kept = scratch.reserve(bytes);
  const auto at = [&rows](std::size_t i) { return static_cast<std::uint8_t*>(rows[i]); };
  const std::size_t last = rows.size() - 1;
  if (pairing == Pairing::mirror) {
    for (std::size_t i = 0; i < rows.size() / 2; ++i) {
      std::memcpy(kept, at(i), bytes);
      use(i, at(i), static_cast<const std::uint8_t*>(at(last - i)));
      use(last - i, at(last - i), static_cast<const std::uint8_t*>(kept));
    }
    return;
  }
  // From the last row on, so that each finds the one before it as it was.
  std::memcpy(kept, at(last), bytes);
  for (std::size_t i = last; i > 0; --i) {
    use(i, at(i), static_cast<const std::uint8_t*>(at(i - 1)));
  }
  use(0, at(0), static_cast<const std::uint8_t*>(kept));
}

/// own = other * (1 - lam) + own * lam, each product rounded. Of bytes: the sum is rounded too, halves to
/// even.
void mix_floats(float* own, const float* other, std::size_t values, double lam);
void mix_bytes(std::uint8_t* own, const std::uint8_t* other, std::size_t values, double lam);
/// The same for an image of a type that mix_images_of() has let pass.
void mix_image(const BatchSlots& batch, std::uint8_t* own, const std::uint8_t* other, double lam);

/// Left, top, right and bottom.
using MixBox = std::array<int, 4>;

/// `invalid` unless there is a share for each of the units.
Status check_shares(std::string_view operation, const Shares& shares, const MixUnits& units);
/// `invalid` unless there is a box inside of images of this size for each of the units.
Status check_boxes(std::string_view operation, const std::vector<int>& boxes, const MixUnits& units,
                   ImageSize size);

/// The share of an image outside of a box.
double share_outside(const MixBox& box, ImageSize size);
/// The one that a batch, pair or row has among four numbers for each.
MixBox box_at(const std::vector<int>& boxes, std::size_t unit);
void append_box(const MixBox& box, std::vector<int>& boxes);
/// The box of `own` becomes that of `other`.
void paste_box(const BatchPlane& plane, const MixBox& box, std::uint8_t* own, const std::uint8_t* other);

/// One-hot labels give `label_smoothing` of themselves to all classes alike; timm's two numbers where they
/// are 0 and 1.
void smooth_labels(const BatchSlots& batch, double label_smoothing);
/// Mixes the labels by the shares.
void mix_labels(const BatchSlots& batch, Pairing pairing, const MixUnits& units, const Shares& shares,
                Scratch& scratch);

}  // namespace penstock::inline v0
