#pragma once
// Bytes that are already in memory, as a source.

#include <string>
#include <vector>

#include "io/source.hpp"

namespace penstock::inline v0 {

/// Owns its bytes and hands out views of them. Any number of threads.
class MemorySource final : public Source {
 public:
  MemorySource(std::string name, std::vector<std::uint8_t> bytes) noexcept
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size, Scratch& scratch) const override;
  void advise(Access, std::uint64_t, std::uint64_t) const noexcept override {}

 private:
  std::string name_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace penstock::inline v0
