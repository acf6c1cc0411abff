#include "pipeline/foreign/helper_pool.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace penstock::inline v0 {
namespace {

constexpr int kMaxStarts = 3;

Error stopped_error() {
  return Error{.kind = ErrorKind::cancelled,
               .message = "the helper processes were stopped",
               .advice = "create a new loader",
               .place = {}};
}

}  // namespace

HelperPool::HelperPool(std::unique_ptr<HelperStarter> starter, std::optional<double> timeout_seconds)
    : owner_(::getpid()), starter_(std::move(starter)), timeout_seconds_(timeout_seconds) {}

HelperPool::~HelperPool() { stop(); }

void HelperPool::open() {
  const std::lock_guard lock(mutex_);
  stopped_ = false;
}

bool HelperPool::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::size_t HelperPool::alive() const {
  const std::lock_guard lock(mutex_);
  return sockets_.size();
}

void HelperPool::stop() noexcept {
  if (::getpid() != owner_) {
    return;  // a fork: the helpers are the parent's, and the lock may be held forever
  }
  std::vector<std::unique_ptr<Helper>> ending;
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const int socket : sockets_) {
    ::shutdown(socket, SHUT_RDWR);  // wakes who waits for an answer, and ends the helper
  }
  ending.swap(idle_);
  for (const auto& helper : ending) {
    std::erase(sockets_, helper->socket());
  }
}

Result<std::unique_ptr<HelperPool::Helper>> HelperPool::adopt(const HelperStarter::Started& started) {
  auto helper = std::make_unique<Helper>(started.id, started.socket, started.process);
  ++started_;
  const std::lock_guard lock(mutex_);
  if (stopped_) {
    return stopped_error();
  }
  PENSTOCK_TRY(helper->share_memory());
  sockets_.push_back(helper->socket());
  return helper;
}

Result<std::unique_ptr<HelperPool::Helper>> HelperPool::launch() {
  PENSTOCK_ASSIGN(const HelperStarter::Started started, starter_->start());
  return adopt(started);
}

Status HelperPool::add(const HelperStarter::Started& started) {
  PENSTOCK_ASSIGN(std::unique_ptr<Helper> helper, adopt(started));
  give_back(std::move(helper));
  return {};
}

Result<std::unique_ptr<HelperPool::Helper>> HelperPool::take() {
  std::vector<int> dead;
  std::unique_ptr<Helper> helper;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return stopped_error();
    }
    while (!helper && !idle_.empty()) {
      helper = std::move(idle_.back());
      idle_.pop_back();
      if (helper->has_ended()) {  // while it had nothing to do: no fault of the sample that comes next
        dead.push_back(helper->id());
        std::erase(sockets_, helper->socket());
        helper.reset();
      }
    }
  }
  for (const int id : dead) {
    ++lost_;
    starter_->ended(id);
  }
  if (helper) {
    return helper;
  }
  for (int starts = 1;; ++starts) {  // one may die before it is ready, as well as later
    Result<std::unique_ptr<Helper>> started = launch();
    if (started || started.error().kind != ErrorKind::io || starts == kMaxStarts) {
      return started;
    }
  }
}

void HelperPool::give_back(std::unique_ptr<Helper> helper) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) {
      idle_.push_back(std::move(helper));
      return;
    }
  }
  drop(std::move(helper));
}

void HelperPool::drop(std::unique_ptr<Helper> helper) {
  const std::lock_guard lock(mutex_);
  std::erase(sockets_, helper->socket());
  helper.reset();
}

Status HelperPool::call(std::uint32_t stage, const std::string& name, const ArraySpec& in, const void* data,
                        const StageKey& key, const ForeignStage::Room& room) {
  if (in.shape.size() > kMaxDimensions) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("{} was given an array of {} dimensions", name, in.shape.size()),
                 .advice = "",
                 .place = {}};
  }
  for (bool again = false;; again = true) {
    PENSTOCK_ASSIGN(std::unique_ptr<Helper> helper, take());
    Status room_there = helper->put(in, data);
    if (!room_there) {
      drop(std::move(helper));
      return room_there;
    }
    HelperReply reply;
    const Helper::Answer answer = helper->exchange(stage, in, key, timeout_seconds_, reply);
    if (answer == Helper::Answer::replied) {
      Status done = helper->read(reply, room);
      give_back(std::move(helper));
      return done;
    }
    const int id = helper->id();
    drop(std::move(helper));
    if (stopped()) {
      return stopped_error();
    }
    ++lost_;
    const std::string end = starter_->ended(id);
    if (answer == Helper::Answer::late) {
      return Error{.kind = ErrorKind::timeout,
                   .message = fmt::format("{} took longer than {:.1f} s, and its helper process was stopped",
                                          name, *timeout_seconds_),
                   .advice = "make it faster, or raise timeout_seconds",
                   .place = {}};
    }
    if (again) {
      return Error{.kind = ErrorKind::io,
                   .message = fmt::format("{} ended two helper processes; the last {}", name, end),
                   .advice = "",
                   .place = {}};
    }
  }
}

}  // namespace penstock::inline v0
