#pragma once
// What files begin with: for telling users what they gave, where it is nothing that can be read.

#include <span>
#include <string_view>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// A kind of file by its bytes from `offset` on.
struct Signature {
  const char* name;
  std::size_t offset;
  std::string_view bytes;
  std::string_view extension = {};  ///< that such a file gets where it needs a name; empty: none
};

/// The first kind that `file` is; null if it is none.
const Signature* signature_of(ByteSpan file, std::span<const Signature> kinds) noexcept;

/// Why a file that no codec recognises cannot be decoded: `unsupported` with the name of what it is, or
/// `corrupt` with its first bytes. `what`: "image"; `known`: "JPEG, PNG or WebP".
Error describe_content(ByteSpan file, std::span<const Signature> others, const char* what, const char* known);

}  // namespace penstock::inline v0
