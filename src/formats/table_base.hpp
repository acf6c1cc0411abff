#pragma once
// What tables of files have in common: the choice of fields, and reading by way of where values lie.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/sample_table.hpp"
#include "io/source.hpp"

namespace penstock::inline v0 {

/// A field of a table, and which of the format's own fields it is.
struct ChosenField {
  FieldSpec spec;
  std::size_t number = 0;
};

/// Without a choice all of them. A choice names a field, or what `alias` makes one of; it is `invalid` if
/// there is none of that name: "<owner> has no field ...".
Result<std::vector<ChosenField>> choose_fields(
    const std::vector<FieldSpec>& all, const FieldChoice& choice, const std::string& owner,
    const std::string& source, const std::function<std::string(const std::string&)>& alias = {});

/// `invalid` if a name is empty or chosen twice.
Status check_field_choice(const FieldChoice& choice);

/// As SampleTable. A format says how many samples there are, where a value lies and what it is.
class TableBase : public SampleTable {
 public:
  const std::vector<FieldInfo>& fields() const noexcept final { return fields_; }
  const std::vector<std::string>& classes() const noexcept final { return classes_; }
  const std::vector<std::string>& warnings() const noexcept final { return warnings_; }
  FieldSpec spec(std::size_t field) const final {
    return field < specs_.size() ? specs_[field] : FieldSpec();
  }
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const final;
  Result<StoredValue> finish(std::uint64_t sample, std::size_t field, Bytes bytes) const final;
  Result<Bytes> unpack(std::uint64_t id, const Bytes& packed) const final;
  void will_read(std::uint64_t sample, std::span<const std::size_t> fields) const final;

 protected:
  TableBase(std::vector<FieldSpec> specs, std::vector<std::string> classes,
            std::vector<std::string> warnings);

  /// Where a value will be read, for a hint: as the index says, of which nothing is checked, and without
  /// looking at the value. Numbers may be out of range. Nothing if there is no hint to give.
  virtual std::optional<Extent> expected_at(std::uint64_t /*sample*/, std::size_t /*field*/) const {
    return {};
  }
  /// The bytes of an extent that locate() gave, of an object that open_source() does not give.
  virtual Result<Bytes> fetch(const Extent& extent) const;
  /// finish(), of bytes whose length is right. By itself it makes numbers of Encoding::number, and leaves all
  /// others as they are.
  virtual Result<StoredValue> make_value(std::uint64_t sample, std::size_t field, Bytes bytes) const;
  /// unpack(), to at most `max_size` bytes: it takes no more memory than that, and `packed` may be anything.
  virtual Result<Bytes> unpack_block(std::uint64_t id, const Bytes& packed, std::uint64_t max_size) const;
  /// `invalid` unless there are such a sample and field.
  Status check_numbers(std::uint64_t sample, std::size_t field, const std::string& source) const;

  std::vector<std::string> warnings_;
  /// What the arrays of a field are, once the table can be read.
  void set_array(std::size_t field, ArraySpec array) { specs_[field].array = std::move(array); }

 private:
  Result<Bytes> bytes_in(const Extent& extent) const;
  Result<Bytes> bytes_at(Location&& where) const;
  void fetch_ahead(const Extent& extent) const;

  std::vector<FieldSpec> specs_;
  std::vector<FieldInfo> fields_;
  std::vector<std::string> classes_;
};

}  // namespace penstock::inline v0
