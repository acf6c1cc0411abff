#include "formats/format.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/hdf5_table.hpp"
#include "formats/image_folder.hpp"
#include "formats/store.hpp"
#include "formats/tar_table.hpp"
#include "io/path.hpp"

namespace penstock::inline v0 {

std::span<const Format* const> formats() {
  static constexpr std::array kAll = {&kHdf5Format, &kStoreFormat, &kTarFormat, &kClassFolderFormat};
  return kAll;
}

Candidate::Candidate(NamedPath path) : path_(std::move(path)) {
  const auto state = path_.storage->stat(path_.path);
  is_folder_ = state.ok() && state->is_folder();
}

const Result<FolderNames>& Candidate::names() const {
  if (!names_) {
    names_.emplace(list_folder(*path_.storage, path_.path));
  }
  return *names_;
}

const Source* Candidate::file() const {
  if (!file_) {
    auto opened = path_.storage->open(path_.path);
    file_.emplace(opened ? std::move(*opened) : nullptr);
  }
  return file_->get();
}

Result<Bytes> Candidate::first_bytes_of(const std::string& name, std::uint64_t size) const {
  const auto opened = path_.storage->open(join_path(path_.path, name));
  if (!opened) {
    return Bytes();
  }
  PENSTOCK_ASSIGN(const Bytes bytes, (*opened)->read(0, std::min((*opened)->size(), size)));
  PENSTOCK_TRY(bytes.intact());
  return bytes.hold();
}

}  // namespace penstock::inline v0
