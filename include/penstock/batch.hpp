#pragma once
// What a Loader delivers: columns of rows in one piece of memory.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "penstock/array_spec.hpp"
#include "penstock/field_reading.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

class BatchStorage;

/// A row of a column whose rows differ in shape.
struct ArrayRow {
  const std::uint8_t* data = nullptr;
  Extents shape;
  Scalar type = Scalar::uint8;  ///< that of the column, except for images that are read unchanged
};

/// One field of the batch: for every row an array.
///
///   image              [C, H, W] or [H, W, C], as `format` says; of a counted view [images, ...]
///   audio              float32 [channels, frames] or [channels, bands, frames], with `lengths` and `rate`
///   int, float         int64 and float64 without a dimension
///   text, json, bytes  uint8 [bytes]
///   array              as the source has it; or what a user's stage made of an image
struct Column {
  FieldInfo field;
  ArraySpec spec;                      ///< of each row; kAnyExtent where rows differ
  std::optional<MemoryFormat> format;  ///< of images: where the channels stand; none for other arrays
  int rate = 0;                        ///< of audio: frames of the wave per second
  void* data = nullptr;                ///< all rows, one after the other, where spec.fixed()
  std::size_t row_bytes = 0;           ///< of each of them
  std::vector<ArrayRow> rows;          ///< where not
  std::int64_t* lengths = nullptr;     ///< of audio: frames of each row before padding
  bool padded = false;                 ///< to be had as one array, rows padded with zeros to the largest
  BoxFormat boxes = BoxFormat::xyxy;   ///< of boxes: what their four numbers are

  bool ragged() const noexcept { return !rows.empty(); }
  Extents shape_of(std::size_t row) const noexcept {
    return ragged() ? rows[row].shape : Extents(spec.shape);
  }
  /// The elements of a row.
  ByteSpan bytes_of(std::size_t row) const noexcept {
    const std::size_t bytes = ragged() ? rows[row].shape.elements() * size_of(rows[row].type) : row_bytes;
    return {ragged() ? rows[row].data : static_cast<const std::uint8_t*>(data) + row * bytes, bytes};
  }
  /// The numbers of a column of kind int.
  const std::int64_t* integers() const noexcept { return static_cast<const std::int64_t*>(data); }
};

/// The stored bytes of a batch loaded with decode = false.
struct RawBytes {
  std::span<std::uint8_t> data;
  std::int64_t* offsets = nullptr;
  std::int64_t* sizes = nullptr;
  std::int64_t* heights = nullptr;
  std::int64_t* widths = nullptr;
};

/// What the operations of one list drew for one row.
struct ListParams {
  std::string name;      ///< of the view or field; "": the only list
  bool counted = false;  ///< one of several views of that name
  std::vector<NamedDrawn> operations;
};

/// A counted handle: the memory stays valid and unchanged until the last handle is gone, then it is used
/// again. Handles may be copied and dropped in any thread and may outlive the loader.
class Batch {
 public:
  Batch() = default;
  Batch(const Batch& other) noexcept;
  Batch(Batch&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  Batch& operator=(Batch other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~Batch();

  explicit operator bool() const noexcept { return storage_ != nullptr; }
  std::size_t rows() const noexcept;
  std::uint64_t epoch() const noexcept;
  std::uint64_t step() const noexcept;  ///< number of the batch in its epoch
  const std::vector<Column>& columns() const noexcept;
  /// The column of that name, or nullptr.
  const Column* find(const std::string& name) const noexcept;
  /// Sample numbers: of each row, or of the first part that it is made of.
  std::span<const std::int64_t> index() const noexcept;
  /// The sample's key; read on demand, so that a file that is gone since is an error.
  Result<std::string> key(std::size_t row) const;
  /// nullptr unless decode = false.
  const RawBytes* raw() const noexcept;
  /// What the operations on the row's sample drew, list by list.
  std::vector<ListParams> params(std::size_t row) const;

  /// For the pipeline: takes over one reference.
  explicit Batch(BatchStorage* storage) noexcept : storage_(storage) {}
  BatchStorage* storage() const noexcept { return storage_; }

 private:
  BatchStorage* storage_ = nullptr;
};

}  // namespace penstock::inline v0
