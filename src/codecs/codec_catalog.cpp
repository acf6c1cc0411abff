#include "codecs/codec_catalog.hpp"

namespace penstock::inline v0 {

std::string in_words(const std::vector<FileExtension>& extensions) {
  std::vector<std::string_view> texts;
  for (const FileExtension& extension : extensions) {
    if (extension.in_tars == InTars::shared_field) {
      texts.push_back(extension.text);
    }
  }
  std::string words;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    words += i == 0 ? "" : i + 1 == texts.size() ? " and " : ", ";
    words += texts[i];
  }
  return words;
}

}  // namespace penstock::inline v0
