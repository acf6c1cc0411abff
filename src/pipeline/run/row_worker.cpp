#include "pipeline/run/row_worker.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "core/picture_header.hpp"
#include "formats/field_value.hpp"

namespace penstock {

namespace {

constexpr int kReplaceAttempts = 16;
// Sizes in an index are not proved before the file is read: beyond this, memory follows what was read.
constexpr std::uint64_t kMostExpected = std::uint64_t{64} << 20;
// Draws of the loader itself, apart from the operations of a transform list, which count from 0.
constexpr std::uint32_t kReplaceOp = 0xFFFF0000u;

void note_picture(Column& column, std::size_t row, void* memory, ImageSize size) {
  if (column.shape == Column::Shape::picture_list) {
    column.pictures[row] = {.data = static_cast<const std::uint8_t*>(memory), .size = size};
  }
}

Error from_exception(const char* problem) {
  return Error{.kind = ErrorKind::io,
               .message = std::string("unexpected failure: ") + problem,
               .advice = {},
               .place = {.stage = "work"}};
}

}  // namespace

void lose_rows(const RowRun& run, const std::exception_ptr& thrown) noexcept {
  const auto lose = [&run](const char* problem) {
    for (std::uint32_t r = run.first; r < run.first + run.count; ++r) {
      run.storage->row_errors[r] = std::make_unique<Error>(from_exception(problem));
      run.storage->row_replaced[r] = 0;
    }
  };
  try {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      lose(problem.what());
    } catch (...) {  // whatever a format or a function of the user throws
      lose("an exception of an unknown kind");
    }
  } catch (const std::bad_alloc&) {  // also of the words for another exception
    run.storage->out_of_memory.store(true, std::memory_order_relaxed);
  }
}

RowWorker::RowWorker(const Plan& plan, const SampleTable& table, const LoaderOptions& options,
                     BufferPool& pool, WorkerCounters& counters)
    : plan_(plan),
      table_(table),
      options_(options),
      pool_(pool),
      counters_(counters),
      decoder_(DecodeLimits{.max_pixels = options.max_pixels.value_or(DecodeLimits{}.max_pixels),
                            .check_whole_file = options.check_files}) {
  for (const ColumnPlan& column : plan.columns()) {
    workspaces_.push_back(column.chain ? column.chain->first.make_workspace() : nullptr);
    chain_runners_.push_back(
        column.chain && !column.chain->steps.empty()
            ? std::make_unique<ChainRunner>(*column.chain, plan.memory_format(), counters)
            : nullptr);
  }
  sound_workspaces_.resize(plan.columns().size());
}

RowWorker::~RowWorker() = default;

void RowWorker::fill(const RowRun& run) noexcept {
  const Clock::time_point start = Clock::now();
  try {
    announce(run);
    if (plan_.raw_field()) {
      fill_raw(run);
    } else {
      fill_decoded(run);
    }
  } catch (...) {  // outside of any one row
    lose_rows(run, std::current_exception());
  }
  const Clock::time_point end = Clock::now();
  counters_.is_at(WorkStage::idle, 0, end);
  counters_.busy.add(nanoseconds_between(start, end));
}

void RowWorker::announce(const RowRun& run) const {
  if (run.order->is_sequential()) {
    return;  // the system's own reading ahead suits samples in order
  }
  for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
    const std::uint64_t sample = run.order->sample_at(run.first_place + row);
    for (const ColumnPlan& column : plan_.columns()) {
      table_.will_read(sample, column.field);
    }
    if (plan_.raw_field()) {
      table_.will_read(sample, *plan_.raw_field());
    }
  }
}

void RowWorker::fill_decoded(const RowRun& run) {
  blob_bytes_.clear();
  blobs_.clear();
  for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
    fill_or_replace(run, row, [&](std::uint64_t sample, const RandomKey& key) {
      return fill_row(*run.storage, row, sample, key);
    });
  }
  store_blobs(*run.storage);
}

template <class Fill>
void RowWorker::fill_or_replace(const RowRun& run, std::size_t row, Fill&& fill) {
  BatchStorage& storage = *run.storage;
  const std::uint64_t place = run.first_place + row;
  const std::uint64_t sample = run.order->sample_at(place);
  const RandomKey key{.seed = options_.generator_seed.value_or(*options_.seed),
                      .epoch = run.order->epoch(),
                      .sample = run.order->repeats() ? place : sample};
  storage.index[row] = static_cast<std::int64_t>(sample);
  Status filled = fill(sample, key);
  if (filled) {
    return;
  }
  // Those that are cancelled are tried again; without resources every sample would fail.
  const auto is_no_fault_of_the_sample = [](const Status& outcome) {
    return outcome.error().kind == ErrorKind::cancelled || outcome.error().systemic;
  };
  const bool replace = options_.on_error == OnError::replace && !is_no_fault_of_the_sample(filled);
  storage.row_errors[row] = std::make_unique<Error>(std::move(filled).error());
  if (!replace) {
    return;
  }
  Draws draws({.seed = *options_.seed, .epoch = key.epoch, .sample = key.sample}, kReplaceOp);
  for (int attempt = 0; attempt < kReplaceAttempts; ++attempt) {
    const std::uint64_t other = run.order->draw(draws);
    RandomKey other_key = key;
    if (!run.order->repeats()) {
      other_key.sample = other;
    }
    Status replaced = fill(other, other_key);
    if (replaced) {
      storage.index[row] = static_cast<std::int64_t>(other);
      storage.row_replaced[row] = 1;
      return;
    }
    if (is_no_fault_of_the_sample(replaced)) {
      storage.row_errors[row] = std::make_unique<Error>(std::move(replaced).error());
      return;
    }
  }
  storage.row_errors[row]->advice = "16 samples drawn to take its row failed too: check the source";
}

template <class Use>
Status RowWorker::use(std::uint64_t sample, std::size_t field, Use&& use) {
  const Clock::time_point start = Clock::now();
  counters_.is_at(WorkStage::read, sample, start);
  return use_value(table_, sample, field, [&](const StoredValue& value) {
    counters_.read.add(nanoseconds_between(start, Clock::now()));
    counters_.bytes.add(value.bytes.size());
    return use(value);
  });
}

Status RowWorker::fill_row(BatchStorage& storage, std::size_t row, std::uint64_t sample,
                           const RandomKey& key) {
  const std::size_t blobs_before = blobs_.size();
  for (std::size_t c = 0; c < plan_.columns().size(); ++c) {
    const ColumnPlan& column = plan_.columns()[c];
    const auto failed = [&](Error error) {
      blobs_.resize(blobs_before);
      return at_sample(std::move(error), table_, sample, column.field);
    };
    Status filled = use(sample, column.field, [&, blobs = blobs_.size()](const StoredValue& value) {
      blobs_.resize(blobs);
      return fill_field(storage, c, row, sample, value, key);
    });
    if (!filled) {
      return failed(std::move(filled).error());
    }
  }
  return {};
}

Status RowWorker::fill_field(BatchStorage& storage, std::size_t c, std::size_t row, std::uint64_t sample,
                             const StoredValue& value, const RandomKey& key) {
  const ColumnPlan& column = plan_.columns()[c];
  if (column.chain) {
    return fill_picture(storage, c, row, sample, value, key);
  }
  if (column.sound) {
    return fill_sound(storage, c, row, sample, value, key);
  }
  if (column.shape == Column::Shape::integers) {
    PENSTOCK_ASSIGN(storage.columns[c].integers[row], integer_of(value));
    return {};
  }
  if (column.array) {
    std::memcpy(row_memory(storage, c, row, column.row_bytes), value.bytes.data(), column.row_bytes);
    return {};
  }
  PENSTOCK_TRY(check_syntax(column.info.kind, value.bytes));
  blobs_.push_back({.column = c, .row = row, .offset = blob_bytes_.size(), .size = value.bytes.size()});
  blob_bytes_.insert(blob_bytes_.end(), value.bytes.begin(), value.bytes.end());
  return {};
}

Status RowWorker::fill_picture(BatchStorage& storage, std::size_t c, std::size_t row, std::uint64_t sample,
                               const StoredValue& value, const RandomKey& key) try {
  const PictureProgram& program = plan_.columns()[c].chain->first;
  ChainRunner* const foreign = chain_runners_[c].get();
  PictureWorkspace& workspace = *workspaces_[c];
  const Clock::time_point start = Clock::now();
  counters_.is_at(WorkStage::decoding, sample, start);
  const std::uint64_t decoded_before = decoder_.nanoseconds();
  const std::uint64_t foreign_before = counters_.foreign.get();
  PENSTOCK_ASSIGN(const ImageSize picture, decoder_.open(value.bytes, value.tables));
  PENSTOCK_ASSIGN(const ImageSize result, program.resolve(workspace, picture, key));
  void* out = nullptr;
  if (foreign != nullptr) {
    out = foreign->input(result);
  } else {
    const std::size_t element = program.output().type == ElementType::float32 ? sizeof(float) : 1;
    out = row_memory(storage, c, row, element * 3 * static_cast<std::size_t>(result.width) * result.height);
    note_picture(storage.columns[c], row, out, result);
  }
  Status done = program.run(workspace, decoder_, out);
  if (done) {
    counters_.decoded[decoder_.codec()].add(1);
  }
  if (done && foreign != nullptr) {
    done = foreign->run(result, sample, key, [&](const ArraySpec& value) -> Result<void*> {
      void* const memory = row_memory(storage, c, row, value.bytes());
      Column& column = storage.columns[c];
      if (column.shape == Column::Shape::array_list) {
        column.arrays[row] = {.data = static_cast<const std::uint8_t*>(memory), .shape = value.shape};
      } else if (plan_.columns()[c].chain->gives_pictures()) {
        note_picture(column, row, memory, picture_size(value));
      }
      return memory;
    });
  }
  const std::uint64_t total =
      nanoseconds_between(start, Clock::now()) - (counters_.foreign.get() - foreign_before);
  const std::uint64_t decoding = std::min(total, decoder_.nanoseconds() - decoded_before);
  counters_.decode.add(decoding);
  counters_.transform.add(total - decoding);
  return done;
} catch (const std::bad_alloc&) {
  throw;  // no fault of the sample
} catch (const std::exception& problem) {
  return from_exception(problem.what());
}

void* RowWorker::row_memory(BatchStorage& storage, std::size_t c, std::size_t row, std::size_t bytes) {
  const ColumnPlan& plan = plan_.columns()[c];
  if (plan.row_bytes > 0) {
    return static_cast<std::uint8_t*>(storage.columns[c].data) + row * plan.row_bytes;
  }
  Slab slab = pool_.acquire(bytes);
  void* const data = slab.data();
  storage.row_memory[row * plan_.columns().size() + c] = std::move(slab);
  return data;
}

Result<SoundWorkspace*> RowWorker::sound_workspace(std::size_t c) {
  std::optional<SoundWorkspace>& workspace = sound_workspaces_[c];
  if (!workspace) {
    PENSTOCK_ASSIGN(SoundWorkspace made, plan_.columns()[c].sound->make_workspace());
    workspace.emplace(std::move(made));
  }
  return &*workspace;
}

Status RowWorker::fill_sound(BatchStorage& storage, std::size_t c, std::size_t row, std::uint64_t sample,
                             const StoredValue& value, const RandomKey& key) try {
  const ColumnPlan& plan = plan_.columns()[c];
  Column& column = storage.columns[c];
  const Clock::time_point start = Clock::now();
  counters_.is_at(WorkStage::decoding, sample, start);
  PENSTOCK_ASSIGN(SoundWorkspace* const workspace, sound_workspace(c));
  const std::uint64_t decoded_before = workspace->decoding_nanoseconds();
  const auto room_for = [&](std::size_t values) {
    return static_cast<float*>(row_memory(storage, c, row, values * sizeof(float)));
  };
  PENSTOCK_ASSIGN(const std::size_t known, plan.sound->open(*workspace, value.bytes, key));
  float* memory = known > 0 ? room_for(known) : nullptr;
  Status done = plan.sound->run(*workspace, memory);
  if (done) {
    counters_.sounds[workspace->codec()].add(1);
    SoundWave& wave = workspace->wave();
    column.integers[row] = static_cast<std::int64_t>(wave.valid);
    if (memory == nullptr) {
      const std::size_t values = wave.rows() * wave.frames();
      memory = room_for(values);
      std::copy_n(wave.data(), values, memory);
    }
    if (plan.shape == Column::Shape::sound_list) {
      column.sounds[row] = {.data = memory, .frames = static_cast<std::int64_t>(wave.frames())};
    }
  }
  const std::uint64_t total = nanoseconds_between(start, Clock::now());
  const std::uint64_t decoding = std::min(total, workspace->decoding_nanoseconds() - decoded_before);
  counters_.decode.add(decoding);
  counters_.transform.add(total - decoding);
  return done;
} catch (const std::bad_alloc&) {
  throw;  // no fault of the sample
} catch (const std::exception& problem) {
  return from_exception(problem.what());
}

void RowWorker::store_blobs(BatchStorage& storage) {
  if (blobs_.empty()) {
    return;
  }
  Slab slab = pool_.acquire(blob_bytes_.size());
  std::memcpy(slab.data(), blob_bytes_.data(), blob_bytes_.size());
  for (const Blob& blob : blobs_) {
    storage.columns[blob.column].blobs[blob.row] = {slab.data() + blob.offset, blob.size};
    // Every row holds the memory, so that rows may be left out later.
    storage.row_memory[blob.row * plan_.columns().size() + blob.column] = slab;
  }
}

void RowWorker::fill_raw(const RowRun& run) {
  BatchStorage& storage = *run.storage;
  storage.raw.data = {};
  std::uint64_t expected = 0;
  for (std::uint32_t row = run.first; row < run.first + run.count && expected < kMostExpected; ++row) {
    expected += std::min(table_.stored_size(run.order->sample_at(run.first_place + row), *plan_.raw_field()),
                         kMostExpected);
  }
  Slab bytes = pool_.acquire(static_cast<std::size_t>(std::min(expected, kMostExpected)));
  std::size_t used = 0;
  for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
    fill_or_replace(run, row, [&](std::uint64_t sample, const RandomKey&) {
      return fill_raw_row(storage, row, sample, bytes, used);
    });
  }
  storage.raw.data = {bytes.data(), used};
  storage.row_memory[0] = std::move(bytes);
}

Status RowWorker::fill_raw_row(BatchStorage& storage, std::size_t row, std::uint64_t sample, Slab& bytes,
                               std::size_t& used) {
  const std::size_t field = *plan_.raw_field();
  for (std::size_t c = 0; c < plan_.columns().size(); ++c) {
    const std::size_t label = plan_.columns()[c].field;
    Status filled = use(sample, label, [&](const StoredValue& value) -> Status {
      PENSTOCK_ASSIGN(storage.columns[c].integers[row], integer_of(value));
      return {};
    });
    if (!filled) {
      return at_sample(std::move(filled).error(), table_, sample, label);
    }
  }
  RawBytes& raw = storage.raw;
  Status filled = use(sample, field, [&](const StoredValue& value) -> Status {
    PENSTOCK_ASSIGN(const ByteSpan file, original_.of(value));
    if (used + file.size() > bytes.size()) {  // a replaced sample, or more than was expected
      Slab larger = pool_.acquire((used + file.size()) * 2);
      std::memcpy(larger.data(), bytes.data(), used);
      bytes = std::move(larger);
    }
    std::memcpy(bytes.data() + used, file.data(), file.size());
    ImageSize size = table_.image_size(sample, field);
    if (size.width == 0 && table_.fields()[field].kind == FieldKind::image) {
      size = picture_size(file);
    }
    raw.offsets[row] = static_cast<std::int64_t>(used);
    raw.sizes[row] = static_cast<std::int64_t>(file.size());
    raw.heights[row] = size.height;
    raw.widths[row] = size.width;
    return {};
  });
  if (!filled) {
    return at_sample(std::move(filled).error(), table_, sample, field);
  }
  used += static_cast<std::size_t>(raw.sizes[row]);
  return {};
}

}  // namespace penstock
