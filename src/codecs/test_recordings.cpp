#include "codecs/test_recordings.hpp"

#include <cstring>

namespace penstock::test {
namespace {

template <class T>
void append(AudioBytes& to, T value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

void append(AudioBytes& to, std::string_view text) { to.insert(to.end(), text.begin(), text.end()); }

}  // namespace

AudioBytes wav_chunk(std::string_view id, const AudioBytes& content, std::uint32_t size) {
  AudioBytes chunk;
  append(chunk, id);
  append(chunk, size);
  chunk.insert(chunk.end(), content.begin(), content.end());
  if (content.size() % 2 != 0) {
    chunk.push_back(0);
  }
  return chunk;
}

AudioBytes wav_chunk(std::string_view id, const AudioBytes& content) {
  return wav_chunk(id, content, static_cast<std::uint32_t>(content.size()));
}

AudioBytes wav_format(const WavHeader& header) {
  const auto frame = static_cast<std::uint16_t>(header.channels * ((header.bits + 7) / 8));
  AudioBytes content;
  append(content, static_cast<std::uint16_t>(header.extensible ? 0xFFFE : header.tag));
  append(content, header.channels);
  append(content, header.rate);
  append(content, static_cast<std::uint32_t>(header.rate * frame));
  append(content, frame);
  append(content, header.bits);
  if (header.extensible) {
    append(content, std::uint16_t{22});
    append(content, header.bits);
    append(content, std::uint32_t{0});
    append(content, header.tag);
    append(content, std::string_view("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14));
  }
  return wav_chunk("fmt ", content);
}

AudioBytes wav_file(const std::vector<AudioBytes>& chunks, std::string_view id) {
  AudioBytes body;
  append(body, std::string_view("WAVE"));
  for (const AudioBytes& chunk : chunks) {
    body.insert(body.end(), chunk.begin(), chunk.end());
  }
  AudioBytes file = wav_chunk(id, body);
  return file;
}

AudioBytes wav_of(const std::vector<std::int16_t>& samples, std::uint16_t channels, std::uint32_t rate) {
  AudioBytes data;
  for (const std::int16_t sample : samples) {
    append(data, sample);
  }
  return wav_file({wav_format({.channels = channels, .rate = rate}), wav_chunk("data", data)});
}

std::vector<float> decode_all(ByteSpan file) {
  AudioDecoder decoder;
  const auto info = decoder.open(file);
  if (!info) {
    return {};
  }
  std::vector<float> out(info->frames * static_cast<std::uint64_t>(info->channels));
  if (!decoder.decode(0, info->frames, out.data(), info->frames)) {
    return {};
  }
  return out;
}

}  // namespace penstock::test
