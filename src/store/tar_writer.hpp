#pragma once
// Writes tar shards: ustar, with a pax header where a name or size needs one.

#include <cstdint>
#include <string>
#include <string_view>

#include "io/folder.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Owner, group and times are 0, so that the same members give the same bytes. One thread.
class TarWriter {
 public:
  static Result<TarWriter> create(const Folder& folder, const std::string& name);

  /// A name that readers would refuse (TarReader) is `unsupported`, and nothing is written.
  Status add(std::string_view name, ByteSpan bytes);
  /// The end marks; on disk when it returns.
  Status finish();
  std::uint64_t size() const noexcept { return file_.size(); }
  /// Bytes that a member of that size takes, its headers included (at most).
  static std::uint64_t room_for(std::uint64_t size) noexcept;

 private:
  explicit TarWriter(DiskFile file) : file_(std::move(file)) {}
  Status add_member(std::string_view name, ByteSpan bytes, char type);

  DiskFile file_;
};

}  // namespace penstock::inline v0
