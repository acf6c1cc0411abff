#pragma once
// A data set: samples by number, read in place.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "penstock/array_spec.hpp"
#include "penstock/field_reading.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

class SampleTable;
class Storages;

struct DatasetOptions {
  /// {name, extension} of each field, in order; empty = every field that all samples have.
  std::vector<std::pair<std::string, std::string>> fields;
  /// Larger images are refused by at().
  std::uint64_t max_pixels = 178'956'970;
  /// By the name of a field in `fields`.
  FieldReadings readings{};
  /// For the pipeline: where the names of sources lead; null: local files.
  std::shared_ptr<const Storages> storages{};
};

/// A decoded field. Which members count depends on `kind`.
struct Value {
  FieldKind kind = FieldKind::bytes;
  std::vector<std::uint8_t> bytes;  ///< image, array: the elements; others: as stored
  ImageSize size;                   ///< image
  std::int64_t integer = 0;         ///< int
  double real = 0;                  ///< float
  std::vector<float> samples;       ///< audio: every channel's, one after the other
  int channels = 0;                 ///< audio
  int rate = 0;                     ///< audio: samples of a channel per second
  ArraySpec array;                  ///< image: [H, W, C], of a mask [H, W]; array
  std::string lost;                 ///< image: what RGB does not have of it, and what to ask for, or empty
};

/// Read-only, cheap to copy (copies share the index and the mapped files). Any thread may use it.
class Dataset {
 public:
  /// Opens paths, globs or brace patterns; what they hold is recognised from content.
  static Result<Dataset> open(const std::vector<std::string>& sources, const DatasetOptions& options = {});
  static Result<Dataset> open(const std::string& source, const DatasetOptions& options = {}) {
    return open(std::vector<std::string>{source}, options);
  }
  /// A data set over samples that somebody else made: a format of one's own.
  static Dataset of(std::shared_ptr<const SampleTable> table, std::string description,
                    const DatasetOptions& options = {});

  std::uint64_t size() const noexcept;
  const std::vector<FieldInfo>& fields() const noexcept;
  /// Class names of class folders and of HDF5 files, else empty.
  const std::vector<std::string>& classes() const noexcept;
  /// Hash of the ordered (key, field name, original byte size) of all samples, 32 hex digits.
  std::string fingerprint() const;
  /// What the user should know about the source, a line each.
  const std::vector<std::string>& warnings() const noexcept;
  /// Larger images are refused by at(), and by loaders that set no limit of their own.
  std::uint64_t max_pixels() const noexcept;
  /// The sources as the user named them, joined.
  const std::string& description() const noexcept;

  Result<std::string> key(std::uint64_t sample) const;
  /// How a field is read.
  const FieldReading& reading(std::size_t field) const noexcept;
  /// Decoded fields by name; labels of boxes as `<name>_labels`.
  Result<std::map<std::string, Value>> at(std::uint64_t sample) const;
  /// The original files by field name, rebuilt where they are stored in another form; numbers without a file
  /// of their own are given as decimal text.
  Result<std::map<std::string, std::vector<std::uint8_t>>> raw(std::uint64_t sample) const;

  /// For the pipeline.
  const std::shared_ptr<const SampleTable>& table() const noexcept;

 private:
  struct Impl;
  explicit Dataset(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  Status check(std::uint64_t sample) const;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace penstock::inline v0
