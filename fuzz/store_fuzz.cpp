// Any bytes as the files of a store. The input is cut into manifest, index, keys, tables and a shard; what no
// random change would pass (checksums and sizes) is set right first, unless its first byte says otherwise.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "formats/original_file.hpp"
#include "formats/store.hpp"

namespace {

using namespace penstock;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

std::uint32_t checksum_of(std::string_view text) {
  return crc32c({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// One folder per process, its files written again for every input, deleted when the process ends in good
/// order.
class OwnFolder {
 public:
  OwnFolder() {
    // In memory where that is possible: a disk would take most of the time.
    const bool in_memory = std::filesystem::is_directory("/dev/shm");
    path_ = (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
            "/penstock-store-fuzz-XXXXXX";
    require(::mkdtemp(path_.data()) != nullptr);
  }
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const std::string& folder() {
  static const OwnFolder own;
  return own.path();
}

/// Parts of the input, each behind two bytes with its length.
class Parts {
 public:
  explicit Parts(std::string_view rest) : rest_(rest) {}
  std::string next() {
    if (rest_.size() < 2) {
      return {};
    }
    const std::size_t size = static_cast<unsigned char>(rest_[0]) | static_cast<unsigned char>(rest_[1]) << 8;
    const std::string part(rest_.substr(2, size));
    rest_.remove_prefix(std::min(rest_.size(), 2 + size));
    return part;
  }

 private:
  std::string_view rest_;
};

void read_everything(const SampleTable& table) {
  ImageDecoder decoder(DecodeLimits{.max_pixels = 1 << 16});
  OriginalFile original;
  std::vector<std::uint8_t> pixels(3 * (1 << 16) + 64);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    sum += table.key(i).size();
    for (std::size_t field = 0; field < table.fields().size(); ++field) {
      const auto value = table.read(i, field);
      if (!value.ok()) {
        require(!value.error().message.empty());
        continue;
      }
      require(table.fields()[field].kind != FieldKind::array ||
              value->bytes.size() == table.spec(field).array->bytes());
      for (const std::uint8_t byte : value->bytes) {
        sum += byte;
      }
      if (const auto file = original.of(*value); file.ok()) {
        sum += file->size();
      }
      const auto size = decoder.open(value->image());
      if (size.ok()) {
        const auto decoded =
            decoder.decode({0, 0, size->width, size->height}, {.data = pixels.data(),
                                                               .stride = std::size_t{3} * size->width,
                                                               .width = size->width,
                                                               .height = size->height});
        sum += decoded.ok() ? 1 : 0;
      }
    }
  }
  require(table.fingerprint().size() == 32 && sum < UINT64_MAX);
}

/// Gives every field that lies inside the shard its right checksum.
void set_checksums(std::string& rows, std::size_t fields, const std::string& shard) {
  const std::size_t row_size = store_row_size(fields);
  for (std::size_t at = 0; at + row_size <= rows.size(); at += row_size) {
    for (std::size_t field = 0; field < fields; ++field) {
      char* const place = rows.data() + at + 8 + field * sizeof(FieldRecord);
      FieldRecord record;
      std::memcpy(&record, place, sizeof record);
      if (record.offset() <= shard.size() && record.stored_size() <= shard.size() - record.offset()) {
        record.checksum = checksum_of(std::string_view(shard).substr(record.offset(), record.stored_size()));
        std::memcpy(place, &record, sizeof record);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  Parts parts({reinterpret_cast<const char*>(data) + 1, size - 1});
  std::string manifest = parts.next();
  std::string rows = parts.next();
  const std::string keys = parts.next();
  const std::string tables = parts.next();
  std::string shard = parts.next();
  if ((data[0] & 1) == 0) {
    StoreManifest right;
    right.written_by = manifest;
    right.fingerprint = std::string(32, '0');
    right.fields = {{"image", FieldKind::image},
                    {"label", FieldKind::integer},
                    {"text", FieldKind::text},
                    {"array", FieldKind::array}};
    right.arrays = {{"array", {.spec = {.type = Scalar::int16, .shape = {3}}, .npy = (data[0] & 64) != 0}}};
    right.fields.resize(1 + (data[0] >> 1) % right.fields.size());
    const StoreShardHeader shard_header;
    shard.insert(0, reinterpret_cast<const char*>(&shard_header), sizeof shard_header);
    const std::uint32_t row_size = store_row_size(right.fields.size());
    rows.resize(rows.size() / row_size * row_size);
    set_checksums(rows, right.fields.size(), shard);
    StoreIndexHeader header;
    header.samples = rows.size() / row_size;
    header.fields = static_cast<std::uint32_t>(right.fields.size());
    header.row_size = row_size;
    header.key_bytes = keys.size();
    header.shards = 1;
    header.checksum = header.right_checksum();
    rows.insert(0, reinterpret_cast<const char*>(&header), sizeof header);
    right.samples = header.samples;
    right.index = {rows.size(), checksum_of(rows)};
    right.keys = {keys.size(), checksum_of(keys)};
    right.tables = StoreFile{tables.size(), checksum_of(tables)};
    right.shards = {{shard.size(), checksum_of(shard)}};
    manifest = right.text();
  }
  write(folder() + "/" + kStoreManifestName, manifest);
  write(folder() + "/" + kStoreIndexName, rows);
  write(folder() + "/" + kStoreKeysName, keys);
  write(folder() + "/" + kStoreTablesName, tables);
  write(folder() + "/" + store_shard_name(0), shard);
  const auto table = open_store({folder(), "fuzz"}, {});
  if (!table.ok()) {
    // What is set right opens, but for arrays of another size.
    require(((data[0] & 1) != 0 || (data[0] >> 1) % 4 == 3) && !table.error().message.empty());
    return 0;
  }
  read_everything(**table);
  return 0;
}
