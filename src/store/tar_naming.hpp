#pragma once
// The extensions that bring the fields of a data set back under their names when its tars are read.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Not thread-safe.
class TarNaming {
 public:
  explicit TarNaming(std::vector<FieldInfo> fields);

  /// For a field of a sample, by what its file is.
  std::string extension(std::size_t field, ByteSpan file);
  /// A sample has been written with these extensions, in the order of the fields.
  void note(std::vector<std::string> extensions);
  /// Of the samples noted so far: a line for each field that is read under another name, or as another kind.
  std::vector<std::string> renamed() const;

 private:
  /// How a field is written.
  struct Rule {
    bool own_name = false;              ///< as the extension
    std::vector<std::string> shared{};  ///< one of these, which stand for the field's name; by the file
    std::string suffix{};               ///< neither: what follows the field's name, once it is known
  };
  Rule rule_for(const FieldInfo& field) const;
  bool has(const FieldInfo& field) const;

  std::vector<FieldInfo> fields_;
  std::vector<Rule> rules_;
  std::set<std::vector<std::string>> written_;
};

}  // namespace penstock::inline v0
