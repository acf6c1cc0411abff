#include "formats/folder_scan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "codecs/audio_catalog.hpp"
#include "codecs/catalog.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

std::string extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : lower_case(name.substr(dot + 1));
}

/// Puts the names of one kind aside as folders are walked.
class Collector {
 public:
  /// Whether it is of this kind.
  template <class Codec>
  bool take(const CodecCatalog<Codec>& catalog, const std::string& extension, const std::string& folder,
            const std::string& name) {
    if (catalog.reads(extension)) {
      if (by_folder_.empty() || by_folder_.back().first != folder) {
        by_folder_.emplace_back(folder, std::vector<std::string>());
      }
      by_folder_.back().second.push_back(name);
      return true;
    }
    if (!catalog.knows_but_cannot_read(extension)) {
      return false;
    }
    if (found_.undecodable++ == 0) {
      found_.first_undecodable = folder.empty() ? name : folder + "/" + name;
    }
    return true;
  }

  FoundKind finish() {
    std::sort(by_folder_.begin(), by_folder_.end());
    for (const auto& [folder, names] : by_folder_) {
      for (const std::string& name : names) {
        found_.paths.push_back(folder.empty() ? name : folder + "/" + name);
      }
    }
    return std::move(found_);
  }

 private:
  FoundKind found_;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_folder_;
};

class Finder {
 public:
  Finder(const Storage& storage, const std::string& root, bool deep)
      : storage_(storage), root_(root), deep_(deep) {}

  Result<FoundFiles> run() {
    PENSTOCK_TRY(walk(""));
    return finish();
  }

  void take(const FolderNames& names, const std::string& folder) {
    for (const std::string& name : names.files) {
      const std::string extension = extension_of(name);
      if (!images_.take(image_catalog(), extension, folder, name)) {
        recordings_.take(audio_catalog(), extension, folder, name);
      }
    }
  }
  FoundFiles finish() { return {.images = images_.finish(), .recordings = recordings_.finish()}; }

 private:
  Status walk(const std::string& folder) {
    const std::string path = folder.empty() ? root_ : root_ + "/" + folder;
    PENSTOCK_ASSIGN(const ObjectState state, storage_.stat(path));
    // Without inodes there are no links either.
    if (state.identity.inode != 0 && !visited_.emplace(state.device, state.identity.inode).second) {
      return {};
    }
    PENSTOCK_ASSIGN(const FolderNames names, list_folder(storage_, path));
    take(names, folder);
    if (deep_) {
      for (const std::string& name : names.folders) {
        PENSTOCK_TRY(walk(folder.empty() ? name : folder + "/" + name));
      }
    }
    return {};
  }

  const Storage& storage_;
  std::string root_;
  bool deep_;
  Collector images_;
  Collector recordings_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> visited_;
};

}  // namespace

Result<FolderNames> list_folder(const Storage& storage, const std::string& folder) {
  PENSTOCK_ASSIGN(std::vector<ListedObject> entries, storage.list(folder));
  FolderNames names;
  for (ListedObject& entry : entries) {
    if (!entry.name.starts_with('.')) {
      (entry.is_folder ? names.folders : names.files).push_back(std::move(entry.name));
    }
  }
  return names;
}

Result<FoundFiles> find_files(const Storage& storage, const std::string& folder, bool deep) {
  return Finder(storage, folder, deep).run();
}

FoundFiles files_among(const FolderNames& names) {
  Finder finder(*local_storage(), "", false);
  finder.take(names, "");
  return finder.finish();
}

std::string_view without_extension(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  const bool in_name = dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash);
  return in_name ? path.substr(0, dot) : path;
}

}  // namespace penstock::inline v0
