#pragma once
// What a folder of classes, or of files without classes, holds: its samples in order, and what is worth
// telling.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/folder_scan.hpp"
#include "formats/named_path.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// All paths in one run of bytes: a million samples are a few allocations.
class PathList {
 public:
  void add(std::string_view folder, std::string_view path) {
    if (!folder.empty()) {
      bytes_ += folder;
      bytes_ += '/';
    }
    bytes_ += path;
    ends_.push_back(bytes_.size());
  }
  std::size_t size() const noexcept { return ends_.size(); }
  std::string_view operator[](std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

/// What the samples of a folder are, and how messages name it.
struct FolderContent {
  FieldKind kind;
  const char* field;
  const char* one;
  const char* many;
  std::string (*extensions)();
  FoundKind FoundFiles::*found;
};

struct FolderContents {
  const FolderContent* content = nullptr;
  PathList paths;                     ///< relative to the root
  std::vector<std::uint32_t> labels;  ///< empty without classes
  std::vector<std::string> classes;
  std::vector<std::string> warnings;
};

/// `not_found` if there are no samples, or none of a class.
Result<FolderContents> contents_of(const NamedPath& root);

}  // namespace penstock::inline v0
