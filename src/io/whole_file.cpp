#include "io/whole_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <utility>

namespace penstock::inline v0 {

Result<WholeFile> WholeFile::open(const std::string& path) {
  PENSTOCK_ASSIGN(OpenFile file, OpenFile::open_regular(path.c_str()));
  WholeFile whole(path, file.state().size);
  if (whole.size_ <= kMaxCopied) {
    whole.file_.emplace(std::move(file));
    return whole;
  }
  PENSTOCK_ASSIGN(whole.mapped_, MappedFile::open(path, Access::sequential));
  whole.size_ = whole.mapped_->size();
  return whole;
}

void WholeFile::announce(const std::string& path) noexcept {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor >= 0) {
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED);
    ::close(descriptor);
  }
}

std::optional<Bytes> WholeFile::bytes_available(Scratch& scratch) {
  if (mapped_) {
    mapped_->advise(Access::will_need, 0, size_);
    return {};
  }
  // Fails, or gives less, where it would wait for the disk or where the file system does not know the flag.
  const auto size = static_cast<std::size_t>(size_);
  const struct iovec all = {.iov_base = scratch.reserve(size), .iov_len = size};
  if (::preadv2(file_->descriptor(), &all, 1, 0, RWF_NOWAIT) == static_cast<::ssize_t>(size)) {
    return ByteSpan(scratch.data(), size);
  }
  ::posix_fadvise(file_->descriptor(), 0, 0, POSIX_FADV_WILLNEED);  // a hint: failing is no matter
  return {};
}

Result<Bytes> WholeFile::bytes(Scratch& scratch) {
  if (mapped_) {
    return mapped_->bytes();
  }
  PENSTOCK_ASSIGN(const ByteSpan copied, read_file(*file_, path_.c_str(), scratch));
  return Bytes(copied);
}

}  // namespace penstock::inline v0
