#pragma once
// Several tables as the source of one loader's rows.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/sample_table.hpp"
#include "penstock/dataset.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// One of the tables that RowPart::table counts.
struct RowTable {
  const SampleTable* table = nullptr;
  std::uint64_t first =
      0;  ///< the number of its first sample among those of all: batches, errors and keys count them so
};

/// The samples of several tables with the same fields, one table after the other. Rows are read from the
/// tables themselves; this is what they are to everyone who knows of one table only: plans, keys,
/// fingerprints.
class JoinedTable final : public SampleTable {
 public:
  /// `invalid` unless fields and classes are the same in all. At least one.
  static Result<std::shared_ptr<const JoinedTable>> make(
      std::vector<std::shared_ptr<const SampleTable>> tables);

  const std::vector<RowTable>& tables() const noexcept { return numbered_; }

  std::uint64_t size() const noexcept override { return size_; }
  const std::vector<FieldInfo>& fields() const noexcept override { return front().fields(); }
  const std::vector<std::string>& classes() const noexcept override { return front().classes(); }
  std::string key(std::uint64_t sample) const override;
  Status check_keys() const override;
  Status check_lookups(std::uint64_t sample) const override;
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override;
  void will_read(std::uint64_t sample, std::span<const std::size_t> fields) const override;
  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override;
  ImageSize image_size(std::uint64_t sample, std::size_t field) const override;
  ImageSize one_size(std::size_t field) const override;
  FieldSpec spec(std::size_t field) const override { return front().spec(field); }
  Place place(std::uint64_t sample, std::size_t field) const override;
  std::vector<std::uint64_t> shard_starts() const override;
  std::string fingerprint() const override;
  std::string identity() const override;
  const std::vector<std::string>& warnings() const noexcept override { return warnings_; }

 private:
  explicit JoinedTable(std::vector<std::shared_ptr<const SampleTable>> tables);
  template <class What>
  std::string hash_of_all(What what) const;
  const SampleTable& front() const noexcept { return *tables_.front(); }
  /// The table that has the sample, and its number there.
  std::pair<const SampleTable&, std::uint64_t> find(std::uint64_t sample) const noexcept;

  std::vector<std::shared_ptr<const SampleTable>> tables_;
  std::vector<RowTable> numbered_;
  std::vector<std::string> warnings_;
  std::uint64_t size_ = 0;
};

/// The tables that a table was joined of, or itself. They live as long as it does.
std::vector<RowTable> row_tables(const SampleTable& table);

/// One data set of several; `invalid` unless they have the same fields, read alike, and the same classes.
Result<Dataset> join(const std::vector<Dataset>& datasets);

}  // namespace penstock::inline v0
