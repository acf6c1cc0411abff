#pragma once
// What was drawn for one operation on one sample: a plain value that prints, compares, and goes to and from
// named numbers and lists. Nothing else of a sample's randomness reaches its pixels.
//
// An operation declares a struct of its own with fields(), as it does for its parameters:
//   struct Angle { double angle = 0; template <class V> void fields(V&& v) { v("angle", angle); } };

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/transform.hpp"
#include "transforms/param_codec.hpp"

namespace penstock::inline v0 {

/// A value as Python writes it: "None", "True", "0.5", "'bilinear'", "(0.08, 1.0)".
std::string repr(const ParamValue& value);

class Drawn {
 public:
  virtual ~Drawn() = default;

  /// Every value with its name, in the order of declaration.
  virtual Params values() const = 0;
  /// The opposite; `invalid` with what is missing, unknown or of a wrong type. `operation` is for messages.
  virtual Status set(std::string_view operation, const Params& values) = 0;
  /// The same as bare numbers, for memory that is used again: appended here, taken from the front there.
  virtual void save(std::vector<double>& numbers) const = 0;
  virtual void load(std::span<const double>& numbers) = 0;

  bool operator==(const Drawn& other) const { return values() == other.values(); }
};
using DrawnPtr = std::unique_ptr<Drawn>;

/// Of operations that draw nothing.
struct NoDraw {
  template <class V>
  void fields(V&&) {}
};

namespace detail {

Error wrong_drawn(std::string_view operation, std::string_view name, std::string_view problem);
Error unknown_drawn(std::string_view operation, std::string_view name);

/// As ParamCodec, but lists are lists here, also of one number or none.
template <class V>
struct DrawnCodec : ParamCodec<V> {};
template <class Number>
struct DrawnCodec<std::vector<Number>> {
  static constexpr std::string_view kType = std::is_same_v<Number, int> ? "Sequence[int]" : "Sequence[float]";
  using Wide = std::conditional_t<std::is_same_v<Number, int>, std::int64_t, double>;
  static ParamValue to_value(const std::vector<Number>& list) {
    return std::vector<Wide>(list.begin(), list.end());
  }
  static bool from_value(const ParamValue& value, std::vector<Number>& out) {
    if constexpr (std::is_same_v<Number, int>) {
      return std::holds_alternative<std::vector<std::int64_t>>(value) && as_ints(value, out);
    } else {
      return as_doubles(value, out);
    }
  }
};

template <class Number>
void save_value(Number value, std::vector<double>& numbers) {
  numbers.push_back(static_cast<double>(value));
}
template <class Number>
void save_value(const std::vector<Number>& list, std::vector<double>& numbers) {
  numbers.push_back(static_cast<double>(list.size()));
  numbers.insert(numbers.end(), list.begin(), list.end());
}

inline double take(std::span<const double>& numbers) {
  const double first = numbers.front();
  numbers = numbers.subspan(1);
  return first;
}
template <class Number>
void load_value(Number& value, std::span<const double>& numbers) {
  if constexpr (std::is_same_v<Number, bool>) {
    value = take(numbers) != 0;
  } else {
    value = static_cast<Number>(take(numbers));
  }
}
template <class Number>
void load_value(std::vector<Number>& list, std::span<const double>& numbers) {
  list.resize(static_cast<std::size_t>(take(numbers)));
  for (Number& value : list) {
    load_value(value, numbers);
  }
}

}  // namespace detail

/// `T` has fields(v) of bool, int, double, vectors of int and double, and of types that bring a DrawnCodec,
/// save_value() and load_value() of their own.
template <class T>
class DrawnOf final : public Drawn {
 public:
  T value{};

  Params values() const override {
    Params named;
    T copy = value;
    copy.fields([&](const char* name, auto& field) {
      named.emplace_back(name, detail::DrawnCodec<std::decay_t<decltype(field)>>::to_value(field));
    });
    return named;
  }

  Status set(std::string_view operation, const Params& given) override {
    Status status;
    std::size_t used = 0;
    value.fields([&](const char* name, auto& field) {
      using Codec = detail::DrawnCodec<std::decay_t<decltype(field)>>;
      bool found = false;
      for (const auto& [key, what] : given) {
        if (key == name) {
          found = true;
          ++used;
          if (status.ok() && !Codec::from_value(what, field)) {
            status = detail::wrong_drawn(operation, name,
                                         "must be " + in_words(Codec::kType) + ", got " + repr(what));
          }
        }
      }
      if (status.ok() && !found) {
        status = detail::wrong_drawn(operation, name, "is missing");
      }
    });
    PENSTOCK_TRY(std::move(status));
    for (const auto& entry : given) {
      bool found = false;
      value.fields([&](const char* name, auto&) { found = found || entry.first == name; });
      if (!found) {
        return detail::unknown_drawn(operation, entry.first);
      }
    }
    return {};
  }

  void save(std::vector<double>& numbers) const override {
    // fields() serves readers and writers alike; this one reads.
    using detail::save_value;
    const_cast<T&>(value).fields([&](const char*, auto& field) { save_value(field, numbers); });
  }
  void load(std::span<const double>& numbers) override {
    using detail::load_value;
    value.fields([&](const char*, auto& field) { load_value(field, numbers); });
  }
};

}  // namespace penstock::inline v0
