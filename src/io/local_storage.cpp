#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/mapped_file.hpp"
#include "io/read_buffers.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

namespace fs = std::filesystem;

class LocalStorage final : public Storage {
 public:
  Result<std::vector<ListedObject>> list(const std::string& folder) const override {
    std::vector<ListedObject> entries;
    std::error_code failed;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      // Needs a look at the file system for links only.
      std::error_code unknown;
      const bool is_link = entry->is_symlink(unknown);
      entries.push_back({.name = entry->path().filename().string(),
                         .is_folder = entry->is_directory(unknown),
                         .is_link = is_link});
    }
    if (failed) {
      return file_error(failed.value(), "cannot list the folder", folder.empty() ? "." : folder);
    }
    std::sort(entries.begin(), entries.end(),
              [](const ListedObject& a, const ListedObject& b) { return a.name < b.name; });
    return entries;
  }

  Result<ObjectState> stat(const char* path) const override { return object_state(path); }

  Result<SourcePtr> open(const std::string& path, Access access) const override {
    PENSTOCK_ASSIGN(SourcePtr file, MappedFile::open(path, access));
    return file;
  }

  Result<Bytes> read(const char* path) const override {
    PENSTOCK_ASSIGN(const OpenFile file, OpenFile::open_regular(path));
    if (file.state().size > kMaxCopiedFile) {
      return Mapping::map(file, path);
    }
    return buffers_.read([&](Scratch& memory) { return read_file(file, path, memory); });
  }

  Result<Bytes> read_start(const char* path, std::uint64_t size) const override {
    PENSTOCK_ASSIGN(const OpenFile file, OpenFile::open_regular(path));
    return buffers_.read([&](Scratch& memory) { return read_file(file, path, memory, size); });
  }

  std::optional<Bytes> read_without_waiting(const std::string& path) const override {
    const auto file = OpenFile::open_regular(path.c_str());
    if (!file) {
      return {};  // read() says why
    }
    const auto size = static_cast<std::size_t>(file->state().size);
    if (size <= kMaxCopiedFile) {
      auto bytes = buffers_.read([&](Scratch& memory) -> Result<ByteSpan> {
        // Fails, or gives less, where it would wait for the disk or where the file system does not know the
        // flag.
        const struct iovec all = {.iov_base = memory.reserve(size), .iov_len = size};
        if (::preadv2(file->descriptor(), &all, 1, 0, RWF_NOWAIT) != static_cast<::ssize_t>(size)) {
          return Error{.kind = ErrorKind::timeout, .message = {}, .place = {}};
        }
        return ByteSpan(memory.data(), size);
      });
      if (bytes) {
        return std::move(*bytes);
      }
    }
    ::posix_fadvise(file->descriptor(), 0, 0, POSIX_FADV_WILLNEED);  // a hint: failing is no matter
    return {};
  }

  void announce(const std::string& path) const noexcept override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) {
      ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED);
      ::close(descriptor);
    }
  }

  std::string absolute(const std::string& path) const override {
    std::error_code failed;
    return path.empty() ? fs::current_path(failed).string() : absolute_path(path);
  }

 private:
  mutable ReadBuffers buffers_;
};

}  // namespace

const StoragePtr& local_storage() {
  // Never destroyed: threads may hold its buffers until the process ends.
  static const StoragePtr& storage = *new StoragePtr(std::make_shared<const LocalStorage>());
  return storage;
}

}  // namespace penstock::inline v0
