#pragma once
// Errors with a kind and a place, and Result<T>: a value or such an error.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace penstock::inline v0 {

enum class ErrorKind : std::uint8_t { not_found, corrupt, unsupported, invalid, io, timeout, cancelled };

/// Lower-case name of the kind, as in the enumerator.
const char* name_of(ErrorKind kind) noexcept;

/// Where something failed. Empty or absent means unknown.
struct Place {
  std::string source{};                   ///< what the user named: path, glob or pattern
  std::string shard{};                    ///< the file
  std::optional<std::uint64_t> offset{};  ///< byte in the shard
  std::string key{};                      ///< the sample's key
  std::optional<std::uint64_t> index{};   ///< the sample's number in the data set
  std::string stage{};                    ///< open, index, read, decode, transform, ...

  bool operator==(const Place&) const = default;
};

struct Error {
  ErrorKind kind = ErrorKind::invalid;
  std::string message{};  ///< what failed, one clause, no final stop
  std::string advice{};   ///< what the user can do, or empty
  Place place{};
  std::string detail{};  ///< human-readable lines below the message: the traceback of a user's function
  std::string cause{};   ///< what the binding of another language keeps of its own exception; opaque here
  /// No fault of the data: out of file descriptors or memory, or an index of ours is gone. So no sample is
  /// skipped or replaced because of it.
  bool systemic = false;

  /// "shard x.tar, sample 812 (key), byte 51200: message; advice", one line, and below it the detail. Safe to
  /// print: control characters and the like of names are escaped, and long names shortened. The members of
  /// `place` are as the data has them.
  std::string to_string() const;
};

/// A value or an error. Moves only. Using value() of a failed result is a programming error (asserted).
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::make_unique<Error>(std::move(error))) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return *std::get<1>(state_); }
  const Error& error() const& { return *std::get<1>(state_); }
  Error&& error() && { return std::move(*std::get<1>(state_)); }

 private:
  std::variant<T, std::unique_ptr<Error>> state_;
};

/// Success or an error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // implicit on purpose

  bool ok() const noexcept { return error_ == nullptr; }
  explicit operator bool() const noexcept { return ok(); }

  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

using Status = Result<void>;

}  // namespace penstock::inline v0

#define PENSTOCK_CONCAT_(a, b) a##b
#define PENSTOCK_CONCAT(a, b) PENSTOCK_CONCAT_(a, b)

/// Returns the error of `expression` (a Status) from the enclosing function.
#define PENSTOCK_TRY(expression)                                      \
  do {                                                                \
    if (auto penstock_status = (expression); !penstock_status.ok()) { \
      return std::move(penstock_status).error();                      \
    }                                                                 \
  } while (false)

/// `PENSTOCK_ASSIGN(auto x, f())`: the value of f(), or return its error from the enclosing function.
#define PENSTOCK_ASSIGN(declaration, expression)                           \
  auto PENSTOCK_CONCAT(penstock_result_, __LINE__) = (expression);         \
  if (!PENSTOCK_CONCAT(penstock_result_, __LINE__).ok()) {                 \
    return std::move(PENSTOCK_CONCAT(penstock_result_, __LINE__)).error(); \
  }                                                                        \
  declaration = std::move(PENSTOCK_CONCAT(penstock_result_, __LINE__)).value()
