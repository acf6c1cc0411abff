#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/cpu.hpp"
#include "formats/folder_scan.hpp"
#include "formats/hdf5_table.hpp"
#include "formats/image_folder.hpp"
#include "formats/sample_table.hpp"
#include "formats/source_list.hpp"
#include "formats/store.hpp"
#include "formats/tar_table.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

bool is_folder(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed);
}

/// What lies directly in a folder and matters here.
struct FolderContents {
  std::vector<NamedPath> tars;        ///< sorted
  std::vector<NamedPath> compressed;  ///< sorted
  std::vector<std::string> folders;   ///< names
};

bool names_compressed_tar(std::string_view lower) noexcept {
  constexpr std::array<std::string_view, 11> kEndings = {".tar.gz", ".tgz",     ".tar.bz2", ".tbz",
                                                         ".tbz2",   ".tar.xz",  ".txz",     ".tar.zst",
                                                         ".tzst",   ".tar.lz4", ".tlz4"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [lower](std::string_view ending) { return lower.ends_with(ending); });
}

bool names_hdf5(std::string_view lower) noexcept {
  return lower.ends_with(".h5") || lower.ends_with(".hdf5");
}

Result<FolderContents> look_into(const NamedPath& folder) {
  auto listed = list_folder(folder.path);
  if (!listed.ok()) {
    Error error = std::move(listed).error();
    error.place.source = folder.named;
    return error;
  }
  FolderNames names = std::move(listed).value();
  FolderContents contents;
  contents.folders = std::move(names.folders);
  for (const std::string& name : names.files) {
    const std::string lower = lower_case(name);
    const NamedPath file{(std::filesystem::path(folder.path) / name).string(), folder.named};
    if (lower.ends_with(".tar")) {
      contents.tars.push_back(file);
    } else if (names_compressed_tar(lower)) {
      contents.compressed.push_back(file);
    }
  }
  return contents;
}

/// Tars beside class folders (an archive and what was unpacked from it) may be meant either way.
Status refuse_classes_beside_tars(const NamedPath& folder, const FolderContents& contents) {
  for (const std::string& name : contents.folders) {
    // A folder that cannot be read (lost+found) is no class that was meant.
    const auto files = find_files((std::filesystem::path(folder.path) / name).string(), true);
    if (files.ok() && files->any()) {
      return Error{
          .kind = ErrorKind::invalid,
          .message = fmt::format(
              "'{}' holds {} tar files and folders with {} (first: '{}'): either could be the data set",
              printable_path(folder.path), contents.tars.size(),
              files->images.paths.empty() ? "recordings" : "images", printable(name)),
          .advice = fmt::format(
              "use a pattern for the tars ('{}'), or move them elsewhere to read the class folders",
              printable_path((std::filesystem::path(folder.path) / "*.tar").string())),
          .place = {.source = folder.named, .shard = folder.path, .stage = "open"}};
    }
  }
  return {};
}

Error opened_alone(const NamedPath& entry, const char* what, std::size_t sources, const char* advice) {
  return {.kind = ErrorKind::unsupported,
          .message = fmt::format("'{}' is {}, among {} sources", printable_path(entry.path), what, sources),
          .advice = advice,
          .place = {.source = entry.named, .shard = entry.path, .stage = "open"}};
}

/// Images and recordings that lie beside the tars of a folder are no samples; empty if there are none.
std::string remark_on_files_beside_tars(const NamedPath& folder) {
  const auto files = find_files(folder.path, false);
  if (!files.ok() || !files->any()) {
    return {};
  }
  const auto& images = files->images.paths;
  const auto& recordings = files->recordings.paths;
  return fmt::format("'{}' holds tar files, which are read; {} {} beside them are left out (first: '{}')",
                     printable_path(folder.path), images.size() + recordings.size(),
                     recordings.empty() ? "images"
                     : images.empty()   ? "recordings"
                                        : "images and recordings",
                     printable(images.empty() ? recordings.front() : images.front()));
}

bool holds_samples(const NamedPath& folder) {
  const auto files = find_files(folder.path, false);
  return files.ok() && files->any();
}

}  // namespace

Result<std::unique_ptr<SampleTable>> open_samples(const std::vector<std::string>& sources,
                                                  const FieldChoice& fields) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  PENSTOCK_ASSIGN(const std::vector<NamedPath> found, resolve_sources(sources));
  std::vector<NamedPath> shards;
  std::vector<std::string> remarks;
  for (const NamedPath& entry : found) {
    if (!is_folder(entry.path)) {
      // Among thousands of shards, names are cheaper than a look into each.
      if ((found.size() == 1 || names_hdf5(lower_case(entry.path))) && is_hdf5_file(entry.path)) {
        if (found.size() > 1) {
          return opened_alone(entry, "an HDF5 file", found.size(),
                              "open an HDF5 file on its own; build one file of all recordings");
        }
        return open_hdf5_table(entry, fields);
      }
      shards.push_back(entry);
      continue;
    }
    if (is_store(entry.path)) {
      if (found.size() > 1) {
        return opened_alone(entry, "a store", found.size(),
                            "open a store on its own; penstock build --append joins sources");
      }
      return open_store(entry, fields);
    }
    PENSTOCK_ASSIGN(const FolderContents contents, look_into(entry));
    if (!contents.tars.empty()) {
      PENSTOCK_TRY(refuse_classes_beside_tars(entry, contents));
      if (std::string remark = remark_on_files_beside_tars(entry); !remark.empty()) {
        remarks.push_back(std::move(remark));
      }
      shards.insert(shards.end(), contents.tars.begin(), contents.tars.end());
    } else if (!contents.compressed.empty() && contents.folders.empty() && !holds_samples(entry)) {
      // Reading them gives the error that tells what to do.
      shards.insert(shards.end(), contents.compressed.begin(), contents.compressed.end());
    } else if (found.size() == 1) {
      return open_image_folder(entry, fields);
    } else {
      return Error{.kind = ErrorKind::unsupported,
                   .message = fmt::format("'{}' is a folder without tar shards, among {} sources",
                                          printable_path(entry.path), found.size()),
                   .advice = "to open class folders, pass the folder that contains them all",
                   .place = {.source = entry.named, .shard = entry.path, .stage = "open"}};
    }
  }
  return open_tar_table(shards, fields, std::move(remarks));
}

}  // namespace penstock::inline v0
