#include "formats/store_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/checked_fields.hpp"
#include "io/range.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kMaxRowsLookedAt = 1 << 20;  // of a shard

}  // namespace

Result<const StoreFiles::ShardRows*> StoreFiles::rows_of_shard(std::uint64_t number) const {
  if (number >= manifest_.shards.size()) {
    return damaged(kStoreIndexName, fmt::format("a record refers to shard {}, but there are only {}", number,
                                                manifest_.shards.size()));
  }
  PENSTOCK_ASSIGN(const ShardRows* const rows,
                  shards_->rows.get(number, [&] { return Result<ShardRows>(find_rows(number)); }));
  const std::uint64_t size = manifest_.shards[number].size;
  if (rows->is_overfull(size)) {
    PENSTOCK_TRY(index_.bytes.intact());
    return damaged(kStoreIndexName, fmt::format("the index places {} bytes in shard {}, which has {}",
                                                rows->placed, number, size));
  }
  return rows;
}

StoreFiles::ShardRows StoreFiles::find_rows(std::uint64_t number) const {
  const auto first_behind = [this](std::uint64_t shard_number) {
    std::uint64_t low = 0;
    for (std::uint64_t end = size(); low < end;) {
      const std::uint64_t middle = low + (end - low) / 2;
      if (records(middle)[0].shard() < shard_number) {
        low = middle + 1;
      } else {
        end = middle;
      }
    }
    return low;
  };
  ShardRows rows;
  if (!manifest_.fields.empty()) {
    rows.begin = first_behind(number);
    rows.end = first_behind(number + 1);
  }
  // Of that many rows the index is a large file by itself, and looking at all of them takes long.
  const std::uint64_t looked_at = std::min(rows.end, rows.begin + kMaxRowsLookedAt);
  for (std::uint64_t sample = rows.begin; sample < looked_at; ++sample) {
    for (const FieldRecord& record : records(sample)) {
      rows.placed += is_within(record.offset(), record.stored_size(), manifest_.shards[number].size)
                         ? record.stored_size()
                         : 0;
    }
  }
  return rows;
}

Result<const Source*> StoreFiles::shard(std::uint64_t number) const {
  PENSTOCK_TRY(rows_of_shard(number));
  PENSTOCK_ASSIGN(const SourcePtr* const file,
                  shards_->files.get(number, [&] { return open_shard(number); }));
  return file->get();
}

Result<SourcePtr> StoreFiles::open_shard(std::uint64_t number) const {
  const std::string name = store_shard_name(number);
  PENSTOCK_ASSIGN(SourcePtr file, open_file(name.c_str()));
  const std::uint64_t expected = manifest_.shards[number].size;
  if (file->size() != expected) {
    return damaged(name.c_str(),
                   fmt::format("the shard has {} bytes, but the manifest says {}", file->size(), expected));
  }
  StoreShardHeader header;
  StoreShardHeader right;
  right.number = static_cast<std::uint32_t>(number);
  if (expected < sizeof header) {
    return damaged(name.c_str(), "the shard is shorter than its header");
  }
  PENSTOCK_ASSIGN(const Bytes start, file->read(0, sizeof header));
  std::memcpy(&header, start.data(), sizeof header);
  PENSTOCK_TRY(start.intact());
  if (std::memcmp(&header, &right, sizeof header) != 0) {
    return damaged(name.c_str(), "the header of the shard is damaged, or it is another shard");
  }
  return file;
}

Status StoreFiles::check_place(std::uint64_t sample, const FieldRecord& record) const {
  PENSTOCK_ASSIGN(const ShardRows* const rows, rows_of_shard(record.shard()));
  const std::uint64_t size = manifest_.shards[record.shard()].size;
  const bool is_here = sample >= rows->begin && sample < rows->end;
  if (!is_here) {
    PENSTOCK_TRY(index_.bytes.intact());
  }
  if (!is_here || record.offset() < sizeof(StoreShardHeader) ||
      !is_within(record.offset(), record.stored_size(), size)) {
    Error error = damaged(kStoreIndexName,
                          is_here ? fmt::format("the index places a field at bytes {} to {} of a shard of {}",
                                                record.offset(), record.offset() + record.stored_size(), size)
                                  : "the index places a sample in another shard than its neighbours");
    error.place.shard = shard_path(record.shard());
    error.place.offset = record.offset();
    error.place.stage = "read";
    return error;
  }
  return {};
}

Result<Bytes> StoreFiles::stored(std::uint64_t sample, const FieldRecord& record) const {
  PENSTOCK_TRY(check_place(sample, record));
  PENSTOCK_ASSIGN(const Source* const file, shard(record.shard()));
  return file->read(record.offset(), record.stored_size());
}

Status StoreFiles::check_bytes(std::uint64_t sample, std::size_t field, const FieldRecord& record,
                               const Bytes& bytes) const {
  const std::uint64_t number = sample * manifest_.fields.size() + field;
  // Held bytes have been fetched for this use: those of the last one were others.
  if (!bytes.is_held() && checked_->known(number)) {
    return bytes.intact();  // what was found right may be gone since
  }
  const bool right = crc32c(bytes) == record.checksum;
  PENSTOCK_TRY(bytes.intact());
  if (!right) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the stored field is damaged: its checksum is wrong",
                 .advice = "`penstock verify` lists all damage; rebuild the store, or copy it again",
                 .place = {.offset = record.offset(), .stage = "read"}};
  }
  if (!bytes.is_held()) {
    checked_->note(number);
  }
  return {};
}

}  // namespace penstock::inline v0
