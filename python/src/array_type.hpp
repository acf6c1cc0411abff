#pragma once
// Arrays of values that the engine made, and the type of their elements as DLPack names it.

#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "penstock/array_spec.hpp"

namespace penstock::python {

inline nanobind::dlpack::dtype array_type(Scalar type) {
  using nanobind::dlpack::dtype_code;
  const auto bits = static_cast<std::uint8_t>(8 * size_of(type));
  switch (type) {
    case Scalar::boolean:
      return {static_cast<std::uint8_t>(dtype_code::Bool), bits, 1};
    case Scalar::uint8:
    case Scalar::uint16:
    case Scalar::uint32:
    case Scalar::uint64:
      return {static_cast<std::uint8_t>(dtype_code::UInt), bits, 1};
    case Scalar::float16:
    case Scalar::float32:
    case Scalar::float64:
      return {static_cast<std::uint8_t>(dtype_code::Float), bits, 1};
    case Scalar::bfloat16:
      return {static_cast<std::uint8_t>(dtype_code::Bfloat), bits, 1};
    default:
      return {static_cast<std::uint8_t>(dtype_code::Int), bits, 1};
  }
}

/// An array that owns these values.
template <class T>
nanobind::object array_of(std::vector<T> values, const std::vector<std::size_t>& shape,
                          nanobind::dlpack::dtype type) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept, [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy>(kept->data(), shape.size(), shape.data(), owner, nullptr, type));
}

}  // namespace penstock::python
