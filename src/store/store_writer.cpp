#include "store/store_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/crc32c.hpp"
#include "formats/store_format.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kCheckpointSamples = 256;
constexpr std::size_t kPendingBytes = 1 << 20;
constexpr std::size_t kMaxReasons = 254;

std::string shard_path(const std::string& folder, std::size_t number) {
  return folder + "/" + store_shard_name(number);
}

/// Whether `expected.size` bytes from `begin` on have the checksum.
bool holds(const std::string& path, std::uint64_t begin, const StoreFile& expected) {
  const auto file = local_storage()->open(path, Access::sequential);
  if (!file.ok()) {
    return false;
  }
  const auto bytes = (*file)->read(begin, expected.size);
  return bytes.ok() && crc32c(*bytes) == expected.checksum;
}

template <class T>
ByteSpan bytes_of(const T& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

}  // namespace

bool holds(const std::string& folder, const Checkpoint& checkpoint) {
  for (std::size_t i = 0; i < checkpoint.shards.size(); ++i) {
    // These were on disk before the journal said so: their size is enough.
    const auto state = local_storage()->stat(shard_path(folder, i));
    if (!state.ok() || !state->is_file() || state->identity.size != checkpoint.shards[i].size) {
      return false;
    }
  }
  return (checkpoint.open_shard.size == 0 ||
          holds(shard_path(folder, checkpoint.shards.size()), 0, checkpoint.open_shard)) &&
         holds(folder + "/" + kStoreIndexName, sizeof(StoreIndexHeader), checkpoint.rows) &&
         holds(folder + "/" + kStoreKeysName, 0, checkpoint.keys);
}

Status StoreWriter::Buffered::flush() {
  PENSTOCK_TRY(file.append(pending));
  pending.clear();
  return {};
}

Status StoreWriter::Buffered::append(ByteSpan bytes, std::uint32_t& checksum) {
  checksum = crc32c(bytes, checksum);
  pending.insert(pending.end(), bytes.begin(), bytes.end());
  return pending.size() >= kPendingBytes ? flush() : Status();
}

StoreWriter::StoreWriter(const Folder& folder, std::size_t fields, std::uint64_t shard_bytes, Journal journal,
                         Checkpoint from, std::size_t known_shards)
    : folder_(&folder),
      fields_(fields),
      shard_bytes_(shard_bytes),
      journal_(std::move(journal)),
      state_(std::move(from)),
      known_shards_(known_shards) {}

Result<StoreWriter> StoreWriter::open(const Folder& folder, std::size_t fields, std::uint64_t shard_bytes,
                                      Journal journal, Checkpoint from, std::size_t known_shards) {
  StoreWriter writer(folder, fields, shard_bytes, std::move(journal), std::move(from), known_shards);
  const Checkpoint& state = writer.state_;
  const std::uint64_t index_size = state.samples == 0 ? 0 : sizeof(StoreIndexHeader) + state.rows.size;
  PENSTOCK_ASSIGN(writer.index_.file, folder.open_file(kStoreIndexName, index_size));
  if (index_size == 0) {
    const std::vector<std::uint8_t> room(sizeof(StoreIndexHeader), 0);
    PENSTOCK_TRY(writer.index_.file.append(room));
  }
  PENSTOCK_ASSIGN(writer.keys_.file, folder.open_file(kStoreKeysName, state.keys.size));
  if (state.open_shard.size > 0) {
    PENSTOCK_ASSIGN(writer.shard_.file,
                    folder.open_file(store_shard_name(state.shards.size()), state.open_shard.size));
  }
  return writer;
}

Status StoreWriter::open_shard() {
  if (state_.shards.size() >= kStoreMaxShards) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = "the store would have too many shards",
                 .advice = "use larger shard_bytes",
                 .place = {.stage = "build"}};
  }
  PENSTOCK_ASSIGN(shard_.file, folder_->open_file(store_shard_name(state_.shards.size()), 0));
  StoreShardHeader header;
  header.number = static_cast<std::uint32_t>(state_.shards.size());
  state_.open_shard = {};
  PENSTOCK_TRY(shard_.append(bytes_of(header), state_.open_shard.checksum));
  state_.open_shard.size = sizeof header;
  return {};
}

Status StoreWriter::close_shard() {
  PENSTOCK_TRY(shard_.flush());
  PENSTOCK_TRY(shard_.file.sync());
  PENSTOCK_TRY(shard_.file.close());
  state_.shards.push_back(state_.open_shard);
  state_.open_shard = {};
  PENSTOCK_TRY(index_.flush());
  PENSTOCK_TRY(index_.file.sync());
  PENSTOCK_TRY(keys_.flush());
  PENSTOCK_TRY(keys_.file.sync());
  PENSTOCK_TRY(add_checkpoint());
  return journal_.sync();
}

Status StoreWriter::add_checkpoint() {
  if (state_.open_shard.size > 0) {
    PENSTOCK_TRY(shard_.flush());
  }
  PENSTOCK_TRY(index_.flush());
  PENSTOCK_TRY(keys_.flush());
  PENSTOCK_TRY(journal_.add(state_, known_shards_));
  known_shards_ = state_.shards.size();
  at_checkpoint_ = true;
  return {};
}

Status StoreWriter::count_done() {
  ++state_.done;
  return state_.done % kCheckpointSamples == 0 ? add_checkpoint() : Status();
}

std::uint8_t StoreWriter::reason_number(const std::string& reason) {
  if (reason.empty()) {
    return 0;
  }
  auto& reasons = state_.kept_because;
  auto found = std::find(reasons.begin(), reasons.end(), reason);
  if (found == reasons.end() && reasons.size() + 1 >= kMaxReasons) {
    // Room for one more: all that come later.
    const std::string rest = "other reasons";
    found = std::find(reasons.begin(), reasons.end(), rest);
    if (found == reasons.end()) {
      found = reasons.insert(found, rest);
    }
  } else if (found == reasons.end()) {
    found = reasons.insert(found, reason);
  }
  return static_cast<std::uint8_t>(found - reasons.begin() + 1);
}

Status StoreWriter::add(PackedSample sample) {
  at_checkpoint_ = false;
  const std::uint64_t size = sample.bytes.size();
  if (size > kStoreMaxShard - sizeof(StoreShardHeader)) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("a sample of {} bytes is too large for a shard", size),
                 .advice = {},
                 .place = {.key = sample.key, .index = state_.done, .stage = "build"}};
  }
  const std::uint64_t used = state_.open_shard.size;
  if (used > sizeof(StoreShardHeader) && used + size > shard_bytes_) {
    PENSTOCK_TRY(close_shard());
  }
  if (state_.open_shard.size == 0) {
    PENSTOCK_TRY(open_shard());
  }
  std::uint64_t offset = state_.open_shard.size;
  for (std::size_t field = 0; field < fields_; ++field) {
    FieldRecord& record = sample.records[field];
    record.set_place(state_.shards.size(), offset);
    record.reason = reason_number(sample.reasons[field]);
    offset += record.stored_size();
  }
  PENSTOCK_TRY(shard_.append(sample.bytes, state_.open_shard.checksum));
  state_.open_shard.size = offset;
  bytes_written_ += size;

  PENSTOCK_TRY(keys_.append({reinterpret_cast<const std::uint8_t*>(sample.key.data()), sample.key.size()},
                            state_.keys.checksum));
  state_.keys.size += sample.key.size();
  PENSTOCK_TRY(index_.append(bytes_of(state_.keys.size), state_.rows.checksum));
  const ByteSpan records{reinterpret_cast<const std::uint8_t*>(sample.records.data()),
                         sample.records.size() * sizeof(FieldRecord)};
  PENSTOCK_TRY(index_.append(records, state_.rows.checksum));
  state_.rows.size += store_row_size(fields_);
  ++state_.samples;
  return count_done();
}

Status StoreWriter::skip() {
  at_checkpoint_ = false;
  ++state_.skipped;
  return count_done();
}

Status StoreWriter::finish() {
  if (state_.open_shard.size > 0) {
    PENSTOCK_TRY(close_shard());
  }
  StoreIndexHeader header;
  header.samples = state_.samples;
  header.fields = static_cast<std::uint32_t>(fields_);
  header.row_size = store_row_size(fields_);
  header.key_bytes = state_.keys.size;
  header.shards = static_cast<std::uint32_t>(state_.shards.size());
  header.checksum = header.right_checksum();
  PENSTOCK_TRY(index_.flush());
  PENSTOCK_TRY(index_.file.write_at(0, bytes_of(header)));
  PENSTOCK_TRY(index_.file.sync());
  PENSTOCK_TRY(index_.file.close());
  PENSTOCK_TRY(keys_.flush());
  PENSTOCK_TRY(keys_.file.sync());
  return keys_.file.close();
}

}  // namespace penstock::inline v0
