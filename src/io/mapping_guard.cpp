#include "io/mapping_guard.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <mutex>
#include <utility>

namespace penstock::inline v0 {
namespace {

using detail::MappingSlot;

/// Slots in pieces that only grow in number, so that the handler can walk them without a lock.
struct SlotPiece {
  std::array<MappingSlot, 256> slots;
  std::atomic<SlotPiece*> next{nullptr};
};

SlotPiece first_piece;
std::mutex slots_mutex;  // of those that take slots; never of the handler
struct sigaction handler_before;
std::uintptr_t guarded_page = 4096;

template <class Visit>
MappingSlot* find_slot(Visit&& visit) noexcept {
  for (SlotPiece* piece = &first_piece; piece != nullptr;
       piece = piece->next.load(std::memory_order_acquire)) {
    for (MappingSlot& slot : piece->slots) {
      if (visit(slot)) {
        return &slot;
      }
    }
  }
  return nullptr;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler == SIG_DFL || handler_before.sa_handler == SIG_IGN) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // ends the process when the handler is left
  } else {
    handler_before.sa_handler(signal);
  }
}

// Calls nothing that is unsafe in a signal handler but mmap(), which is a plain system call.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  MappingSlot* const slot = find_slot([address](const MappingSlot& candidate) {
    return address >= candidate.begin.load(std::memory_order_acquire) &&
           address < candidate.end.load(std::memory_order_acquire);
  });
  if (slot == nullptr) {
    pass_on(signal, info, context);
    errno = saved;
    return;
  }
  // Remembered before it can be read as zeros: another thread may do so without a fault.
  const std::uintptr_t page = address / guarded_page * guarded_page;
  std::uintptr_t before = slot->gone_from.load();
  while (page < before && !slot->gone_from.compare_exchange_weak(before, page)) {
  }
  if (::mmap(reinterpret_cast<void*>(page), slot->end.load() - page, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    pass_on(signal, info, context);
  }
  errno = saved;
}

void install_handler() {
  guarded_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction ours {};
  ours.sa_sigaction = &on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, &handler_before);
}

}  // namespace

MappingGuard::MappingGuard(const std::uint8_t* data, std::size_t size) {
  static const bool installed = (install_handler(), true);
  (void)installed;
  const std::lock_guard lock(slots_mutex);
  slot_ = find_slot([](const MappingSlot& slot) { return slot.begin.load(std::memory_order_relaxed) == 0; });
  if (slot_ == nullptr) {
    auto piece = std::make_unique<SlotPiece>();
    slot_ = piece->slots.data();
    piece->next.store(first_piece.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
    first_piece.next.store(piece.release(), std::memory_order_release);
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  slot_->gone_from.store(begin + size);
  slot_->end.store(begin + size);
  slot_->begin.store(begin, std::memory_order_release);
}

MappingGuard& MappingGuard::operator=(MappingGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

MappingGuard::~MappingGuard() {
  if (slot_ != nullptr) {
    slot_->end.store(0);
    slot_->begin.store(0, std::memory_order_release);
  }
}

}  // namespace penstock::inline v0
