// One fork a job; texts come back through pipes.
#include "properties/forked.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace normcheck::properties {
namespace {

using Job = std::function<std::string(std::size_t)>;

struct Child {
  pid_t pid = -1;
  int from = -1;
  std::size_t index = 0;
};

[[noreturn]] void Work(const Job& job, std::size_t index, int to) {
  const std::string text = job(index);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t more = write(to, text.data() + written, text.size() - written);
    if (more < 0 && errno != EINTR) _exit(1);
    written += more > 0 ? static_cast<std::size_t>(more) : 0;
  }
  _exit(0);
}

Child Start(const Job& job, std::size_t index) {
  int ends[2];
  if (pipe(ends) != 0) return {-1, -1, index};
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    Work(job, index, ends[1]);
  }
  close(ends[1]);
  if (pid < 0) close(ends[0]);
  return {pid, pid < 0 ? -1 : ends[0], index};
}

// Reads what there is; true at the end.
bool ReadSome(const Child& child, std::string& text) {
  char buffer[4096];
  const ssize_t got = read(child.from, buffer, sizeof buffer);
  if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  return got == 0 || (got < 0 && errno != EINTR);
}

bool Ended(const Child& child) {
  close(child.from);
  int status = 0;
  return waitpid(child.pid, &status, 0) == child.pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void Collect(std::vector<Child>& children, const Job& job, std::vector<std::string>& texts) {
  std::vector<pollfd> waiting;
  for (const Child& child : children) waiting.push_back({child.from, POLLIN, 0});
  poll(waiting.data(), waiting.size(), -1);
  for (std::size_t i = waiting.size(); i-- > 0;) {
    const Child child = children[i];
    if (waiting[i].revents == 0 || !ReadSome(child, texts[child.index])) continue;
    if (!Ended(child)) texts[child.index] = job(child.index);
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

std::vector<std::string> RunForked(std::size_t count, const Job& job, const std::function<void(std::size_t)>& started) {
  const std::size_t at_once = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> texts(count);
  std::vector<Child> children;
  for (std::size_t next = 0; next < count || !children.empty();) {
    if (next == count || children.size() == at_once) {
      Collect(children, job, texts);
      continue;
    }
    if (started) started(next);
    const Child child = Start(job, next);
    if (child.pid < 0) texts[next] = job(next);
    else children.push_back(child);
    ++next;
  }
  return texts;
}

}  // namespace normcheck::properties
