#pragma once
// What tells a source from another one, and from itself after a change.

#include <string>
#include <string_view>

#include "core/sha256.hpp"
#include "io/file.hpp"

namespace penstock::inline v0 {

/// Hash over the path and the identity of every file that samples are read from, in order. Two sources with
/// equal hashes have had the same bytes, unless somebody set the clock back. One owner.
class SourceIdentity {
 public:
  /// `path`: from the root on.
  SourceIdentity& add(std::string_view path, const FileIdentity& file);
  /// 64 hex digits.
  std::string finish();

 private:
  Sha256 hash_;
};

}  // namespace penstock::inline v0
