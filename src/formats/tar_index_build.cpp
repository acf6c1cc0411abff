#include "formats/tar_index_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "core/parallel_for.hpp"
#include "core/usable_cores.hpp"
#include "formats/fingerprint.hpp"
#include "formats/text.hpp"
#include "formats/webdataset.hpp"

namespace penstock::inline v0 {
namespace {

/// Collects the text section.
class TextSection {
 public:
  TextRef add(std::string_view text) {
    const TextRef part{static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())};
    bytes_ += text;
    return part;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// Extensions of the whole set, numbered in order of first appearance.
struct AllExtensions {
  std::vector<std::string> names;
  std::vector<std::uint64_t> samples_with;
  std::vector<std::pair<std::uint16_t, std::uint16_t>> together;
  std::vector<std::optional<std::string>> fields;
};

Result<AllExtensions> merge_extensions(const std::vector<std::string>& paths, std::vector<ShardScan>& scans) {
  AllExtensions all;
  std::unordered_map<std::string, std::uint16_t> numbers;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    ShardScan& scan = scans[s];
    std::vector<std::uint16_t> renumbered;
    for (std::size_t e = 0; e < scan.extensions.size(); ++e) {
      const auto [entry, is_new] =
          numbers.try_emplace(scan.extensions[e], static_cast<std::uint16_t>(all.names.size()));
      if (is_new) {
        if (all.names.size() >= kMaxExtensions) {
          return too_many_extensions(paths[s]);
        }
        all.names.push_back(scan.extensions[e]);
        all.samples_with.push_back(0);
      }
      all.samples_with[entry->second] += scan.samples_with[e];
      renumbered.push_back(entry->second);
    }
    for (const auto& [a, b] : scan.together) {
      const std::pair pair{renumbered[a], renumbered[b]};
      if (std::find(all.together.begin(), all.together.end(), pair) == all.together.end()) {
        all.together.push_back(pair);
      }
    }
    for (MemberRecord& member : scan.members) {
      member.extension = renumbered[member.extension];
    }
  }
  all.fields = name_fields(all.names, all.together);
  return all;
}

std::string collect_warnings(const std::vector<std::string>& paths, const std::vector<ShardScan>& scans) {
  constexpr int kShown = 5;
  std::string lines;
  std::uint64_t returning = 0;
  std::uint64_t links = 0;
  std::uint64_t of_desktops = 0;
  int shown = 0;
  const auto add = [&](const std::string& line) {
    if (shown++ < kShown) {
      lines += line + "\n";
    }
  };
  for (std::size_t s = 0; s < scans.size(); ++s) {
    if (scans[s].returning_keys > 0 && returning == 0) {
      add(fmt::format(
          "{}: the key '{}' comes again after other samples, as a sample of its own; the files of a sample "
          "must follow each other (tar --sort=name)",
          printable_path(paths[s]), printable(scans[s].returning_key)));
    }
    returning += scans[s].returning_keys;
    if (scans[s].links > 0 && links == 0) {
      add(
          fmt::format("{}: '{}' is a link, not a file, and is left out; pack with tar --dereference "
                      "--hard-dereference to "
                      "store files",
                      printable_path(paths[s]), printable(scans[s].first_link)));
    }
    links += scans[s].links;
    if (scans[s].of_desktops > 0 && of_desktops == 0) {
      add(fmt::format(
          "{}: '{}' was added by a desktop and is left out; on macOS pack with COPYFILE_DISABLE=1 tar",
          printable_path(paths[s]), printable(scans[s].first_of_desktops)));
    }
    of_desktops += scans[s].of_desktops;
    if (!scans[s].doubt.empty()) {
      add(fmt::format("{}: {}", printable_path(paths[s]), scans[s].doubt));
    }
    if (scans[s].samples.empty()) {
      add(fmt::format("{}: holds no sample", printable_path(paths[s])));
    }
  }
  if (returning > 1) {
    lines += fmt::format("{} samples have a key that came before in their shard\n", returning);
  }
  if (links > 1) {
    lines += fmt::format("{} links are left out\n", links);
  }
  if (of_desktops > 1) {
    lines += fmt::format("{} files that desktops added are left out\n", of_desktops);
  }
  if (shown > kShown) {
    lines += fmt::format("{} more remarks of this kind\n", shown - kShown);
  }
  return lines;
}

/// Over the fields that every sample has, under their default names.
std::string fingerprint_of(const std::vector<ShardScan>& scans, const AllExtensions& all,
                           std::uint64_t samples) {
  std::unordered_map<std::string_view, std::uint64_t> samples_with_field;
  for (std::size_t e = 0; e < all.names.size(); ++e) {
    if (all.fields[e]) {
      samples_with_field[*all.fields[e]] += all.samples_with[e];
    }
  }
  Fingerprint hash;
  std::vector<std::pair<std::string_view, std::uint64_t>> fields;
  for (const ShardScan& scan : scans) {
    for (std::size_t i = 0; i < scan.samples.size(); ++i) {
      const std::size_t begin = scan.samples[i].first_member;
      const std::size_t end =
          i + 1 < scan.samples.size() ? scan.samples[i + 1].first_member : scan.members.size();
      fields.clear();
      for (std::size_t m = begin; m < end; ++m) {
        const auto& field = all.fields[scan.members[m].extension];
        if (field && samples_with_field[*field] == samples) {
          fields.emplace_back(*field, scan.members[m].size());
        }
      }
      std::sort(fields.begin(), fields.end());
      hash.add_sample(scan.key(i), fields.size());
      for (const auto& [name, size] : fields) {
        hash.add_field(name, size);
      }
    }
  }
  return hash.finish();
}

Error too_large(const char* what) {
  return {.kind = ErrorKind::unsupported,
          .message = fmt::format("the data set has too many {} for one index", what),
          .advice = "open it in parts",
          .place = {.stage = "index"}};
}

/// Copies tables into their place in the finished bytes.
class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  void at(std::uint64_t offset) { offset_ = static_cast<std::size_t>(offset); }
  void put(const void* data, std::size_t size) {
    if (size > 0) {
      std::memcpy(bytes_.data() + offset_, data, size);
      offset_ += size;
    }
  }
  template <class T>
  void put(const T& record) {
    put(&record, sizeof record);
  }

 private:
  std::vector<std::uint8_t>& bytes_;
  std::size_t offset_ = 0;
};

}  // namespace

Result<std::vector<ShardScan>> scan_shards(const std::vector<SourcePtr>& shards) {
  std::vector<std::optional<Result<ShardScan>>> results(shards.size());
  parallel_for(shards.size(), usable_cores(),
               [&](std::size_t i) { results[i].emplace(scan_shard(*shards[i])); });
  std::vector<ShardScan> scans;
  scans.reserve(shards.size());
  for (auto& result : results) {
    PENSTOCK_ASSIGN(ShardScan scan, std::move(*result));
    scans.push_back(std::move(scan));
  }
  return scans;
}

Result<std::vector<std::uint8_t>> build_tar_index(const std::vector<std::string>& paths,
                                                  const std::vector<FileIdentity>& states,
                                                  std::vector<ShardScan> scans) {
  PENSTOCK_ASSIGN(const AllExtensions all, merge_extensions(paths, scans));
  TarIndexHeader header;
  TextSection text;
  std::vector<ShardRecord> shards;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    shards.push_back({text.add(name_of_shard(paths[s], states[s].tag)), states[s].size, states[s].modified,
                      states[s].changed});
    header.samples += scans[s].samples.size();
    header.members += scans[s].members.size();
    header.key_bytes += scans[s].keys.size();
  }
  std::vector<ExtensionRecord> extensions;
  for (std::size_t e = 0; e < all.names.size(); ++e) {
    extensions.push_back({.extension = text.add(all.names[e]),
                          .field = text.add(all.fields[e].value_or("")),
                          .samples = all.samples_with[e],
                          .has_field = all.fields[e].has_value()});
  }
  header.warnings = text.add(collect_warnings(paths, scans));
  header.shards = shards.size();
  header.extensions = extensions.size();
  header.text_bytes = text.bytes().size();
  if (header.members >> SampleRecord::kMemberBits != 0) {
    return too_large("members");
  }
  if (header.shards >> (64 - SampleRecord::kMemberBits) != 0 || header.text_bytes > UINT32_MAX) {
    return too_large("shards");
  }
  const std::string fingerprint = fingerprint_of(scans, all, header.samples);
  std::copy_n(fingerprint.begin(), header.fingerprint.size(), header.fingerprint.begin());
  const auto at = TarIndexLayout::of(header);
  if (!at) {
    return too_large("samples");
  }
  header.total_size = at->total;

  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(at->total));
  Writer samples(bytes);
  Writer members(bytes);
  Writer keys(bytes);
  samples.at(at->samples);
  members.at(at->members);
  keys.at(at->keys);
  SampleRecord end;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    const ShardScan& scan = scans[s];
    for (const ShardScan::Sample& sample : scan.samples) {
      samples.put(
          SampleRecord{(end.where + sample.first_member) | (std::uint64_t{s} << SampleRecord::kMemberBits),
                       end.key_begin + sample.key_begin});
    }
    members.put(scan.members.data(), scan.members.size() * sizeof(MemberRecord));
    keys.put(scan.keys.data(), scan.keys.size());
    end.where += scan.members.size();
    end.key_begin += scan.keys.size();
  }
  samples.put(end);
  Writer rest(bytes);
  rest.at(at->shards);
  rest.put(shards.data(), shards.size() * sizeof(ShardRecord));
  rest.at(at->extensions);
  rest.put(extensions.data(), extensions.size() * sizeof(ExtensionRecord));
  rest.at(at->text);
  rest.put(text.bytes().data(), text.bytes().size());
  rest.at(0);
  rest.put(header);
  header.checksum = tar_index_checksum(ByteSpan(bytes).subspan(32));
  rest.at(0);
  rest.put(header);
  return bytes;
}

}  // namespace penstock::inline v0
