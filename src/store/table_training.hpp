#pragma once
// The code tables of a store: learned from a few of its images.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codecs/repacked.hpp"
#include "formats/sample_table.hpp"
#include "io/folder.hpp"

namespace penstock::inline v0 {

/// The samples to learn from: at most 128, spread over the data set. Depends on the arguments alone.
std::vector<std::uint64_t> training_samples(const std::string& fingerprint, std::uint64_t samples);

/// The same tables for any number of threads. Null if there is no JPEG image among the training samples, or
/// if `goes_on`, which is asked before each of them, by one thread at a time, was false.
Result<std::shared_ptr<const RepackTables>> train_tables(const SampleTable& source,
                                                         const std::string& fingerprint, unsigned threads,
                                                         const std::function<bool()>& goes_on);

/// Null if there is no such file, or it is damaged.
Result<std::shared_ptr<const RepackTables>> read_tables(const std::string& path);
/// On disk when it returns.
Status write_tables(const RepackTables& tables, const Folder& folder);

}  // namespace penstock::inline v0
