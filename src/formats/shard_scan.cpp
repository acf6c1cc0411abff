#include "formats/shard_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "formats/array_headers.hpp"
#include "formats/header_sizes.hpp"
#include "formats/sample_table.hpp"
#include "formats/tar.hpp"
#include "formats/text.hpp"
#include "formats/webdataset.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

struct Extension {
  bool shared = false;  ///< its default field has other extensions too
  bool image = false;
  bool array = false;
  std::uint64_t last_sample = kNever;
};

class Scanner {
 public:
  explicit Scanner(const Source& shard) : shard_(shard) {}

  Result<ShardScan> run() {
    TarReader reader(shard_);
    while (true) {
      PENSTOCK_ASSIGN(const auto member, reader.next());
      if (!member) {
        break;
      }
      const auto name = split_member_name(member->name);
      if (name && member->is_link() && found_.links++ == 0) {
        found_.first_link = member->name;
      }
      if (!member->is_file()) {
        continue;
      }
      PENSTOCK_ASSIGN(const bool of_desktop, is_of_desktop(*member));
      if (of_desktop && found_.of_desktops++ == 0) {
        found_.first_of_desktops = member->name;
      }
      if (name && !of_desktop) {
        PENSTOCK_TRY(add(*member, *name));
      }
    }
    PENSTOCK_TRY(shard_.check());
    found_.doubt = reader.doubt();
    return std::move(found_);
  }

 private:
  /// macOS puts what its file system knows of a file (AppleDouble) beside it. Others may use such names too.
  Result<bool> is_of_desktop(const TarMember& member) {
    if (is_named_by_desktop(member.name)) {
      return true;
    }
    const std::string companion = companion_of(member.name);
    if (companion.empty()) {
      return false;
    }
    constexpr std::array<std::uint8_t, 4> kAppleDouble = {0x00, 0x05, 0x16, 0x07};
    if (member.size >= kAppleDouble.size()) {
      PENSTOCK_ASSIGN(const Bytes begin, shard_.read(member.data_offset, kAppleDouble.size()));
      if (std::equal(begin.begin(), begin.end(), kAppleDouble.begin())) {
        return true;
      }
    }
    return has_member(companion);
  }

  /// Looks through the archive once, when it is first asked. Names are kept as their hashes, which take less
  /// memory than the headers of the members.
  Result<bool> has_member(const std::string& name) {
    if (all_names_.empty()) {
      TarReader reader(shard_);
      while (true) {
        PENSTOCK_ASSIGN(const auto member, reader.next());
        if (!member) {
          break;
        }
        all_names_.insert(std::hash<std::string_view>()(member->name));
      }
    }
    return all_names_.contains(std::hash<std::string_view>()(name));
  }

  Status add(const TarMember& member, const MemberName& name) {
    if (found_.samples.empty() || name.key != current_key()) {
      PENSTOCK_TRY(check_key(member, name.key));
      begin_sample(name.key);
    }
    PENSTOCK_ASSIGN(const std::uint16_t number, number_of(name.extension));
    Extension& extension = extensions_[number];
    const std::uint64_t sample = found_.samples.size() - 1;
    if (extension.last_sample == sample) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = fmt::format("two members of this sample have the extension '{}'",
                                          printable(found_.extensions[number])),
                   .advice = "rename one of them",
                   .place = {.shard = shard_.name(),
                             .offset = member.header_offset,
                             .key = std::string(name.key),
                             .stage = "index"}};
    }
    extension.last_sample = sample;
    ++found_.samples_with[number];
    if (extension.shared) {
      note_company(number);
    }
    PENSTOCK_ASSIGN(const MemberRecord record, record_of(member, number));
    found_.members.push_back(record);
    return {};
  }

  std::string_view current_key() const noexcept {
    return std::string_view(found_.keys).substr(found_.samples.back().key_begin);
  }

  /// A name stands in the archive once for each member that has it, unless a global header gives it to all.
  Status check_key(const TarMember& member, std::string_view key) const {
    const bool too_long = key.size() > kMaxKeyBytes;
    if (!too_long && found_.keys.size() + key.size() <= shard_.size()) {
      return {};
    }
    return Error{.kind = ErrorKind::corrupt,
                 .message = too_long ? fmt::format("a key of {} bytes, more than the {} that are accepted",
                                                   key.size(), kMaxKeyBytes)
                                     : std::string("the names of its members are longer than the archive"),
                 .advice = "write the archive again, with shorter names and without global PAX headers",
                 .place = {.shard = shard_.name(), .offset = member.header_offset, .stage = "index"}};
  }

  void begin_sample(std::string_view key) {
    if (!seen_keys_.insert(std::hash<std::string_view>()(key)).second) {
      if (found_.returning_keys++ == 0) {
        found_.returning_key = key;
      }
    }
    found_.samples.push_back({found_.members.size(), found_.keys.size()});
    found_.keys += key;
    company_.clear();
  }

  Result<std::uint16_t> number_of(std::string_view written) {
    // Neighbouring samples have the same extensions in the same order: look at the next one first.
    for (const std::size_t guess : {last_extension_ + 1, std::size_t{0}}) {
      if (guess < found_.extensions.size() && found_.extensions[guess] == written) {
        last_extension_ = guess;
        return static_cast<std::uint16_t>(guess);
      }
    }
    std::string extension = lower_case(written);
    const auto [entry, is_new] = numbers_.try_emplace(extension, found_.extensions.size());
    last_extension_ = entry->second;
    if (is_new) {
      if (found_.extensions.size() >= kMaxExtensions) {
        return too_many_extensions(shard_.name());
      }
      extensions_.push_back({.shared = shares_default_field(extension),
                             .image = default_field(extension).kind == FieldKind::image,
                             .array = default_field(extension).kind == FieldKind::array});
      found_.extensions.push_back(std::move(extension));
      found_.samples_with.push_back(0);
    }
    return static_cast<std::uint16_t>(last_extension_);
  }

  /// Remembers which extensions of one default field meet in a sample. There are few of those, see
  /// webdataset.cpp.
  void note_company(std::uint16_t number) {
    for (const std::uint16_t other : company_) {
      const std::pair<std::uint16_t, std::uint16_t> pair{other, number};
      if (default_field(found_.extensions[other]).name == default_field(found_.extensions[number]).name &&
          std::find(found_.together.begin(), found_.together.end(), pair) == found_.together.end()) {
        found_.together.push_back(pair);
      }
    }
    company_.push_back(number);
  }

  /// From the first bytes: where what is read must be fetched, the rest of an image is not needed here.
  Result<ImageSize> size_of(const TarMember& member) const {
    return size_by_header(0, [&](std::uint64_t, std::uint64_t size) {
      return shard_.read(member.data_offset, std::min(size, member.size));
    });
  }

  /// 0 if the file is no array that can be read: whoever reads it says why.
  Result<std::uint32_t> array_of(const TarMember& member) const {
    const auto array = array_by_header(
        member.size, [&](std::uint64_t size) { return shard_.read(member.data_offset, size); });
    if (array.ok()) {
      return checksum_of(*array);
    }
    const ErrorKind kind = array.error().kind;
    return kind == ErrorKind::corrupt || kind == ErrorKind::unsupported ? Result<std::uint32_t>(0)
                                                                        : array.error();
  }

  Result<MemberRecord> record_of(const TarMember& member, std::uint16_t extension) {
    constexpr std::uint64_t kLastBlock = std::numeric_limits<std::uint32_t>::max();
    if (member.data_offset / kTarBlock > kLastBlock) {
      return Error{.kind = ErrorKind::unsupported,
                   .message = "the archive is larger than 2 TiB",
                   .advice = "split it into smaller shards",
                   .place = {.shard = shard_.name(), .offset = member.header_offset, .stage = "index"}};
    }
    MemberRecord record{.block = static_cast<std::uint32_t>(member.data_offset / kTarBlock),
                        .size_low = static_cast<std::uint32_t>(member.size),
                        .size_high = static_cast<std::uint16_t>(member.size >> 32),
                        .extension = extension};
    if (extensions_[extension].image) {
      PENSTOCK_ASSIGN(const ImageSize size, size_of(member));
      constexpr int kMax = std::numeric_limits<std::uint16_t>::max();
      if (size.width <= kMax && size.height <= kMax) {
        record.width = static_cast<std::uint16_t>(size.width);
        record.height = static_cast<std::uint16_t>(size.height);
      }
    }
    if (extensions_[extension].array) {
      PENSTOCK_ASSIGN(const std::uint32_t array, array_of(member));
      record.set_array(array);
    }
    return record;
  }

  const Source& shard_;
  ShardScan found_;
  std::vector<Extension> extensions_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::unordered_set<std::size_t> seen_keys_;
  std::unordered_set<std::size_t> all_names_;
  std::vector<std::uint16_t> company_;
  std::size_t last_extension_ = 0;
};

}  // namespace

std::string_view ShardScan::key(std::size_t sample) const noexcept {
  const std::uint64_t begin = samples[sample].key_begin;
  const std::uint64_t end = sample + 1 < samples.size() ? samples[sample + 1].key_begin : keys.size();
  return std::string_view(keys).substr(begin, end - begin);
}

Error too_many_extensions(const std::string& shard) {
  return {.kind = ErrorKind::unsupported,
          .message = fmt::format("more than {} different extensions", kMaxExtensions),
          .advice = "a sample's key ends at the first dot of the file name: use no dot before the extension",
          .place = {.shard = shard, .stage = "index"}};
}

Result<ShardScan> scan_shard(const Source& shard) { return Scanner(shard).run(); }

}  // namespace penstock::inline v0
