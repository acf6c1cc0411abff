#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/checked_fields.hpp"
#include "formats/store.hpp"
#include "formats/store_shards.hpp"
#include "io/path.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kMaxManifest = std::uint64_t{256} << 20;

Error at(Error error, const NamedPath& folder, const std::string& path) {
  error.place.source = folder.named;
  error.place.shard = path;
  error.place.stage = "open";
  return error;
}

/// Device and number of what a path names now; zeros for nothing, and where folders have no numbers.
std::pair<std::uint64_t, std::uint64_t> identity_of(const NamedPath& folder) {
  const auto state = folder.storage->stat(folder.path);
  return state.ok() ? std::pair(state->device, state->identity.inode)
                    : std::pair<std::uint64_t, std::uint64_t>();
}

}  // namespace

StoreFiles::StoreFiles(NamedPath folder, std::shared_ptr<const Folder> opened)
    : folder_(std::move(folder)),
      opened_(std::move(opened)),
      opened_folder_(folder_.storage->absolute(folder_.path)) {}
StoreFiles::~StoreFiles() = default;

std::string StoreFiles::path_of(const char* name) const { return join_path(folder_.path, name); }

std::string StoreFiles::shard_path(std::uint64_t shard) const {
  return path_of(store_shard_name(shard).c_str());
}

Result<SourcePtr> StoreFiles::open_as_it_is(const char* name) const {
  return opened_ ? opened_->open_source(name) : folder_.storage->open(join_path(opened_folder_, name));
}

/// A file that is missing beside its manifest is damage; a store that is gone is `not_found`.
Result<SourcePtr> StoreFiles::open_file(const char* name) const {
  auto opened = open_as_it_is(name);
  if (opened.ok()) {
    return opened;
  }
  if (opened.error().kind == ErrorKind::not_found && open_as_it_is(kStoreManifestName).ok()) {
    return damaged(name, "this file of the store is missing");
  }
  return at(std::move(opened).error(), folder_, path_of(name));
}

Result<StoreFiles::WholeFile> StoreFiles::open_whole(const char* name) const {
  PENSTOCK_ASSIGN(SourcePtr source, open_file(name));
  auto bytes = source->read_all();
  if (!bytes.ok()) {
    return at(std::move(bytes).error(), folder_, path_of(name));
  }
  return WholeFile{std::move(source), std::move(*bytes)};
}

Result<StoreManifest> StoreFiles::read_manifest() const {
  const std::string path = path_of(kStoreManifestName);
  auto file = open_as_it_is(kStoreManifestName);
  if (!file.ok()) {
    Error error = std::move(file).error();
    if (error.kind == ErrorKind::not_found) {
      error.kind = ErrorKind::corrupt;
      error.message = "the store has no manifest: it was not finished, or not copied completely";
    }
    return at(std::move(error), folder_, path);
  }
  if ((*file)->size() > kMaxManifest) {
    return damaged(kStoreManifestName, fmt::format("a manifest of {} bytes is too large", (*file)->size()));
  }
  const auto bytes = (*file)->read_all();
  if (!bytes.ok()) {
    return at(bytes.error(), folder_, path);
  }
  auto manifest = StoreManifest::parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (Status intact = bytes->intact(); !intact.ok()) {
    return at(std::move(intact).error(), folder_, path);
  }
  return manifest.ok() ? std::move(manifest) : at(std::move(manifest).error(), folder_, path);
}

Error StoreFiles::damaged(const char* file, std::string what) const {
  return at({.kind = ErrorKind::corrupt,
             .message = std::move(what),
             .advice = "rebuild the store, or copy it again",
             .place = {}},
            folder_, path_of(file));
}

Result<std::unique_ptr<StoreFiles>> StoreFiles::open(const NamedPath& folder) {
  // A build that appends puts another folder into this one's place, perhaps between two files.
  constexpr int kAttempts = 100;
  for (int attempt = 1;; ++attempt) {
    const auto before = identity_of(folder);
    Result<std::unique_ptr<StoreFiles>> files = open_once(folder, nullptr);
    if (attempt == kAttempts || before == identity_of(folder)) {
      return files;
    }
  }
}

Result<std::unique_ptr<StoreFiles>> StoreFiles::open_in(std::shared_ptr<const Folder> opened,
                                                        const NamedPath& folder) {
  return open_once(folder, std::move(opened));
}

Result<std::unique_ptr<StoreFiles>> StoreFiles::open_once(const NamedPath& folder,
                                                          std::shared_ptr<const Folder> opened) {
  std::unique_ptr<StoreFiles> files(new StoreFiles(folder, std::move(opened)));
  PENSTOCK_ASSIGN(files->manifest_, files->read_manifest());
  files->shards_ = std::make_unique<Shards>(files->manifest_.shards.size());
  files->checked_ =
      std::make_unique<CheckedFields>(files->manifest_.samples * files->manifest_.fields.size());
  PENSTOCK_ASSIGN(files->index_, files->open_whole(kStoreIndexName));
  PENSTOCK_ASSIGN(files->keys_, files->open_whole(kStoreKeysName));
  if (files->manifest_.tables) {
    PENSTOCK_ASSIGN(files->tables_, files->open_whole(kStoreTablesName));
  }
  PENSTOCK_TRY(files->check_files());
  return files;
}

Status StoreFiles::check_files() const {
  const auto wrong_size = [this](const char* name, std::uint64_t size, const StoreFile& expected) {
    return damaged(name, fmt::format("the file has {} bytes, but the manifest says {}", size, expected.size));
  };
  if (index_.bytes.size() != manifest_.index.size) {
    return wrong_size(kStoreIndexName, index_.bytes.size(), manifest_.index);
  }
  if (keys_.bytes.size() != manifest_.keys.size) {
    return wrong_size(kStoreKeysName, keys_.bytes.size(), manifest_.keys);
  }
  if (tables_.source && tables_.bytes.size() != manifest_.tables->size) {
    return wrong_size(kStoreTablesName, tables_.bytes.size(), *manifest_.tables);
  }
  if (tables_.source && crc32c(tables_.bytes) != manifest_.tables->checksum) {
    return damaged(kStoreTablesName, "the checksum of the code tables is wrong");
  }
  StoreIndexHeader header;
  if (index_.bytes.size() < sizeof header) {
    return damaged(kStoreIndexName, "the index is shorter than its header");
  }
  std::memcpy(&header, index_.bytes.data(), sizeof header);
  PENSTOCK_TRY(index_.bytes.lend(0, sizeof header).intact());
  if (header.magic != kStoreMagic || header.checksum != header.right_checksum()) {
    return damaged(kStoreIndexName, "the header of the index is damaged");
  }
  const std::uint64_t rows = index_.bytes.size() - sizeof header;
  const std::uint32_t row_size = store_row_size(manifest_.fields.size());
  if (header.version != kStoreVersion || header.header_size != sizeof header ||
      header.samples != manifest_.samples || header.fields != manifest_.fields.size() ||
      header.row_size != row_size || header.key_bytes != manifest_.keys.size ||
      header.shards != manifest_.shards.size() || rows % row_size != 0 || rows / row_size != header.samples) {
    return damaged(kStoreIndexName, "the index does not belong to the manifest");
  }
  // Batches are made for what the manifest says of arrays: as large as a sample at least has.
  for (std::size_t field = 0; field < manifest_.fields.size() && manifest_.samples > 0; ++field) {
    const auto array = manifest_.arrays.find(manifest_.fields[field].name);
    if (array != manifest_.arrays.end() && !array->second.npy) {
      PENSTOCK_ASSIGN(const FieldRecord record, this->record(0, field));
      PENSTOCK_TRY(check_place(0, record));
      const FieldSpec spec = FieldSpec::of_array(array->first, array->second.spec);
      if (!spec.check_length(record.stored_size()).ok()) {
        return damaged(kStoreIndexName, fmt::format("an array of {} bytes where the manifest says {}",
                                                    record.stored_size(), array->second.spec.to_string()));
      }
    }
  }
  return {};
}

Bytes StoreFiles::row(std::uint64_t sample) const noexcept {
  const std::uint32_t size = store_row_size(manifest_.fields.size());
  return index_.bytes.lend(sizeof(StoreIndexHeader) + sample * size, size);
}

std::uint64_t StoreFiles::key_end(std::uint64_t sample) const noexcept {
  std::uint64_t end = 0;
  std::memcpy(&end, row(sample).data(), sizeof end);
  return end;
}

struct StoreFiles::KeyRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool valid = false;
};

StoreFiles::KeyRange StoreFiles::key_range(std::uint64_t sample) const noexcept {
  const std::uint64_t begin = sample == 0 ? 0 : key_end(sample - 1);
  const std::uint64_t end = key_end(sample);
  return {begin, end, begin <= end && end <= keys_.bytes.size() && end - begin <= kMaxKeyBytes};
}

std::string_view StoreFiles::key(std::uint64_t sample) const noexcept {
  const KeyRange range = sample < size() ? key_range(sample) : KeyRange();
  return range.valid ? std::string_view(reinterpret_cast<const char*>(keys_.bytes.data()) + range.begin,
                                        static_cast<std::size_t>(range.end - range.begin))
                     : std::string_view();
}

Status StoreFiles::check_keys() const {
  for (std::uint64_t sample = 0; sample < size(); ++sample) {
    if (!key_range(sample).valid) {
      return check_lookups(sample);
    }
  }
  return {};
}

Status StoreFiles::check_lookups(std::uint64_t sample) const {
  const KeyRange range = key_range(sample);
  // The key begins where the row before says, which is intact if this one is.
  PENSTOCK_TRY(row(sample).intact());
  if (!range.valid) {
    return damaged(kStoreIndexName, fmt::format("the key of sample {} is at bytes {} to {} of {}", sample,
                                                range.begin, range.end, keys_.bytes.size()));
  }
  return keys_.bytes.lend(range.begin, range.end - range.begin).intact();
}

std::span<const FieldRecord> StoreFiles::records(std::uint64_t sample) const noexcept {
  // Rows are multiples of 8 bytes from the start of a mapped page, so records are aligned.
  return {reinterpret_cast<const FieldRecord*>(row(sample).data() + 8), manifest_.fields.size()};
}

Result<FieldRecord> StoreFiles::record(std::uint64_t sample, std::size_t field) const {
  const FieldRecord record = records(sample)[field];
  PENSTOCK_TRY(row(sample).intact());
  return record;
}

}  // namespace penstock::inline v0
