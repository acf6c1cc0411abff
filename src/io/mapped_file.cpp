#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "io/range.hpp"

namespace penstock {
namespace {

int madvise_of(Access access) noexcept {
  switch (access) {
    case Access::normal:
      return MADV_NORMAL;
    case Access::sequential:
      return MADV_SEQUENTIAL;
    case Access::will_need:
      return MADV_WILLNEED;
  }
  return MADV_NORMAL;
}

}  // namespace

Result<std::unique_ptr<MappedFile>> MappedFile::open(const std::string& path, Access access) {
  PENSTOCK_ASSIGN(const OpenFile file, OpenFile::open_regular(path.c_str()));
  const std::uint64_t size = file.state().size;
  if (size > std::numeric_limits<std::size_t>::max()) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("a file of {} bytes cannot be mapped on this machine", size),
                 .advice = "split it",
                 .place = {.shard = path, .stage = "open"}};
  }
  void* data = nullptr;
  if (size > 0) {  // mmap refuses a length of 0
    data = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, file.descriptor(), 0);
    if (data == MAP_FAILED) {
      const int number = errno;
      Error error = file_error(number, "mapping the file failed", path);
      if (number == ENOMEM) {
        error.advice = "raise the limit vm.max_map_count or ulimit -v, or use fewer, larger shards";
      }
      return error;
    }
  }
  std::unique_ptr<MappedFile> mapped(
      new MappedFile(path, static_cast<const std::uint8_t*>(data), file.state()));
  if (data != nullptr) {
    mapped->guard_ = MappingGuard(mapped->data_, static_cast<std::size_t>(size));
  }
  if (access != Access::normal) {
    mapped->advise(access, 0, size);
  }
  return mapped;
}

MappedFile::~MappedFile() { close(); }

void MappedFile::close() noexcept {
  guard_ = {};
  if (data_ != nullptr) {
    ::munmap(const_cast<std::uint8_t*>(data_), static_cast<std::size_t>(size_));
  }
  data_ = nullptr;
  size_ = 0;
  open_ = false;
}

Result<ByteSpan> MappedFile::read(std::uint64_t offset, std::uint64_t size, Scratch&) const {
  if (!open_) {
    return Error{.kind = ErrorKind::io,
                 .message = "the file is closed",
                 .advice = {},
                 .place = {.shard = path_, .offset = offset, .stage = "read"}};
  }
  if (!is_within(offset, size, size_)) {
    return range_error(*this, offset, size);
  }
  return ByteSpan(data_ + offset, static_cast<std::size_t>(size));
}

void MappedFile::advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept {
  if (data_ == nullptr || offset >= size_) {
    return;
  }
  static const std::uint64_t page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t end = size > size_ - offset ? size_ : offset + size;
  const std::uint64_t begin = offset / page * page;
  ::madvise(const_cast<std::uint8_t*>(data_) + begin, static_cast<std::size_t>(end - begin),
            madvise_of(access));
}

Status MappedFile::check() const {
  Status there = unless_gone(bytes(), {});
  if (!there) {
    Error error = std::move(there).error();
    error.place.shard = path_;
    return error;
  }
  return there;
}

}  // namespace penstock
