#pragma once
// From what is stored back to the file that was in the source.

#include <memory>

#include "formats/sample_table.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// One per thread; keeps its memory. Not thread-safe.
class OriginalFile {
 public:
  OriginalFile();
  ~OriginalFile();

  /// The file as it was in the source; a number as decimal text. `unsupported` where only the pixels were
  /// kept. Lives as long as `stored`, or until the next call.
  Result<ByteSpan> of(const StoredValue& stored);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::inline v0
