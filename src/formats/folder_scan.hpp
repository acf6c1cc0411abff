#pragma once
// Finding the pictures below a folder.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"

namespace penstock {

struct FoundPictures {
  std::vector<std::string>
      paths;  ///< relative to the folder; as torchvision orders them: by folder, then by name
  std::uint64_t undecodable = 0;  ///< pictures of kinds that cannot be decoded (bmp, tiff, gif, ...)
  std::string first_undecodable;  ///< relative path
};

struct FolderNames {
  std::vector<std::string> folders;  ///< sorted by bytes
  std::vector<std::string> files;    ///< sorted by bytes; all that is no folder
};

/// What a folder holds; links are followed, hidden names left out.
Result<FolderNames> list_folder(const std::string& folder);

/// Pictures in `folder` and, if `deep`, in the folders below. Each folder is visited once, so that links in a
/// circle end.
Result<FoundPictures> find_pictures(const std::string& folder, bool deep);

/// `path` without the extension of its last component.
std::string_view without_extension(std::string_view path) noexcept;

}  // namespace penstock
