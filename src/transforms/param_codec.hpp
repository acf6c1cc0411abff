#pragma once
// How each C++ type of parameter looks to a caller who has only ParamValue, Python above all.
//
// ParamCodec<T>: kType, the type as Python writes it; to_value and from_value (false: not such a value);
// missing, whether a default-made value means that the caller must give one.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/audio.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

/// A type as messages say it: "int | Sequence[int]" is "an integer or a sequence of integers".
std::string in_words(std::string_view type);

template <class T>
struct ParamCodec;

namespace detail {

inline bool narrow(std::int64_t number, int& out) {
  out = static_cast<int>(number);
  return out == number;
}

inline bool as_int(const ParamValue& value, int& out) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && narrow(*number, out);
}

inline bool as_double(const ParamValue& value, double& out) {
  if (const auto* real = std::get_if<double>(&value)) {
    out = *real;
    return true;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    out = static_cast<double>(*whole);
    return true;
  }
  return false;
}

/// One whole number, or a list of them.
inline bool as_ints(const ParamValue& value, std::vector<int>& out) {
  out.clear();
  if (int one = 0; as_int(value, one)) {
    out.push_back(one);
    return true;
  }
  const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
  if (list == nullptr) {
    return false;
  }
  for (const std::int64_t number : *list) {
    if (!narrow(number, out.emplace_back())) {
      return false;
    }
  }
  return true;
}

inline bool as_doubles(const ParamValue& value, std::vector<double>& out) {
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value)) {
    out.assign(whole->begin(), whole->end());
    return true;
  }
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (list != nullptr) {
    out = *list;
  }
  return list != nullptr;
}

}  // namespace detail

template <>
struct ParamCodec<bool> {
  static constexpr std::string_view kType = "bool";
  static ParamValue to_value(bool value) { return value; }
  static bool from_value(const ParamValue& value, bool& out) {
    const auto* truth = std::get_if<bool>(&value);
    out = truth != nullptr && *truth;
    return truth != nullptr;
  }
  static bool missing(bool) { return false; }
};

template <>
struct ParamCodec<double> {
  static constexpr std::string_view kType = "float";
  static ParamValue to_value(double value) { return value; }
  static bool from_value(const ParamValue& value, double& out) { return detail::as_double(value, out); }
  static bool missing(double) { return false; }
};

template <>
struct ParamCodec<int> {
  static constexpr std::string_view kType = "int";
  static ParamValue to_value(int value) { return std::int64_t{value}; }
  static bool from_value(const ParamValue& value, int& out) { return detail::as_int(value, out); }
  static bool missing(int value) { return value == 0; }
};

template <>
struct ParamCodec<std::optional<double>> {
  static constexpr std::string_view kType = "float | None";
  static ParamValue to_value(const std::optional<double>& value) {
    return value ? ParamValue(*value) : ParamValue();
  }
  static bool from_value(const ParamValue& value, std::optional<double>& out) {
    out.reset();
    if (std::holds_alternative<std::monostate>(value)) {
      return true;
    }
    return detail::as_double(value, out.emplace());
  }
  static bool missing(const std::optional<double>&) { return false; }
};

template <>
struct ParamCodec<std::optional<int>> {
  static constexpr std::string_view kType = "int | None";
  static ParamValue to_value(const std::optional<int>& value) {
    return value ? ParamValue(std::int64_t{*value}) : ParamValue();
  }
  static bool from_value(const ParamValue& value, std::optional<int>& out) {
    out.reset();
    if (std::holds_alternative<std::monostate>(value)) {
      return true;
    }
    return detail::as_int(value, out.emplace());
  }
  static bool missing(const std::optional<int>&) { return false; }
};

template <>
struct ParamCodec<std::optional<std::array<double, 2>>> {
  static constexpr std::string_view kType = "Sequence[float] | None";
  static ParamValue to_value(const std::optional<std::array<double, 2>>& pair) {
    return pair ? ParamValue(std::vector<double>(pair->begin(), pair->end())) : ParamValue();
  }
  static bool from_value(const ParamValue& value, std::optional<std::array<double, 2>>& out) {
    out.reset();
    if (std::holds_alternative<std::monostate>(value)) {
      return true;
    }
    std::vector<double> list;
    if (!detail::as_doubles(value, list) || list.size() != 2) {
      return false;
    }
    out = {list[0], list[1]};
    return true;
  }
  static bool missing(const std::optional<std::array<double, 2>>&) { return false; }
};

/// A number, a pair of them, or None.
template <>
struct ParamCodec<std::optional<std::vector<double>>> {
  static constexpr std::string_view kType = "float | Sequence[float] | None";
  static ParamValue to_value(const std::optional<std::vector<double>>& list) {
    if (!list) {
      return {};
    }
    return list->size() == 1 ? ParamValue(list->front()) : ParamValue(*list);
  }
  static bool from_value(const ParamValue& value, std::optional<std::vector<double>>& out) {
    out.reset();
    if (std::holds_alternative<std::monostate>(value)) {
      return true;
    }
    if (double one = 0; detail::as_double(value, one)) {
      out = {one};
      return true;
    }
    return detail::as_doubles(value, out.emplace()) && !out->empty();
  }
  static bool missing(const std::optional<std::vector<double>>&) { return false; }
};

/// Operations that must be given.
template <>
struct ParamCodec<HeldOperations> {
  static constexpr std::string_view kType = "Sequence[Transform]";
  static ParamValue to_value(const HeldOperations& held) { return held; }
  static bool from_value(const ParamValue& value, HeldOperations& out) {
    const auto* held = std::get_if<HeldOperations>(&value);
    out = held != nullptr ? *held : HeldOperations();
    return !out.list.empty() && std::find(out.list.begin(), out.list.end(), nullptr) == out.list.end();
  }
  static bool missing(const HeldOperations& held) { return held.list.empty(); }
};

/// What pixels become: the same for all, one for each channel, or noise.
struct NumbersOrRandom {
  bool random = false;
  std::vector<double> numbers;

  bool operator==(const NumbersOrRandom&) const = default;
};

template <>
struct ParamCodec<NumbersOrRandom> {
  static constexpr std::string_view kType = "float | Sequence[float] | Literal['random']";
  static ParamValue to_value(const NumbersOrRandom& value) {
    if (value.random) {
      return std::string("random");
    }
    return value.numbers.size() == 1 ? ParamValue(value.numbers[0]) : ParamValue(value.numbers);
  }
  static bool from_value(const ParamValue& value, NumbersOrRandom& out) {
    out = {};
    if (const auto* text = std::get_if<std::string>(&value)) {
      out.random = true;
      return *text == "random";
    }
    out.numbers.resize(1);
    return detail::as_double(value, out.numbers[0]) ||
           (detail::as_doubles(value, out.numbers) && !out.numbers.empty());
  }
  static bool missing(const NumbersOrRandom&) { return false; }
};

template <>
struct ParamCodec<transforms::Size> {
  static constexpr std::string_view kType = "int | Sequence[int]";
  static ParamValue to_value(const transforms::Size& size) {
    if (size.width == 0) {
      return std::int64_t{size.height};
    }
    return std::vector<std::int64_t>{size.height, size.width};
  }
  static bool from_value(const ParamValue& value, transforms::Size& out) {
    std::vector<int> numbers;
    if (!detail::as_ints(value, numbers) || numbers.empty() || numbers.size() > 2) {
      return false;
    }
    if (numbers.size() == 2 && numbers[1] == 0) {
      return false;  // would read as "only one number"
    }
    out = numbers.size() == 1 ? transforms::Size(numbers[0]) : transforms::Size(numbers[0], numbers[1]);
    return true;
  }
  static bool missing(const transforms::Size& size) { return size == transforms::Size{}; }
};

template <>
struct ParamCodec<transforms::SizeOrNone> {
  using Codec = ParamCodec<transforms::Size>;
  static constexpr std::string_view kType = "int | Sequence[int] | None";
  static ParamValue to_value(const transforms::SizeOrNone& size) {
    return size.none ? ParamValue() : Codec::to_value(size);
  }
  static bool from_value(const ParamValue& value, transforms::SizeOrNone& out) {
    if (std::holds_alternative<std::monostate>(value)) {
      out = transforms::SizeOrNone::nothing();
      return true;
    }
    out.none = false;
    return Codec::from_value(value, out);
  }
  static bool missing(const transforms::SizeOrNone& size) { return size == transforms::SizeOrNone{}; }
};

template <>
struct ParamCodec<std::array<double, 2>> {
  static constexpr std::string_view kType = "Sequence[float]";
  static ParamValue to_value(const std::array<double, 2>& pair) {
    return std::vector<double>(pair.begin(), pair.end());
  }
  static bool from_value(const ParamValue& value, std::array<double, 2>& out) {
    std::vector<double> list;
    if (!detail::as_doubles(value, list) || list.size() != 2) {
      return false;
    }
    out = {list[0], list[1]};
    return true;
  }
  static bool missing(const std::array<double, 2>&) { return false; }
};

/// One number for all channels or one for each; must be given.
template <>
struct ParamCodec<std::vector<double>> {
  static constexpr std::string_view kType = "float | Sequence[float]";
  static ParamValue to_value(const std::vector<double>& list) { return list; }
  static bool from_value(const ParamValue& value, std::vector<double>& out) {
    if (detail::as_doubles(value, out)) {
      return !out.empty();
    }
    out.resize(1);
    return detail::as_double(value, out[0]);
  }
  static bool missing(const std::vector<double>& list) { return list.empty(); }
};

/// One whole number or several; none at all is None.
template <>
struct ParamCodec<std::vector<int>> {
  static constexpr std::string_view kType = "int | Sequence[int] | None";
  static ParamValue to_value(const std::vector<int>& list) {
    if (list.empty()) {
      return {};
    }
    if (list.size() == 1) {
      return std::int64_t{list[0]};
    }
    return std::vector<std::int64_t>(list.begin(), list.end());
  }
  static bool from_value(const ParamValue& value, std::vector<int>& out) {
    out.clear();
    return std::holds_alternative<std::monostate>(value) || (detail::as_ints(value, out) && !out.empty());
  }
  static bool missing(const std::vector<int>&) { return false; }
};

/// An enum written as one of a few words.
template <class Enum>
struct EnumNames;

template <>
struct EnumNames<transforms::Interpolation> {
  static constexpr std::array<std::string_view, 6> kNames = {"nearest", "box",     "bilinear",
                                                             "hamming", "bicubic", "lanczos"};
  static constexpr std::string_view kType =
      "Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos']";
};

template <>
struct EnumNames<transforms::PaddingMode> {
  static constexpr std::array<std::string_view, 4> kNames = {"constant", "edge", "reflect", "symmetric"};
  static constexpr std::string_view kType = "Literal['constant', 'edge', 'reflect', 'symmetric']";
};

template <>
struct EnumNames<AudioWindow> {
  static constexpr std::array<std::string_view, 5> kNames = {"hann", "hamming", "blackman", "bartlett",
                                                             "rectangular"};
  static constexpr std::string_view kType =
      "Literal['hann', 'hamming', 'blackman', 'bartlett', 'rectangular']";
};

template <>
struct EnumNames<AudioPadding> {
  static constexpr std::array<std::string_view, 3> kNames = {"constant", "reflect", "edge"};
  static constexpr std::string_view kType = "Literal['constant', 'reflect', 'edge']";
};

/// As librosa has it: no norm is None.
template <>
struct ParamCodec<MelNorm> {
  static constexpr std::string_view kType = "Literal['slaney'] | None";
  static ParamValue to_value(MelNorm norm) {
    return norm == MelNorm::none ? ParamValue() : ParamValue(std::string(name_of(norm)));
  }
  static bool from_value(const ParamValue& value, MelNorm& out) {
    const auto* text = std::get_if<std::string>(&value);
    out = text != nullptr ? MelNorm::slaney : MelNorm::none;
    return text != nullptr ? *text == name_of(MelNorm::slaney)
                           : std::holds_alternative<std::monostate>(value);
  }
  static bool missing(MelNorm) { return false; }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct ParamCodec<Enum> {
  static constexpr std::string_view kType = EnumNames<Enum>::kType;
  static ParamValue to_value(Enum value) {
    return std::string(EnumNames<Enum>::kNames[static_cast<std::size_t>(value)]);
  }
  static bool from_value(const ParamValue& value, Enum& out) {
    const auto* text = std::get_if<std::string>(&value);
    for (std::size_t i = 0; text != nullptr && i < EnumNames<Enum>::kNames.size(); ++i) {
      if (*text == EnumNames<Enum>::kNames[i]) {
        out = static_cast<Enum>(i);
        return true;
      }
    }
    return false;
  }
  static bool missing(Enum) { return false; }
};

}  // namespace penstock::inline v0
