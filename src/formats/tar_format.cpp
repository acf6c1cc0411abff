#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "formats/format.hpp"
#include "formats/tar_table.hpp"
#include "formats/text.hpp"
#include "io/path.hpp"

namespace penstock::inline v0 {
namespace {

bool names_tar(const std::string& name) { return lower_case(name).ends_with(".tar"); }

bool names_compressed_tar(const std::string& name) {
  constexpr std::array<std::string_view, 11> kEndings = {".tar.gz", ".tgz",     ".tar.bz2", ".tbz",
                                                         ".tbz2",   ".tar.xz",  ".txz",     ".tar.zst",
                                                         ".tzst",   ".tar.lz4", ".tlz4"};
  const std::string lower = lower_case(name);
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&lower](std::string_view ending) { return lower.ends_with(ending); });
}

template <class Test>
bool any_file(const FolderNames& names, Test&& test) {
  return std::any_of(names.files.begin(), names.files.end(), test);
}

/// Files that are no archives too: reading them gives the error that tells what to do.
Result<bool> recognise_tar(const Candidate& candidate, bool /*among_many*/) {
  if (!candidate.is_folder()) {
    return true;
  }
  const Result<FolderNames>& names = candidate.names();
  return names.ok() &&
         (any_file(*names, names_tar) ||
          (any_file(*names, names_compressed_tar) && names->folders.empty() && !files_among(*names).any()));
}

/// Tars beside class folders (an archive and what was unpacked from it) may be meant either way.
Status refuse_classes_beside_tars(const NamedPath& folder, const FolderNames& names, std::size_t tars) {
  for (const std::string& name : names.folders) {
    // A folder that cannot be read (lost+found) is no class that was meant.
    const auto files = find_files(*folder.storage, join_path(folder.path, name), true);
    if (files.ok() && files->any()) {
      return Error{
          .kind = ErrorKind::invalid,
          .message = fmt::format(
              "'{}' holds {} tar files and folders with {} (first: '{}'): either could be the data set",
              printable_path(folder.path), tars, files->images.paths.empty() ? "recordings" : "images",
              printable(name)),
          .advice = fmt::format(
              "use a pattern for the tars ('{}'), or move them elsewhere to read the class folders",
              printable_path(join_path(folder.path, "*.tar"))),
          .place = {.source = folder.named, .shard = folder.path, .stage = "open"}};
    }
  }
  return {};
}

/// Images and recordings that lie beside the tars of a folder are no samples; empty if there are none.
std::string remark_on_files_beside_tars(const NamedPath& folder, const FolderNames& names) {
  const FoundFiles files = files_among(names);
  if (!files.any()) {
    return {};
  }
  const auto& images = files.images.paths;
  const auto& recordings = files.recordings.paths;
  return fmt::format("'{}' holds tar files, which are read; {} {} beside them are left out (first: '{}')",
                     printable_path(folder.path), images.size() + recordings.size(),
                     recordings.empty() ? "images"
                     : images.empty()   ? "recordings"
                                        : "images and recordings",
                     printable(images.empty() ? recordings.front() : images.front()));
}

/// Appends the shards that a source stands for.
Status add_shards(const NamedPath& source, std::vector<NamedPath>& shards,
                  std::vector<std::string>& remarks) {
  const Candidate candidate(source);
  if (!candidate.is_folder()) {
    shards.push_back(source);
    return {};
  }
  if (!candidate.names().ok()) {
    Error error = candidate.names().error();
    error.place.source = source.named;
    return error;
  }
  const FolderNames& names = *candidate.names();
  const auto add_all = [&](bool (*test)(const std::string&)) {
    for (const std::string& name : names.files) {
      if (test(name)) {
        shards.push_back({join_path(source.path, name), source.named, source.storage});
      }
    }
  };
  const std::size_t before = shards.size();
  add_all(names_tar);
  if (shards.size() == before) {
    add_all(names_compressed_tar);
    return {};
  }
  PENSTOCK_TRY(refuse_classes_beside_tars(source, names, shards.size() - before));
  if (std::string remark = remark_on_files_beside_tars(source, names); !remark.empty()) {
    remarks.push_back(std::move(remark));
  }
  return {};
}

Result<std::unique_ptr<SampleTable>> open_tars(const std::vector<NamedPath>& sources,
                                               const OpenOptions& options) {
  std::vector<NamedPath> shards;
  std::vector<std::string> remarks;
  for (const NamedPath& source : sources) {
    PENSTOCK_TRY(add_shards(source, shards, remarks));
  }
  return open_tar_table(shards, options, std::move(remarks));
}

}  // namespace

const Format kTarFormat = {.name = "tar", .recognise = recognise_tar, .open = open_tars};

}  // namespace penstock::inline v0
