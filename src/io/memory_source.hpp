#pragma once
// Bytes that are already in memory, as a source.

#include <string>
#include <utility>
#include <vector>

#include "io/source.hpp"

namespace penstock::inline v0 {

/// Owns its bytes and lends them. Any number of threads.
class MemorySource final : public Source {
 public:
  MemorySource(std::string name, std::vector<std::uint8_t> bytes)
      : MemorySource(std::move(name), Bytes::own(std::move(bytes))) {}
  /// `bytes`: held.
  MemorySource(std::string name, Bytes bytes, std::string tag = {})
      : name_(std::move(name)), bytes_(std::move(bytes)) {
    identity_.size = bytes_.size();
    identity_.tag = std::move(tag);
  }

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  const FileIdentity& identity() const noexcept override { return identity_; }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size) const override;

 private:
  std::string name_;
  Bytes bytes_;
  FileIdentity identity_;
};

}  // namespace penstock::inline v0
