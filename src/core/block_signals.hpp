#pragma once
// Threads of ours that hear no signals.

#include <csignal>

namespace penstock::inline v0 {

/// Called by a thread for itself. Signals belong to the program's own threads: one of ours would only be
/// interrupted by them. Faults are heard, as mapped files are guarded by a handler of SIGBUS.
inline void block_signals() {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace penstock::inline v0
