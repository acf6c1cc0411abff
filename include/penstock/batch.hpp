#pragma once
// What a Loader delivers: columns of rows in one piece of memory.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "penstock/foreign_stage.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock {

class BatchStorage;

/// A picture of a column whose sizes vary: 3 * width * height elements in the loader's memory format.
struct PictureRow {
  const std::uint8_t* data = nullptr;
  ImageSize size;
};

/// An array of a column whose shapes vary, C-contiguous.
struct ArrayRow {
  const std::uint8_t* data = nullptr;
  std::vector<std::size_t> shape;
};

/// A sound of a column whose lengths vary: for each channel (and band) `frames` values, one after the other.
struct SoundRow {
  const float* data = nullptr;
  std::int64_t frames = 0;
};

/// What the rows of a column of sounds have in common.
struct SoundShape {
  int channels = 0;
  int rate = 0;             ///< frames of the wave per second
  int bands = 0;            ///< rows of features for each channel; 0: a wave
  std::int64_t frames = 0;  ///< of every row; 0: they vary
};

/// One field of the batch. Which members count depends on `shape`.
struct Column {
  enum class Shape : std::uint8_t {
    pictures,      ///< `data`: rows of 3 * width * height elements of `type`
    picture_list,  ///< `pictures`, of elements of `type`
    arrays,        ///< `data`: rows of `extents` elements of `scalar`, as a user's stage returned them
    array_list,    ///< `arrays`, of elements of `scalar`
    sounds,        ///< `data`: rows of float32 as `sound` says; `integers`: frames of each before padding
    sound_list,    ///< `sounds`, as `sound` says; `integers`: frames of each before padding
    integers,      ///< `integers`
    blobs          ///< `blobs`: text, json or bytes of each row
  };
  FieldInfo field;
  Shape shape = Shape::integers;
  ElementType type = ElementType::uint8;
  MemoryFormat format = MemoryFormat::channels_first;
  ImageSize size;
  void* data = nullptr;
  SoundShape sound;
  std::vector<PictureRow> pictures;
  Scalar scalar = Scalar::uint8;
  std::vector<std::size_t> extents;
  std::vector<ArrayRow> arrays;
  std::vector<SoundRow> sounds;
  std::int64_t* integers = nullptr;
  std::vector<ByteSpan> blobs;
};

/// The stored bytes of a batch loaded with decode = false.
struct RawBytes {
  std::span<std::uint8_t> data;
  std::int64_t* offsets = nullptr;
  std::int64_t* sizes = nullptr;
  std::int64_t* heights = nullptr;
  std::int64_t* widths = nullptr;
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
  /// Sample numbers.
  std::span<const std::int64_t> index() const noexcept;
  /// The sample's key; read on demand, so that a file that is gone since is an error.
  Result<std::string> key(std::size_t row) const;
  /// nullptr unless decode = false.
  const RawBytes* raw() const noexcept;

  /// For the pipeline: takes over one reference.
  explicit Batch(BatchStorage* storage) noexcept : storage_(storage) {}
  BatchStorage* storage() const noexcept { return storage_; }

 private:
  BatchStorage* storage_ = nullptr;
};

}  // namespace penstock
