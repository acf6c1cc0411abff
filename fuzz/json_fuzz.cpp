// Any bytes as a document of ours, and as a json field: never past the end; what is read can be written and
// read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "formats/json.hpp"
#include "formats/text_syntax.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  // Memory of exactly this length, so that one byte past the end is seen.
  const auto exact = std::make_unique<char[]>(size);
  std::copy(data, data + size, exact.get());
  const std::string_view text(exact.get(), size);
  const auto document = Json::parse(text);
  const bool is_field = !json_problem({reinterpret_cast<const std::uint8_t*>(exact.get()), size});
  if (!document) {
    return 0;
  }
  if (!Json::parse(document->text())) {
    std::abort();
  }
  // Python takes all that we do, but for integers longer than any of 64 bits.
  if (!is_field && size < 4300) {
    std::abort();
  }
  return 0;
}
