#include "store/hdf5_file.hpp"

#include <hdf5.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/utf8.hpp"

namespace penstock::inline v0 {
namespace {

// The library as Debian builds it is for one thread.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// An open object of the library.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) noexcept : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) {
      close_(id_);
    }
  }
  bool ok() const noexcept { return id_ >= 0; }
  operator hid_t() const noexcept { return id_; }  // as the library takes it
  /// Writes what is left: may fail.
  bool close() noexcept { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

herr_t keep_deepest(unsigned, const H5E_error2_t* entry, void* text) {
  if (entry->desc != nullptr) {
    *static_cast<std::string*>(text) = entry->desc;
  }
  return 0;
}

/// With the library's own words.
Error failure(const std::string& what, const std::string& path, ErrorKind kind = ErrorKind::io) {
  std::string detail;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_deepest, &detail);
  H5Eclear2(H5E_DEFAULT);  // what is left there keeps the library from ending with the program
  return {.kind = kind,
          .message = detail.empty() ? what : what + ": HDF5: " + detail,
          .advice = {},
          .place = {.shard = path, .stage = "build"}};
}

/// Names of files are bytes, which nobody promises to be UTF-8. HDF5 knows that and ASCII, which is what h5py
/// calls bytes that it knows nothing of.
bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0) {
      return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

/// What texts of equal size, padded with zeros, are.
struct TextType {
  std::size_t width = 1;
  bool utf8 = true;

  static TextType of(const std::vector<std::string>& texts) {
    TextType type;
    for (const std::string& text : texts) {
      type.width = std::max(type.width, text.size());
      type.utf8 = type.utf8 && is_utf8(text);
    }
    return type;
  }

  Handle handle() const {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, width);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
    return type;
  }
};

/// Of any length, which h5py gives as str.
Handle any_text(std::string_view text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, is_utf8(text) ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
  return type;
}

Handle half_type() {
  Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

/// Times would make the bytes differ from build to build.
Handle timeless(hid_t kind) {
  Handle list(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(list, false);
  return list;
}

Handle open_file(const std::string& path, bool create) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // The newest index of chunks has room for all of them from the start, so that chunks lie one behind the
  // other.
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  const Handle creation = timeless(H5P_FILE_CREATE);
  return {create ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access)
                 : H5Fopen(path.c_str(), H5F_ACC_RDWR, access),
          H5Fclose};
}

/// One text after the other.
std::string padded(const std::vector<std::string>& texts, std::size_t width) {
  std::string bytes;
  for (const std::string& text : texts) {
    bytes += text;
    bytes.append(width - text.size(), '\0');
  }
  return bytes;
}

Status write_attribute(hid_t file, const std::string& name, const AudioFileContents::Attribute& value,
                       const std::string& path) {
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const auto write = [&](hid_t type, const void* data) -> Status {
    if (H5Aexists(file, name.c_str()) > 0) {
      H5Adelete(file, name.c_str());
    }
    const Handle attribute(H5Acreate2(file, name.c_str(), type, scalar, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    return attribute.ok() && H5Awrite(attribute, type, data) >= 0
               ? Status()
               : Status(failure("cannot write the attribute " + name, path));
  };
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return write(H5T_STD_I64LE, whole);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return write(H5T_IEEE_F64LE, real);
  }
  const std::string& text = std::get<std::string>(value);
  const char* const start = text.c_str();
  return write(any_text(text), &start);
}

/// Without data of its own: of `rows` rows with the given axes, `chunk` rows in a chunk, room for all of
/// them.
Result<std::uint64_t> create_roomy(hid_t file, const char* name, hid_t type, std::uint64_t rows,
                                   std::vector<hsize_t> axes, std::uint64_t row_bytes, std::uint64_t chunk,
                                   const std::string& path) {
  axes.insert(axes.begin(), rows);
  const Handle space(H5Screate_simple(static_cast<int>(axes.size()), axes.data(), axes.data()), H5Sclose);
  const Handle creation = timeless(H5P_DATASET_CREATE);
  axes[0] = std::min(chunk, rows);
  H5Pset_chunk(creation, static_cast<int>(axes.size()), axes.data());
  H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  if (!set.ok()) {
    return failure(std::string("cannot allocate space for ") + name, path);
  }
  // Chunks that fill the room between the first and the last of them exactly lie one after the other.
  const auto place_of = [&](std::uint64_t row) {
    std::vector<hsize_t> offset(axes.size(), 0);
    offset[0] = row;
    unsigned mask = 0;
    haddr_t place = HADDR_UNDEF;
    hsize_t size = 0;
    return H5Dget_chunk_info_by_coord(set, offset.data(), &mask, &place, &size) >= 0 ? place : HADDR_UNDEF;
  };
  const std::uint64_t last = (rows - 1) / axes[0] * axes[0];
  const haddr_t begin = place_of(0);
  if (begin == HADDR_UNDEF || place_of(last) != begin + last * row_bytes) {
    return failure(std::string("the chunks of ") + name + " have gaps between them", path);
  }
  return static_cast<std::uint64_t>(begin);
}

/// One-dimensional, written at once; can be made shorter. `data` is of type `memory`.
Status create_column(hid_t file, const char* name, hid_t type, hid_t memory, std::uint64_t rows,
                     const void* data, const std::string& path) {
  constexpr hsize_t kChunk = 4096;
  const hsize_t size = rows;
  const Handle space(H5Screate_simple(1, &size, &size), H5Sclose);
  const Handle creation = timeless(H5P_DATASET_CREATE);
  const hsize_t chunk = std::min<hsize_t>(kChunk, size);
  H5Pset_chunk(creation, 1, &chunk);
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  return set.ok() && H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0
             ? Status()
             : Status(failure(std::string("cannot write ") + name, path));
}

/// Rows go out from the end: `data` holds those that are left. The type stays.
Status shorten_column(hid_t file, const char* name, hid_t, hid_t memory, std::uint64_t rows, const void* data,
                      const std::string& path) {
  const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  const hsize_t size = rows;
  return set.ok() && H5Dset_extent(set, &size) >= 0 &&
                 H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0
             ? Status()
             : Status(failure(std::string("cannot shrink ") + name, path));
}

Status shorten_roomy(hid_t file, const char* name, std::uint64_t rows, std::vector<hsize_t> axes,
                     const std::string& path) {
  axes.insert(axes.begin(), rows);
  const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  return set.ok() && H5Dset_extent(set, axes.data()) >= 0
             ? Status()
             : Status(failure(std::string("cannot shrink ") + name, path));
}

/// 16 bits where they are enough, as most readers expect.
hid_t label_type(const AudioFileContents& contents) {
  std::int64_t largest = static_cast<std::int64_t>(contents.label_names.size()) - 1;
  for (const std::int64_t label : contents.labels) {
    largest = std::max(largest, label);
  }
  return largest <= std::numeric_limits<std::int16_t>::max()   ? H5T_STD_I16LE
         : largest <= std::numeric_limits<std::int32_t>::max() ? H5T_STD_I32LE
                                                               : H5T_STD_I64LE;
}

/// The columns, by create_column or shorten_column.
template <class Write>
Status write_columns(hid_t file, const AudioFileContents& contents, const TextType& key_type,
                     const std::string& path, Write write) {
  const std::string keys = padded(contents.keys, key_type.width);
  const Handle text = key_type.handle();
  PENSTOCK_TRY(write(file, "keys", text, text, contents.rows(), keys.data(), path));
  PENSTOCK_TRY(write(file, "labels", label_type(contents), H5T_NATIVE_INT64, contents.rows(),
                     contents.labels.data(), path));
  if (!contents.splits.empty()) {
    PENSTOCK_TRY(
        write(file, "splits", H5T_STD_U8LE, H5T_NATIVE_UINT8, contents.rows(), contents.splits.data(), path));
  }
  return {};
}

std::vector<hsize_t> axes_of(const auto& axes) { return {axes.begin(), axes.end()}; }

}  // namespace

Result<AudioFilePlaces> create_audio_file(const std::string& path, const AudioFileContents& contents) {
  const std::lock_guard lock(library_mutex());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Handle file = open_file(path, true);
  if (!file.ok()) {
    return failure("cannot create the file", path);
  }
  for (const auto& [name, value] : contents.attributes) {
    PENSTOCK_TRY(write_attribute(file, name, value, path));
  }
  PENSTOCK_TRY(write_columns(file, contents, TextType::of(contents.keys), path, create_column));
  const auto write_names = [&](const char* name, const std::vector<std::string>& texts) -> Status {
    const TextType type = TextType::of(texts);
    const Handle text = type.handle();
    return create_column(file, name, text, text, texts.size(), padded(texts, type.width).data(), path);
  };
  if (!contents.label_names.empty()) {
    PENSTOCK_TRY(write_names("label_names", contents.label_names));
  }
  if (!contents.splits.empty()) {
    PENSTOCK_TRY(write_names("split_names", contents.split_names));
  }
  // A waveform is a chunk of its own; small spectrograms share one.
  constexpr std::uint64_t kChunkBytes = 128 << 10;
  const Handle mel_type = contents.half ? half_type() : Handle(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  const std::uint64_t mel_chunk = std::max<std::uint64_t>(1, kChunkBytes / contents.mel_bytes());
  AudioFilePlaces places;
  PENSTOCK_ASSIGN(places.mel, create_roomy(file, "mel", mel_type, contents.rows(), axes_of(contents.mel),
                                           contents.mel_bytes(), mel_chunk, path));
  PENSTOCK_ASSIGN(places.waveform,
                  create_roomy(file, "waveform", H5T_IEEE_F32LE, contents.rows(), axes_of(contents.waveform),
                               contents.waveform_bytes(), 1, path));
  if (!file.close()) {
    return failure("closing failed", path);
  }
  return places;
}

Status shorten_audio_file(const std::string& path, const AudioFileContents& contents) {
  const std::lock_guard lock(library_mutex());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Handle file = open_file(path, false);
  if (!file.ok()) {
    return failure("cannot open the file", path);
  }
  for (const auto& [name, value] : contents.attributes) {
    PENSTOCK_TRY(write_attribute(file, name, value, path));
  }
  TextType key_type;
  {
    const Handle keys(H5Dopen2(file, "keys", H5P_DEFAULT), H5Dclose);
    const Handle type(H5Dget_type(keys), H5Tclose);
    key_type = {.width = H5Tget_size(type), .utf8 = H5Tget_cset(type) == H5T_CSET_UTF8};
  }
  PENSTOCK_TRY(write_columns(file, contents, key_type, path, shorten_column));
  PENSTOCK_TRY(shorten_roomy(file, "waveform", contents.rows(), axes_of(contents.waveform), path));
  PENSTOCK_TRY(shorten_roomy(file, "mel", contents.rows(), axes_of(contents.mel), path));
  return file.close() ? Status() : Status(failure("closing failed", path));
}

Result<std::string> audio_file_attribute(const std::string& path, const std::string& name) {
  const std::lock_guard lock(library_mutex());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.ok()) {
    return failure("not an HDF5 file", path, ErrorKind::corrupt);
  }
  const Handle attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(attribute.ok() ? H5Aget_type(attribute) : -1, H5Tclose);
  if (!type.ok() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) <= 0) {
    return failure("the file has no text attribute " + name, path, ErrorKind::corrupt);
  }
  char* held = nullptr;
  if (H5Aread(attribute, type, &held) < 0 || held == nullptr) {
    return failure("cannot read the attribute " + name, path, ErrorKind::corrupt);
  }
  std::string text(held);
  H5free_memory(held);
  return text;
}

}  // namespace penstock::inline v0
