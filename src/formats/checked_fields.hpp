#pragma once
// Which fields of a store have been compared with their checksum.

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

namespace penstock::inline v0 {

/// One bit per field of every sample: whether its bytes agreed with their checksum. In memory that the system
/// provides page by page when it is touched, so that a billion samples cost nothing before they are read. Any
/// thread; two that read a field at once may both find it unknown.
class CheckedFields {
 public:
  explicit CheckedFields(std::uint64_t fields) noexcept : bytes_((fields / 64 + 1) * sizeof(Word)) {
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    // Without memory every read is checked.
    words_ = memory != MAP_FAILED ? static_cast<Word*>(memory) : nullptr;
  }
  ~CheckedFields() {
    if (words_ != nullptr) {
      ::munmap(words_, bytes_);
    }
  }
  CheckedFields(const CheckedFields&) = delete;
  CheckedFields& operator=(const CheckedFields&) = delete;

  bool known(std::uint64_t field) const noexcept {
    return words_ != nullptr && (word(field).load(std::memory_order_relaxed) & bit(field)) != 0;
  }
  void note(std::uint64_t field) noexcept {
    if (words_ != nullptr) {
      word(field).fetch_or(bit(field), std::memory_order_relaxed);
    }
  }

 private:
  using Word = std::uint64_t;
  std::atomic_ref<Word> word(std::uint64_t field) const noexcept {
    return std::atomic_ref<Word>(words_[field / 64]);
  }
  static Word bit(std::uint64_t field) noexcept { return Word{1} << (field % 64); }

  std::size_t bytes_;
  Word* words_;
};

}  // namespace penstock::inline v0
