// Any bytes as a kept index: with its checksum set right, every lookup must stay inside the bytes.
#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/tar_fields.hpp"
#include "formats/tar_index.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  // Whole words of exactly this length, so that one byte past the end is seen.
  std::vector<std::uint64_t> words(size / 32 * 4);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(words.data());
  const std::size_t used = words.size() * 8;
  if (used >= sizeof(TarIndexHeader)) {
    std::memcpy(bytes, data, used);
    TarIndexHeader header;
    std::memcpy(&header, bytes, sizeof header);
    header.magic = kTarIndexMagic;
    header.version = kTarIndexVersion;
    header.header_size = sizeof header;
    header.total_size = used;
    std::memcpy(bytes, &header, sizeof header);
    header.checksum = tar_index_checksum(ByteSpan(bytes, used).subspan(32));
    std::memcpy(bytes, &header, sizeof header);
  }
  const auto index = TarIndex::view({bytes, used});
  if (!index) {
    return 0;
  }
  std::uint64_t sum = index->text(index->header().warnings).size();
  const auto add = [&sum](std::string_view text) {
    for (const char c : text) {
      sum += static_cast<unsigned char>(c);
    }
  };
  for (std::uint64_t s = 0; s < index->shard_count(); ++s) {
    add(index->shard_name(s));
    sum += index->shard_state(s).size;
  }
  for (std::uint64_t i = 0; i <= index->size(); ++i) {
    add(index->key(i));
    if (const auto sample = index->sample(i)) {
      for (const MemberRecord& member : sample->members) {
        sum += member.offset() + member.size();
      }
    }
  }
  add(index->fingerprint());
  for (const FieldChoice& choice : {FieldChoice{}, FieldChoice{{"image", "jpg"}, {"x", "image"}}}) {
    const auto fields = choose_tar_fields(*index, choice);
    sum += fields.ok() ? fields->fields.size() : fields.error().advice.size();
  }
  return sum == UINT64_MAX ? 1 : 0;
}
