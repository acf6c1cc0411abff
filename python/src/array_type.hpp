#pragma once
// The type of an array's elements as DLPack names it.

#include <nanobind/ndarray.h>

#include <cstdint>

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

}  // namespace penstock::python
