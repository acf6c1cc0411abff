#include "io/bytes.hpp"

namespace penstock::inline v0 {
namespace {

class OwnMemory final : public ByteOwner {
 public:
  explicit OwnMemory(std::vector<std::uint8_t> memory) noexcept : memory_(std::move(memory)) {}
  ByteSpan span() const noexcept { return memory_; }

 private:
  std::vector<std::uint8_t> memory_;
};

}  // namespace

Bytes Bytes::own(std::vector<std::uint8_t> memory) {
  const auto* const owner = new OwnMemory(std::move(memory));
  return held(owner->span(), *owner);
}

Bytes Bytes::hold() const {
  if (owner_ != nullptr) {
    return held(span_, *owner_);
  }
  return empty() ? Bytes() : own({begin(), end()});
}

void Bytes::release() const noexcept {
  if (owner_->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    owner_->retire();
  }
}

}  // namespace penstock::inline v0
