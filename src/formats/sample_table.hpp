#pragma once
// What every format gives: samples by number, each with the same fields.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codecs/encoded_image.hpp"
#include "core/pixel_layout.hpp"
#include "formats/named_path.hpp"
#include "io/bytes.hpp"
#include "io/storage.hpp"
#include "penstock/array_spec.hpp"
#include "penstock/field_reading.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Longer keys are refused wherever they are read.
inline constexpr std::size_t kMaxKeyBytes = 64 * 1024;

/// What the stored bytes of a field are.
enum class StoredCodec : std::uint8_t {
  original,  ///< the file as it was in the source
  repacked,  ///< a JPEG file's coefficients in our own layout
  pixels     ///< the pixels of an image
};

/// What a field holds, for all samples at once.
struct FieldSpec : FieldInfo {
  /// How the bytes of a value are to be understood.
  enum class Encoding : std::uint8_t {
    file,    ///< as the file was in the source: of the formats of its kind, or any bytes
    record,  ///< as each record says (StoredValue::codec): a file, coefficients or pixels
    values,  ///< the elements one after the other, little-endian, the last axis fastest; of extents only the
             ///< first may differ, which is as many as there are bytes for
    npy,     ///< an .npy file
    number,  ///< one, little-endian, of the type `number_type`; or as the table itself knows it
    text     ///< a number or words in UTF-8
  };
  Encoding encoding = Encoding::file;
  /// What every value is once it is decoded, kAnyExtent where they differ; none if only decoding tells.
  std::optional<ArraySpec> array{};
  Scalar number_type = Scalar::int64;  ///< Encoding::number: of its bytes
  FieldReading reading{};              ///< how values are read, unless the user says how
  std::string chosen_by{};             ///< the user's word for it in `fields`; empty: its name

  /// What `fields` has to say for it.
  const std::string& choice() const noexcept { return chosen_by.empty() ? name : chosen_by; }

  static FieldSpec of(FieldInfo info, Encoding encoding = Encoding::file) {
    return {std::move(info), encoding, std::nullopt};
  }
  static FieldSpec of_number(FieldInfo info, Scalar type) {
    return {std::move(info), Encoding::number, std::nullopt, type};
  }
  static FieldSpec of_array(std::string name, ArraySpec array) {
    return {{std::move(name), FieldKind::array}, Encoding::values, std::move(array)};
  }

  /// `corrupt` unless a value may have that many bytes.
  Status check_length(std::uint64_t bytes) const;
  /// Encoding::values: the shape of the array of that many bytes, if check_length() agrees.
  Extents shape_of_length(std::uint64_t bytes) const noexcept;

  bool operator==(const FieldSpec&) const = default;
};

/// Bytes of an object that the samples lie in.
struct Extent {
  static constexpr std::uint64_t kWhole = ~std::uint64_t{0};  ///< a size: to the end of the object

  std::uint64_t source = 0;  ///< SampleTable::object() names it
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  bool operator==(const Extent&) const = default;
};

/// Bytes of a block that is compressed as a whole, where they are in it once it is unpacked:
/// SampleTable::locate_block(), then unpack().
struct Block {
  std::uint64_t id = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// A block as it is stored.
struct PackedBlock {
  Extent packed;
  std::uint64_t max_size = 0;  ///< bytes that it has at most when it is unpacked
};

/// A number: an integer, or a value of kind float.
using Number = std::variant<std::int64_t, double>;

/// Where a value lies: in an object, in a block of one, or (a number, or bytes of its own) in the table
/// itself.
using Location = std::variant<Extent, Block, Number, Bytes>;

/// A field as stored: bytes, or a number that has no file of its own (the label of a class folder).
struct StoredValue {
  Bytes bytes;
  std::optional<Number> number{};
  StoredCodec codec = StoredCodec::original;
  Bytes tables = {};  ///< repacked: the code tables, which live as long as the sample table
  /// pixels: what the index knows of them; nothing: a header of penstock's own stands before them.
  std::optional<PixelsSpec> pixels{};

  /// For a decoder, while this value is valid.
  EncodedImage image() const noexcept { return {ByteSpan(bytes), ByteSpan(tables), pixels}; }
  /// Bytes::intact() of both.
  Status intact() const {
    PENSTOCK_TRY(tables.intact());
    return bytes.intact();
  }
};

/// Read-only, immutable after opening; every member may be called from any number of threads at once.
class SampleTable {
 public:
  virtual ~SampleTable() = default;

  virtual std::uint64_t size() const noexcept = 0;
  virtual const std::vector<FieldInfo>& fields() const noexcept = 0;
  /// Class names of class folders and of HDF5 files, else empty.
  virtual const std::vector<std::string>& classes() const noexcept = 0;
  /// For messages. What depends on the key being right uses checked_key().
  virtual std::string key(std::uint64_t sample) const = 0;
  /// The key, or why it cannot be known any more.
  Result<std::string> checked_key(std::uint64_t sample) const {
    std::string key = this->key(sample);
    PENSTOCK_TRY(check_lookups(sample));
    return key;
  }
  /// Before all keys are held in memory: `corrupt` if they would take more of it than the files do. Looks at
  /// every sample.
  virtual Status check_keys() const { return {}; }
  /// To be asked after key(), stored_size(), image_size() or place(): Bytes::intact() of what they looked at.
  virtual Status check_lookups(std::uint64_t /*sample*/) const { return {}; }
  /// The bytes as they are stored. They live as long as the table (Bytes::hold() lets them outlive it), and
  /// may prove not to be intact when they are used: use_value() sees to that. Numbers, and whatever was
  /// looked up on the way, are intact. A chosen field that this sample lacks is `corrupt`.
  virtual Result<StoredValue> read(std::uint64_t sample, std::size_t field) const = 0;
  /// A hint that these fields will be read soon, and not their neighbours: the system then fetches their
  /// bytes ahead, and no others.
  virtual void will_read(std::uint64_t /*sample*/, std::span<const std::size_t> /*fields*/) const {}
  /// Byte size of the field as it was in the source, from the index alone (numbers count 8; a lacking field
  /// 0).
  virtual std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const = 0;
  /// Size of the image if the index holds it, else {0, 0}.
  virtual ImageSize image_size(std::uint64_t sample, std::size_t field) const = 0;
  /// The size that all images of the field have, if the index knows that they have one, else {0, 0}. Looks at
  /// samples until two differ.
  virtual ImageSize one_size(std::size_t field) const {
    const ImageSize first = size() > 0 ? image_size(0, field) : ImageSize{};
    for (std::uint64_t sample = 1; first.width > 0 && sample < size(); ++sample) {
      if (image_size(sample, field) != first) {
        return {};
      }
    }
    return first;
  }
  /// What is known of a field of fields() besides its name and kind.
  virtual FieldSpec spec(std::size_t field) const { return FieldSpec::of(fields()[field]); }
  /// Where a value lies, from what was read at opening alone: nothing is fetched. read() is this, then
  /// fetching, then finish(): a stage that fetches ahead, many at once, does the same. `unsupported` for
  /// tables whose values lie nowhere. A chosen field that this sample lacks is `corrupt`.
  virtual Result<Location> locate(std::uint64_t sample, std::size_t field) const;
  /// The object that Extent::source numbers.
  virtual NamedPath object(std::uint64_t source) const;
  /// The same as it was opened with the table, which keeps it; null if it is opened for each read.
  virtual Result<const Source*> open_source(std::uint64_t /*source*/) const { return nullptr; }
  /// Where the block lies that Block::id numbers.
  virtual Result<PackedBlock> locate_block(std::uint64_t id) const;
  /// A block whose packed bytes have been fetched, held. `corrupt` if it has more than PackedBlock::max_size.
  virtual Result<Bytes> unpack(std::uint64_t id, const Bytes& packed) const;
  /// What becomes of the bytes that locate() named, wherever they were fetched from: their length is compared
  /// with the field's spec, the format checks the rest and adds all that is needed to decode them.
  virtual Result<StoredValue> finish(std::uint64_t sample, std::size_t field, Bytes bytes) const;
  virtual Place place(std::uint64_t sample, std::size_t field) const = 0;
  /// The first sample of each shard, ascending, the first 0: samples of a shard lie together and are cheapest
  /// read together. Empty if there are no shards.
  virtual std::vector<std::uint64_t> shard_starts() const { return {}; }
  /// Hash over the ordered (key, field name, stored size) of all samples, 32 hex digits; from the index
  /// alone.
  virtual std::string fingerprint() const = 0;
  /// What the files that samples are read from are now, or were when they were opened if they stay open: a
  /// hash over path, size, times and inode of each (SourceIdentity). Empty for samples without files.
  virtual std::string identity() const { return {}; }
  /// Things worth telling the user once: a key that returns, a shard without samples. At most a few lines.
  virtual const std::vector<std::string>& warnings() const noexcept = 0;
};

/// Reads a field and hands it to `use`, a function of a StoredValue that returns a Status. Whatever it made
/// of bytes that were not intact is an error. Before that it may be called once more: a table that has the
/// value from elsewhere too (a cache) gives that when it is asked again.
template <class Use>
Status use_value(const SampleTable& table, std::uint64_t sample, std::size_t field, Use&& use) {
  PENSTOCK_ASSIGN(const StoredValue value, table.read(sample, field));
  Status used = use(value);
  if (value.intact().ok()) {
    return used;
  }
  PENSTOCK_ASSIGN(const StoredValue again, table.read(sample, field));
  PENSTOCK_TRY(again.intact());
  used = use(again);
  PENSTOCK_TRY(again.intact());
  return used;
}

/// What the arrays of fields of kind array are, and how they are stored, by the name of the field.
struct StoredArrays {
  ArraySpec spec;
  bool npy = false;  ///< FieldSpec::Encoding::npy; values if not

  bool operator==(const StoredArrays&) const = default;
};
using ArraySpecs = std::map<std::string, StoredArrays>;
inline ArraySpecs arrays_of(const SampleTable& table) {
  ArraySpecs arrays;
  for (std::size_t field = 0; field < table.fields().size(); ++field) {
    if (table.fields()[field].kind == FieldKind::array) {
      const FieldSpec spec = table.spec(field);
      arrays.emplace(spec.name, StoredArrays{*spec.array, spec.encoding == FieldSpec::Encoding::npy});
    }
  }
  return arrays;
}

/// How each field is read: as `given` says, or as the table does.
std::vector<FieldReading> readings_of(const SampleTable& table, const FieldReadings& given);

/// The first sample of each of `shards` that has one, found in few looks at shard_of(sample), which does not
/// fall. Ascending even where a damaged index makes it fall.
template <class ShardOf>
std::vector<std::uint64_t> find_shard_starts(std::uint64_t samples, std::uint64_t shards,
                                             ShardOf&& shard_of) {
  std::vector<std::uint64_t> starts;
  std::uint64_t begin = 0;
  for (std::uint64_t shard = 0; shard < shards && begin < samples; ++shard) {
    std::uint64_t end = samples;  // the first sample of a later shard is in [low, end]
    for (std::uint64_t low = begin; low < end;) {
      const std::uint64_t middle = low + (end - low) / 2;
      if (shard_of(middle) > shard) {
        end = middle;
      } else {
        low = middle + 1;
      }
    }
    if (end > begin) {
      starts.push_back(begin);
      begin = end;
    }
  }
  if (begin < samples) {
    starts.push_back(begin);  // of shards that the index should not name
  }
  return starts;
}

/// What the user chose: {name: extension}, in order; empty = every field that all samples have.
using FieldChoice = std::vector<std::pair<std::string, std::string>>;

/// What the user says about how sources are opened: for every format alike.
struct OpenOptions {
  FieldChoice fields{};
};

/// Opens whatever `sources` (paths, globs, brace patterns) hold; recognised by content.
Result<std::unique_ptr<SampleTable>> open_samples(const std::vector<std::string>& sources,
                                                  const OpenOptions& options,
                                                  const Storages& storages = Storages::standard());

}  // namespace penstock::inline v0
