#pragma once
// What files begin with: for telling users what they gave, where it is nothing that can be read.

#include <span>
#include <string>
#include <string_view>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// A kind of file by its bytes from `offset` on.
struct Signature {
  const char* name;
  std::size_t offset;
  std::string_view bytes;
};

/// The name of the first kind that `file` is; null if it is none.
const char* name_of_content(ByteSpan file, std::span<const Signature> kinds);

bool is_markup(ByteSpan file);

/// "ff d8 ff e0": up to eight.
std::string first_bytes(ByteSpan file);

}  // namespace penstock::inline v0
