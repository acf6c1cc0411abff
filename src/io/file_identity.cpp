#include "io/file_identity.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {

SourceIdentity& SourceIdentity::add(std::string_view path, const FileIdentity& file) {
  hash_.update(fmt::format("{}:", path.size()))
      .update(path)
      .update(fmt::format("|{} {} {} {}", file.size, file.modified, file.changed, file.inode));
  if (!file.tag.empty()) {
    hash_.update(fmt::format(" {}:", file.tag.size())).update(file.tag);
  }
  hash_.update("\n");
  return *this;
}

std::string SourceIdentity::finish() { return to_hex(hash_.finish()); }

}  // namespace penstock::inline v0
