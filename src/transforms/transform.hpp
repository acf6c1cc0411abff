#pragma once
// What an operation is (those on images), and how one is declared. Recordings: audio/audio_operation.hpp.
//
// An operation is a class derived from Operation<Parameters>, in a file of its own, and a line in
// catalog.cpp. Parameters is a struct with defaults, fields() and ==; those that C++ programs construct are
// in penstock/transform.hpp, others may be declared beside the class.

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "penstock/transform.hpp"
#include "transforms/geometry.hpp"
#include "transforms/kernels/float_map.hpp"
#include "transforms/param_codec.hpp"

namespace penstock::inline v0 {

/// What is known about the images at one point of a list. A size of {0, 0} varies from sample to sample.
struct ImageSpec {
  ImageSize size;
  ElementType type = ElementType::uint8;

  bool fixed_size() const noexcept { return size.width > 0; }
  bool operator==(const ImageSpec&) const = default;
};

class ForeignStage;

/// What is known about the recordings at one point of a list.
struct AudioSpec {
  int channels = 1;
  int rate = 1;              ///< frames per second of the wave
  int bands = 0;             ///< rows of features for each channel; 0: a wave
  std::uint64_t frames = 0;  ///< 0 varies from sample to sample

  bool fixed_length() const noexcept { return frames > 0; }
  std::size_t rows() const noexcept { return static_cast<std::size_t>(channels * (bands == 0 ? 1 : bands)); }
  bool operator==(const AudioSpec&) const = default;
};

/// An operation with its parameters. Immutable: any thread may use it.
class Transform {
 public:
  virtual ~Transform() = default;

  virtual std::string_view name() const noexcept = 0;
  /// Every parameter with its value, in the order of declaration.
  virtual Params params() const = 0;
  /// Refuses impossible parameters, naming the parameter and what would be right.
  virtual Status check() const { return {}; }

  /// What comes out when `in` goes in; `invalid` where the operation cannot follow.
  virtual Result<ImageSpec> describe(const ImageSpec& in) const = 0;

  /// Geometry: appends what happens to this image, given its size. Without override: nothing.
  virtual Status plan(ImageSize image, Draws& draws, GeometrySteps& steps) const {
    (void)image, (void)draws, (void)steps;
    return {};
  }
  /// Values: changes what the 8-bit values become as floats. Without override: nothing.
  virtual void map_values(FloatTable& table) const { (void)table; }
  /// The stage that does the work, where it is not an operation of ours; else null.
  virtual const std::shared_ptr<ForeignStage>& foreign() const noexcept;
};

/// `invalid` with the operation and one of its parameters named.
Error invalid_parameter(std::string_view operation, std::string_view parameter, std::string message,
                        std::string advice);
/// `invalid`: `operation` changes pixels' places but comes after ToFloat or Normalize.
Error geometry_after_values(std::string_view operation);

/// The part of an operation that follows from its parameters. `Self` brings kName and kSummary.
template <class Self, class Parameters, class Base = Transform>
class Operation : public Base {
 public:
  using ParametersType = Parameters;

  explicit Operation(Parameters parameters) : p_(std::move(parameters)) {}

  std::string_view name() const noexcept final { return Self::kName; }
  Params params() const final {
    Params values;
    Parameters copy = p_;
    copy.fields([&](const char* field, auto& value, const char*) {
      values.emplace_back(field, ParamCodec<std::decay_t<decltype(value)>>::to_value(value));
    });
    return values;
  }

 protected:
  Error wrong(std::string_view parameter, std::string message, std::string advice) const {
    return invalid_parameter(Self::kName, parameter, std::move(message), std::move(advice));
  }

  const Parameters p_;
};

}  // namespace penstock::inline v0
