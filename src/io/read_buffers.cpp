#include "io/read_buffers.hpp"

namespace penstock::inline v0 {

ReadBuffers::~ReadBuffers() {
  for (const Buffer* const buffer : idle_) {
    delete buffer;
  }
}

ReadBuffers::Buffer& ReadBuffers::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Buffer* const buffer = idle_.back();
      idle_.pop_back();
      return *buffer;
    }
  }
  return *new Buffer(*this);
}

void ReadBuffers::put_back(const Buffer& buffer) noexcept {
  if (buffer.memory.capacity() <= kMaxKept) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdle) {
      idle_.push_back(const_cast<Buffer*>(&buffer));
      return;
    }
  }
  delete &buffer;
}

std::size_t ReadBuffers::idle() const {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

}  // namespace penstock::inline v0
