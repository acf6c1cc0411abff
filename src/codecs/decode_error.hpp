#pragma once
// How codecs say what is wrong with a file.

#include <string>
#include <utility>

#include "penstock/result.hpp"

namespace penstock::inline v0::detail {

/// Of the stage "decode", without a place: the caller knows the sample.
inline Error decode_error(ErrorKind kind, std::string message, std::string advice = {}) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  error.advice = std::move(advice);
  error.place.stage = "decode";
  return error;
}

}  // namespace penstock::inline v0::detail
