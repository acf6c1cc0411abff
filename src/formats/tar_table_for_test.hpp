#pragma once
// For tests of tables of tars: tables of archives in memory, and what is in them.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/sample_table.hpp"
#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::test {

inline Result<std::unique_ptr<SampleTable>> open_tars(const std::vector<TarForTest>& tars,
                                                      const FieldChoice& fields = {}) {
  std::vector<std::pair<std::string, std::vector<std::uint8_t>>> named;
  for (std::size_t i = 0; i < tars.size(); ++i) {
    named.emplace_back(fmt::format("{}.tar", i), tars[i].bytes());
  }
  return open_tars_for_test(named, fields);
}

inline std::vector<std::string> keys_of(const SampleTable& table) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    all.push_back(table.key(i));
  }
  return all;
}

inline std::vector<std::string> field_names_of(const SampleTable& table) {
  std::vector<std::string> names;
  for (const FieldInfo& field : table.fields()) {
    names.push_back(fmt::format("{}:{}", field.name, name_of(field.kind)));
  }
  return names;
}

inline std::string text_at(const SampleTable& table, std::uint64_t sample, std::size_t field) {
  const auto stored = table.read(sample, field);
  return stored.ok() ? std::string(as_text(stored->bytes)) : stored.error().to_string();
}

inline TarForTest two_samples() {
  return TarForTest().file("a.jpg", "A").file("a.cls", "1").file("b.jpg", "B").file("b.cls", " 2\n").end();
}

}  // namespace penstock::test
