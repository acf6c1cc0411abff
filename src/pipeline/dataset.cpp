#include "penstock/dataset.hpp"

#include <fmt/format.h>

#include "audio/read_audio.hpp"
#include "codecs/image_decoder.hpp"
#include "codecs/original_file.hpp"
#include "formats/field_value.hpp"
#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

struct Dataset::Impl {
  std::shared_ptr<const SampleTable> table;
  std::string description;
  std::uint64_t max_pixels = 0;
};

namespace {

std::string joined(const std::vector<std::string>& sources) {
  if (sources.size() == 1) {
    return sources.front();
  }
  return sources.empty() ? "nothing" : fmt::format("{} and {} more", sources.front(), sources.size() - 1);
}

Result<Value> decoded(const FieldInfo& field, const StoredValue& stored, ImageDecoder& decoder) {
  Value value;
  value.kind = field.kind;
  if (field.kind == FieldKind::integer) {
    PENSTOCK_ASSIGN(value.integer, integer_of(stored));
  } else if (field.kind == FieldKind::image) {
    PENSTOCK_ASSIGN(value.size, decoder.open(stored.bytes, stored.tables));
    const std::size_t stride = std::size_t{3} * value.size.width;
    value.bytes.resize(stride * value.size.height + Scratch::kSlack);
    PENSTOCK_TRY(decoder.decode({0, 0, value.size.width, value.size.height}, {.data = value.bytes.data(),
                                                                              .stride = stride,
                                                                              .width = value.size.width,
                                                                              .height = value.size.height,
                                                                              .layout = PixelLayout::rgb}));
    value.bytes.resize(stride * value.size.height);
  } else if (field.kind == FieldKind::audio) {
    AudioReader reader;
    PENSTOCK_ASSIGN(const ClipInfo clip, reader.open(stored.bytes, {.mono = false}));
    value.channels = clip.channels;
    value.rate = clip.rate;
    value.samples.resize(static_cast<std::size_t>(clip.frames) * static_cast<std::size_t>(clip.channels));
    PENSTOCK_TRY(reader.read(value.samples.data(), static_cast<std::size_t>(clip.frames)));
  } else {
    value.bytes.assign(stored.bytes.begin(), stored.bytes.end());
  }
  return value;
}

}  // namespace

Result<Dataset> Dataset::open(const std::vector<std::string>& sources, const DatasetOptions& options) {
  PENSTOCK_ASSIGN(std::unique_ptr<SampleTable> table, open_samples(sources, options.fields));
  return of(std::move(table), joined(sources), options);
}

Dataset Dataset::of(std::shared_ptr<const SampleTable> table, std::string description,
                    const DatasetOptions& options) {
  return Dataset(std::make_shared<const Impl>(Impl{
      .table = std::move(table), .description = std::move(description), .max_pixels = options.max_pixels}));
}

std::uint64_t Dataset::size() const noexcept { return impl_->table->size(); }
const std::vector<FieldInfo>& Dataset::fields() const noexcept { return impl_->table->fields(); }
const std::vector<std::string>& Dataset::classes() const noexcept { return impl_->table->classes(); }
std::string Dataset::fingerprint() const { return impl_->table->fingerprint(); }
const std::vector<std::string>& Dataset::warnings() const noexcept { return impl_->table->warnings(); }
std::uint64_t Dataset::max_pixels() const noexcept { return impl_->max_pixels; }
const std::string& Dataset::description() const noexcept { return impl_->description; }
const std::shared_ptr<const SampleTable>& Dataset::table() const noexcept { return impl_->table; }

Status Dataset::check(std::uint64_t sample) const {
  if (sample < size()) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("there is no sample {}: the data set has {}", sample, size()),
               .advice = {},
               .place = {.source = impl_->description, .stage = "read"}};
}

Result<std::string> Dataset::key(std::uint64_t sample) const {
  PENSTOCK_TRY(check(sample));
  return impl_->table->checked_key(sample);
}

Result<std::map<std::string, Value>> Dataset::at(std::uint64_t sample) const {
  PENSTOCK_TRY(check(sample));
  const SampleTable& table = *impl_->table;
  ImageDecoder decoder(DecodeLimits{.max_pixels = impl_->max_pixels});
  Scratch scratch;
  std::map<std::string, Value> values;
  for (std::size_t field = 0; field < fields().size(); ++field) {
    Value value;
    Status used = use_value(table, sample, field, scratch, [&](const StoredValue& stored) -> Status {
      PENSTOCK_ASSIGN(value, decoded(fields()[field], stored, decoder));
      return {};
    });
    if (!used) {
      return at_sample(std::move(used).error(), table, sample, field);
    }
    value.array = table.array(field);
    values.emplace(fields()[field].name, std::move(value));
  }
  return values;
}

Result<std::map<std::string, std::vector<std::uint8_t>>> Dataset::raw(std::uint64_t sample) const {
  PENSTOCK_TRY(check(sample));
  Scratch scratch;
  OriginalFile original;
  std::map<std::string, std::vector<std::uint8_t>> values;
  for (std::size_t field = 0; field < fields().size(); ++field) {
    Status used = use_value(*impl_->table, sample, field, scratch, [&](const StoredValue& stored) -> Status {
      PENSTOCK_ASSIGN(const ByteSpan file, original.of(stored));
      values[fields()[field].name].assign(file.begin(), file.end());
      return {};
    });
    if (!used) {
      return at_sample(std::move(used).error(), *impl_->table, sample, field);
    }
  }
  return values;
}

}  // namespace penstock::inline v0
