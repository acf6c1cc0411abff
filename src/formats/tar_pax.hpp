#pragma once
// The records of a PAX extended header: "LEN key=value\n".

#include <optional>
#include <string_view>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

struct PaxRecord {
  std::string_view key;
  std::string_view value;
};

/// Walks the records in place, without a heap. Views live as long as the data.
class PaxRecords {
 public:
  explicit PaxRecords(ByteSpan data) noexcept
      : rest_(reinterpret_cast<const char*>(data.data()), data.size()) {}

  /// The next record, or nothing at the end or at a fault.
  std::optional<PaxRecord> next() noexcept;
  /// Why the walk stopped early, or empty.
  std::string_view fault() const noexcept { return fault_; }

 private:
  std::string_view rest_;
  std::string_view fault_;
};

}  // namespace penstock::inline v0
