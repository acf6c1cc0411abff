#include "formats/sample_table.hpp"
#include "formats/tar_table.hpp"

namespace penstock {

Result<std::unique_ptr<SampleTable>> open_samples(const std::vector<std::string>& sources,
                                                  const FieldChoice& fields) {
  std::vector<NamedPath> shards;
  for (const std::string& source : sources) {
    shards.push_back({source, source});
  }
  return open_tar_table(shards, fields);
}

}  // namespace penstock
