#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "formats/folder_scan.hpp"
#include "formats/image_folder.hpp"
#include "formats/sample_table.hpp"
#include "formats/source_list.hpp"
#include "formats/store.hpp"
#include "formats/tar_table.hpp"
#include "formats/text.hpp"

namespace penstock {
namespace {

bool is_folder(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed);
}

/// The tar files that lie directly in a folder, sorted.
Result<std::vector<NamedPath>> tars_in(const NamedPath& folder) {
  PENSTOCK_ASSIGN(const FolderNames names, list_folder(folder.path));
  std::vector<NamedPath> tars;
  for (const std::string& name : names.files) {
    if (lower_case(name).ends_with(".tar")) {
      tars.push_back({(std::filesystem::path(folder.path) / name).string(), folder.named});
    }
  }
  return tars;
}

}  // namespace

Result<std::unique_ptr<SampleTable>> open_samples(const std::vector<std::string>& sources,
                                                  const FieldChoice& fields) {
  PENSTOCK_ASSIGN(const std::vector<NamedPath> found, resolve_sources(sources));
  std::vector<NamedPath> shards;
  for (const NamedPath& entry : found) {
    if (!is_folder(entry.path)) {
      shards.push_back(entry);
      continue;
    }
    if (is_store(entry.path)) {
      if (found.size() > 1) {
        return Error{
            .kind = ErrorKind::unsupported,
            .message = fmt::format("'{}' is a store, among {} sources", printable(entry.path), found.size()),
            .advice = "a store is opened by itself; penstock build --append joins sources in one",
            .place = {.source = entry.named, .shard = entry.path, .stage = "open"}};
      }
      return open_store(entry, fields);
    }
    PENSTOCK_ASSIGN(const std::vector<NamedPath> tars, tars_in(entry));
    if (!tars.empty()) {
      shards.insert(shards.end(), tars.begin(), tars.end());
    } else if (found.size() == 1) {
      return open_image_folder(entry, fields);
    } else {
      return Error{.kind = ErrorKind::unsupported,
                   .message = fmt::format("'{}' is a folder without tar shards, among {} sources",
                                          printable(entry.path), found.size()),
                   .advice = "class folders are opened by naming the one folder that holds them all",
                   .place = {.source = entry.named, .shard = entry.path, .stage = "open"}};
    }
  }
  return open_tar_table(shards, fields);
}

}  // namespace penstock
