#pragma once
// What the catalogues of image and of audio codecs have in common: all that the rest of penstock knows of a
// codec stands in its entry.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/signature.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What a member of a tar with an extension is.
enum class InTars : std::uint8_t {
  shared_field,  ///< the field that all files of the catalogue share: `image`, `audio`
  own_field,     ///< a field named by the extension, of the catalogue's kind
  bytes          ///< a field named by the extension, of bytes
};

struct FileExtension {
  std::string_view text;  ///< lower case, without the dot
  InTars in_tars = InTars::shared_field;
};

/// `Settings`: what its decoders are made with.
template <class FormatDecoder, class... Settings>
struct Codec {
  using Decoder = FormatDecoder;

  const char* name;  ///< as users see it
  /// Of its files in folders, the usual one first; in tars the first of a sample takes the shared field.
  /// None: records of stores.
  std::span<const FileExtension> extensions;
  bool (*recognises)(ByteSpan file) noexcept;
  std::unique_ptr<Decoder> (*make)(Settings...);
  /// The extension for a file that it recognises; null: the first.
  std::string_view (*extension_of)(ByteSpan file) noexcept = nullptr;
};

template <class CodecType>
struct CodecCatalog {
  using Codec = CodecType;

  const char* what;                                 ///< "image"
  const char* known;                                ///< "JPEG, PNG or WebP"
  std::span<const Codec> codecs;                    ///< in the order in which they are asked
  std::span<const Signature> others;                ///< content that none of them reads
  std::span<const FileExtension> other_extensions;  ///< of files that none of them reads

  bool reads(std::string_view extension) const noexcept {
    return std::any_of(codecs.begin(), codecs.end(),
                       [extension](const Codec& codec) { return is_among(codec.extensions, extension); });
  }
  bool knows_but_cannot_read(std::string_view extension) const noexcept {
    return !reads(extension) && is_among(other_extensions, extension);
  }

  /// Those of the codecs and of other files, in order of preference.
  std::vector<FileExtension> extensions() const {
    std::vector<FileExtension> all = readable_extensions();
    all.insert(all.end(), other_extensions.begin(), other_extensions.end());
    return all;
  }
  std::vector<FileExtension> readable_extensions() const {
    std::vector<FileExtension> all;
    for (const Codec& codec : codecs) {
      all.insert(all.end(), codec.extensions.begin(), codec.extensions.end());
    }
    return all;
  }

  /// What a file of unknown name usually ends in, by its content; that of the first codec where nothing says.
  std::string_view extension_for(ByteSpan file) const noexcept {
    for (const Codec& codec : codecs) {
      if (!codec.extensions.empty() && codec.recognises(file)) {
        return codec.extension_of != nullptr ? codec.extension_of(file) : codec.extensions.front().text;
      }
    }
    const Signature* const other = signature_of(file, others);
    return other != nullptr && !other->extension.empty() ? other->extension
                                                         : codecs.front().extensions.front().text;
  }

 private:
  static bool is_among(std::span<const FileExtension> list, std::string_view text) noexcept {
    return std::any_of(list.begin(), list.end(), [text](const FileExtension& it) { return it.text == text; });
  }
};

/// "jpg, jpeg, png and webp": those of shared fields.
std::string in_words(const std::vector<FileExtension>& extensions);

/// A decoder for each codec of a catalogue, made when its first file comes. Not thread-safe.
template <class Codec>
class DecoderSet {
 public:
  explicit DecoderSet(const CodecCatalog<Codec>& catalog)
      : catalog_(catalog), decoders_(catalog.codecs.size()) {}

  /// The decoder for a file, by its content. `unsupported` or `corrupt` if there is none.
  template <class... Settings>
  Result<typename Codec::Decoder*> find(ByteSpan file, const Settings&... settings) {
    for (std::size_t i = 0; i < decoders_.size(); ++i) {
      if (catalog_.codecs[i].recognises(file)) {
        return &made(i, settings...);
      }
    }
    return describe_content(file, catalog_.others, catalog_.what, catalog_.known);
  }

  /// The decoder of the first codec of which `holds` is true; there is one.
  template <class Holds, class... Settings>
  typename Codec::Decoder& of(Holds&& holds, const Settings&... settings) {
    const auto codec = std::find_if(catalog_.codecs.begin(), catalog_.codecs.end(), holds);
    return made(static_cast<std::size_t>(codec - catalog_.codecs.begin()), settings...);
  }

  /// Place in the catalogue of the codec found last.
  std::size_t codec() const noexcept { return codec_; }

 private:
  template <class... Settings>
  typename Codec::Decoder& made(std::size_t codec, const Settings&... settings) {
    if (!decoders_[codec]) {
      decoders_[codec] = catalog_.codecs[codec].make(settings...);
    }
    codec_ = codec;
    return *decoders_[codec];
  }

  const CodecCatalog<Codec>& catalog_;
  std::vector<std::unique_ptr<typename Codec::Decoder>> decoders_;
  std::size_t codec_ = 0;
};

}  // namespace penstock::inline v0
