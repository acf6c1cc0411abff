#pragma once
// Finding the images and recordings below a folder.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/storage.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Files of one kind of content.
struct FoundKind {
  std::vector<std::string>
      paths;  ///< relative to the folder; as torchvision orders them: by folder, then by name
  std::uint64_t undecodable = 0;  ///< files that cannot be decoded (bmp, tiff, gif, ...; m4a, wma, ...)
  std::string first_undecodable;  ///< relative path
};

struct FoundFiles {
  FoundKind images;
  FoundKind recordings;

  bool any() const noexcept { return !images.paths.empty() || !recordings.paths.empty(); }
};

struct FolderNames {
  std::vector<std::string> folders;  ///< sorted by bytes
  std::vector<std::string> files;    ///< sorted by bytes; all that is not a folder
};

/// What a folder holds; links are followed, hidden names left out.
Result<FolderNames> list_folder(const Storage& storage, const std::string& folder);

/// Images and recordings in `folder` and, if `deep`, in the folders below. Each folder is visited once, so
/// that links in a circle end.
Result<FoundFiles> find_files(const Storage& storage, const std::string& folder, bool deep);
/// Those among the files of a folder.
FoundFiles files_among(const FolderNames& names);

/// `path` without the extension of its last component.
std::string_view without_extension(std::string_view path) noexcept;

}  // namespace penstock::inline v0
