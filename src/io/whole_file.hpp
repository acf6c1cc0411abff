#pragma once
// A file that is read once, from its first byte to its last.

#include <memory>
#include <optional>
#include <string>

#include "io/file.hpp"
#include "io/mapped_file.hpp"

namespace penstock::inline v0 {

/// Small files are copied into memory that is used again: mapping them costs more, and unmapping interrupts
/// all threads of the process. Larger ones are mapped. One thread.
class WholeFile {
 public:
  /// Files of more bytes are mapped.
  static constexpr std::uint64_t kMaxCopied = 1 << 20;

  /// A missing file is `not_found`; a directory, a device or a refused access is `io`.
  static Result<WholeFile> open(const std::string& path);

  /// Lets the system fetch a file that will be opened soon. A hint: what fails will fail again when it
  /// counts.
  static void announce(const std::string& path) noexcept;

  std::uint64_t size() const noexcept { return size_; }

  /// The bytes, if they are in the page cache. If not, or if the file is large, the system is asked to fetch
  /// them: bytes() then waits less, or not at all.
  std::optional<Bytes> bytes_available(Scratch& scratch);
  /// All bytes. They live as long as this and until the next use of `scratch`.
  Result<Bytes> bytes(Scratch& scratch);

 private:
  WholeFile(std::string path, std::uint64_t size) : path_(std::move(path)), size_(size) {}

  std::string path_;
  std::uint64_t size_;
  std::optional<OpenFile> file_;  ///< a small one
  std::unique_ptr<MappedFile> mapped_;
};

}  // namespace penstock::inline v0
