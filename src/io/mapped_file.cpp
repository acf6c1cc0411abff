#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "io/range.hpp"

namespace penstock::inline v0 {
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

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::int64_t modified_at(const struct stat& found) noexcept {
  return static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec;
}

}  // namespace

Result<Bytes> Mapping::map(const OpenFile& file, const std::string& path) {
  const std::uint64_t size = file.state().size;
  if (size > std::numeric_limits<std::size_t>::max()) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("a file of {} bytes cannot be mapped on this machine", size),
                 .advice = "split it",
                 .place = {.shard = path, .stage = "open"}};
  }
  if (size == 0) {  // mmap refuses a length of 0
    return Bytes();
  }
  void* const data =
      ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (data == MAP_FAILED) {
    const int number = errno;
    Error error = file_error(number, "mapping the file failed", path);
    if (number == ENOMEM) {
      error.advice = "raise the limit vm.max_map_count or ulimit -v, or use fewer, larger shards";
    }
    return error;
  }
  const ByteSpan bytes(static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size));
  auto* const mapping = new Mapping(path, bytes, file.state());
  Bytes held = Bytes::held(bytes, *mapping);
  mapping->absolute_path_ = absolute_path(path);
  struct stat found {};
  if (::fstat(file.descriptor(), &found) == 0) {
    mapping->inode_ = {found.st_dev, found.st_ino};
  }
  mapping->guard_ = MappingGuard(bytes.data(), bytes.size());
  return held;
}

Mapping::~Mapping() {
  guard_ = {};
  ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path, Access access) {
  PENSTOCK_ASSIGN(const OpenFile file, OpenFile::open_regular(path.c_str()));
  return map(file, path, access);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::map(const OpenFile& file, const std::string& path,
                                                          Access access) {
  PENSTOCK_ASSIGN(Bytes bytes, Mapping::map(file, path));
  std::shared_ptr<const MappedFile> mapped(new MappedFile(path, file.state(), std::move(bytes)));
  if (access != Access::normal) {
    mapped->advise(access, 0, mapped->size());
  }
  return mapped;
}

Result<Bytes> MappedFile::read(std::uint64_t offset, std::uint64_t size) const {
  if (!is_within(offset, size, bytes_.size())) {
    return range_error(*this, offset, size);
  }
  return bytes_.lend(offset, size);
}

void MappedFile::advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept {
  const std::uint64_t all = bytes_.size();
  if (offset >= all) {
    return;
  }
  const std::uint64_t end = size > all - offset ? all : offset + size;
  const std::uint64_t begin = offset / page_size() * page_size();
  ::madvise(const_cast<std::uint8_t*>(bytes_.data()) + begin, static_cast<std::size_t>(end - begin),
            madvise_of(access));
}

Status Mapping::check_page_by_page(ByteSpan part) const {
  if (guard_.is_gone(part)) {
    return gone(part);
  }
  // A file that was cut within a page reads as zeros up to the end of that page, and no signal tells. What
  // ends in such zeros is told from what the file really holds by the file's size.
  const std::uint8_t* const data = bytes_.data();
  const std::size_t rest_of_page = page_size() - 1;  // sizes of pages are powers of two
  const std::uint8_t* const page_end =
      data + (static_cast<std::size_t>(&part.back() - data) | rest_of_page) + 1;
  if (std::any_of(&part.back(), std::min(page_end, data + bytes_.size()),
                  [](std::uint8_t byte) { return byte != 0; })) {
    return {};
  }
  struct stat now {};
  const auto end = static_cast<std::uint64_t>(part.data() + part.size() - data);
  if (::stat(absolute_path_.c_str(), &now) == 0 && Inode{now.st_dev, now.st_ino} == inode_ &&
      static_cast<std::uint64_t>(now.st_size) < end) {
    return gone(part);
  }
  return {};
}

Error Mapping::gone(ByteSpan part) const {
  Error error{.kind = ErrorKind::io,
              .message = {},
              .advice = {},
              .place = {.shard = path_,
                        .offset = static_cast<std::uint64_t>(part.data() - bytes_.data()),
                        .stage = "read"}};
  struct stat now {};
  if (::stat(absolute_path_.c_str(), &now) != 0 || Inode{now.st_dev, now.st_ino} != inode_) {
    error.message = "the file was replaced or deleted while it was in use, and can no longer be read";
    error.advice = "open the data set again";
  } else if (static_cast<std::uint64_t>(now.st_size) < state_.size || modified_at(now) != state_.modified) {
    error.message = "the file became shorter while it was in use";
    error.advice = "replace files by renaming new ones over them, not by writing into them";
  } else {
    error.message = "reading the file failed (I/O error)";
    error.advice = "check the disk or the network, and the system's log; then open the data set again";
  }
  return error;
}

}  // namespace penstock::inline v0
