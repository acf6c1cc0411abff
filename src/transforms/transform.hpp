#pragma once
// What an operation is, and how one is declared (docs/design/sample_program.md).
//
// An operation is a class derived from ImageOperation or AudioOperation, in a file of its own, and a line in
// catalog.cpp. Its parameters are a struct with defaults, fields() and ==; those that C++ programs construct
// are in penstock/transform.hpp, others are declared beside the class. What it draws is such a struct too.

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/draw_address.hpp"
#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "penstock/transform.hpp"
#include "transforms/drawn.hpp"
#include "transforms/image_edits.hpp"
#include "transforms/kernels/float_map.hpp"
#include "transforms/param_codec.hpp"

namespace penstock::inline v0 {

class ForeignStage;

/// An operation with its parameters. Immutable: any thread may use it.
class Transform {
 public:
  virtual ~Transform() = default;

  virtual std::string_view name() const noexcept = 0;
  /// Every parameter with its value, in the order of declaration; `key` only where one was given.
  virtual Params params() const = 0;
  /// Refuses impossible parameters, naming the parameter and what would be right.
  virtual Status check() const { return {}; }
  /// The name that its draws have in all lists; empty: they are those of its place in one list.
  virtual const std::string& key() const noexcept;
  /// Memory for what it draws for one sample.
  virtual DrawnPtr make_drawn() const;
  /// The stage that does the work, where it is not an operation of ours; else null.
  virtual const std::shared_ptr<ForeignStage>& foreign() const noexcept;
};

/// An operation on values that `Spec` describes.
template <class Spec>
class TransformOf : public Transform {
 public:
  /// What comes out when `in` goes in; `invalid` where the operation cannot follow.
  virtual Result<Spec> describe(const Spec& in) const = 0;
};

/// What is known about the images at one point of a list. A size of {0, 0} varies from sample to sample.
struct ImageSpec {
  ImageSize size;
  ElementType type = ElementType::uint8;
  int channels = 3;          ///< 1, 3 or 4; of floats also others
  bool values_done = false;  ///< floats have been changed one by one: no map of values can follow
  int part = 0;              ///< which of the images that are made of one (ImageTransform::images())

  bool fixed_size() const noexcept { return size.width > 0; }
  /// Whether values are floats, or have been.
  bool is_float() const noexcept {
    return values_done || (type != ElementType::uint8 && type != ElementType::uint16);
  }
  /// Whether floats become another type at the end (ToFloat16, ToUint8).
  bool is_rounded() const noexcept { return is_float() && type != ElementType::float32; }
  bool operator==(const ImageSpec&) const = default;
};

/// Where a sample stands in its batch. By itself it is a batch of one.
struct BatchPlace {
  RandomKey key{};  ///< `sample` is the place of the batch's first row
  std::uint64_t row = 0;
  std::uint64_t rows = 1;

  bool operator==(const BatchPlace&) const = default;
};

/// What an operation may look at when it draws for one sample.
struct ImageSlots {
  ImageSpec image;               ///< its size is known
  std::span<const float> boxes;  ///< left, top, right and bottom of each, in pixels of this image
  RandomKey key{};               ///< of the sample, for operations that hold some with addresses of their own
  int orientation = 1;           ///< that EXIF gives the file; the image has been turned by it already
  BatchPlace batch{};
  DrawAddress address{};  ///< of the operation

  /// Draws that every row of the batch finds again: `number` = 0 for all of them together, from 1 on for each
  /// row.
  Draws common_draws(std::uint32_t number) const noexcept {
    RandomKey of_batch = batch.key;
    of_batch.part = part_address(0, number);
    return {of_batch, DrawAddress{.room = address.room, .op = kCommonOps + address.op}};
  }
};

/// A field of truth values for the patches of an image, which an operation adds to the sample.
struct MaskField {
  std::string name;
  std::vector<std::size_t> shape;  ///< rows and columns of patches last

  std::size_t elements() const noexcept {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  }
};

class ImageTransform : public TransformOf<ImageSpec> {
 public:
  static constexpr const char* kKind = "image";

  /// Whether it may plan geometry, which moves what lies in the image's plane too.
  virtual bool moves_pixels() const noexcept = 0;
  /// Whether it may drop boxes or key points.
  virtual bool drops_annotations() const noexcept { return false; }
  /// Whether images are turned as their files say before anything is done to them: it stands first in a list.
  virtual bool turns_upright() const noexcept { return false; }
  /// How many images it makes of one, from the same draws: which of them to plan is ImageSpec::part.
  virtual int images() const noexcept { return 1; }
  /// The format that boxes are delivered in, if it names one: of several in a list the last.
  virtual std::optional<BoxFormat> box_format() const noexcept { return std::nullopt; }
  /// Draws for one sample. Without override: nothing.
  virtual Status draw_for(const ImageSlots& in, Draws& draws, Drawn& drawn) const = 0;
  /// Appends what happens to this image, whose size is known. Without override: nothing.
  virtual Status plan_for(const ImageSpec& in, const Drawn& drawn, ImageEdits& edits) const = 0;
  /// The fields that it adds to the sample. Without override: none.
  virtual std::vector<MaskField> mask_fields() const { return {}; }
  /// Writes one of them, a byte of 0 or 1 for each patch, of what was drawn and planned.
  virtual void write_mask(const Drawn& drawn, std::size_t field, std::span<std::uint8_t> out) const {
    (void)drawn, (void)field, (void)out;
  }
  /// Values: changes what the values become as floats. Without override: nothing.
  virtual void map_values(FloatTable& table) const { (void)table; }
};

/// What rounds floats to `type` gives for `in`; `invalid` where something has rounded them before.
Result<ImageSpec> rounded_spec(std::string_view operation, const ImageSpec& in, ElementType type);
/// `invalid` with the operation and one of its parameters named.
Error invalid_parameter(std::string_view operation, std::string_view parameter, std::string message,
                        std::string advice);
/// `invalid`: `operation` changes pixels' places but comes after ToFloat or Normalize.
Error geometry_after_values(std::string_view operation);
/// `invalid` unless a parameter has one number, or one for each channel of the images.
Status check_channels(std::string_view operation, std::string_view parameter, std::size_t numbers,
                      const ImageSpec& in);
/// What an operation that changes colours gives for `in`: the same; `invalid` unless that has 8 bits.
Result<ImageSpec> same_if_bytes(std::string_view operation, const ImageSpec& in);

/// The part of an operation that follows from its parameters and what it draws. `Self` brings kName and
/// kSummary.
template <class Self, class Parameters, class DrawnType, class Base>
class Operation : public Base {
 public:
  using ParametersType = Parameters;
  using DrawnValues = DrawnType;
  /// Operations that draw have a parameter `key`.
  static constexpr bool kDraws = !std::is_same_v<DrawnType, NoDraw>;

  explicit Operation(Parameters parameters, std::string key = {})
      : p_(std::move(parameters)), key_(std::move(key)) {}

  std::string_view name() const noexcept final { return Self::kName; }
  Params params() const final {
    Params values;
    Parameters copy = p_;
    copy.fields([&](const char* field, auto& value, const char*) {
      values.emplace_back(field, ParamCodec<std::decay_t<decltype(value)>>::to_value(value));
    });
    if (!key_.empty()) {
      values.emplace_back("key", key_);
    }
    return values;
  }
  const std::string& key() const noexcept final { return key_; }
  DrawnPtr make_drawn() const override { return std::make_unique<DrawnOf<DrawnType>>(); }

 protected:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }
  static DrawnType& of(Drawn& drawn) noexcept { return static_cast<DrawnOf<DrawnType>&>(drawn).value; }
  static const DrawnType& of(const Drawn& drawn) noexcept {
    return static_cast<const DrawnOf<DrawnType>&>(drawn).value;
  }

  Error wrong(std::string_view parameter, std::string message, std::string advice) const {
    return invalid_parameter(Self::kName, parameter, std::move(message), std::move(advice));
  }
  Status check_chance(double p) const;

  const Parameters p_;

 private:
  const std::string key_;
};

/// `invalid` unless p is a probability.
Status check_chance(std::string_view operation, double p);

template <class Self, class Parameters, class DrawnType, class Base>
Status Operation<Self, Parameters, DrawnType, Base>::check_chance(double p) const {
  return penstock::check_chance(Self::kName, p);
}

/// An operation on images. `Self` overrides describe() and, where it has something to say, hides draw(),
/// plan(), kMovesPixels, kDropsAnnotations, kTurnsUpright and kImages.
template <class Self, class Parameters, class DrawnType = NoDraw>
class ImageOperation : public Operation<Self, Parameters, DrawnType, ImageTransform> {
 public:
  using Operation<Self, Parameters, DrawnType, ImageTransform>::Operation;
  static constexpr bool kMovesPixels = false;
  static constexpr bool kDropsAnnotations = false;
  static constexpr bool kTurnsUpright = false;
  static constexpr int kImages = 1;

  bool moves_pixels() const noexcept final { return Self::kMovesPixels; }
  bool drops_annotations() const noexcept final { return Self::kDropsAnnotations; }
  bool turns_upright() const noexcept final { return Self::kTurnsUpright; }
  int images() const noexcept final { return Self::kImages; }

  Status draw(const ImageSlots&, Draws&, DrawnType&) const { return {}; }
  Status plan(const ImageSpec&, const DrawnType&, ImageEdits&) const { return {}; }

  Status draw_for(const ImageSlots& in, Draws& draws, Drawn& drawn) const final {
    return this->self().draw(in, draws, this->of(drawn));
  }
  Status plan_for(const ImageSpec& in, const Drawn& drawn, ImageEdits& edits) const final {
    [[maybe_unused]] const std::size_t begin = edits.size();
    PENSTOCK_TRY(this->self().plan(in, this->of(drawn), edits));
    if constexpr (requires(Parameters p) { p.mask_fill; }) {
      set_mask_fill(std::span(edits).subspan(begin), this->p_.mask_fill.value);
    }
    return {};
  }
};

/// Of operations that happen or do not.
struct Happens {
  bool apply = false;

  template <class V>
  void fields(V&& v) {
    v("apply", apply);
  }
};

}  // namespace penstock::inline v0
