// What judge gathers over all case files: the kernel's level and the causes of what is broken.
#pragma once

#include <map>
#include <string>

#include "reference/diagnosis/causes.h"
#include "reference/placement.h"
#include "reference/verdict.h"

namespace normcheck::reports {

class JudgedCauses {
 public:
  // A case whose outcome earlier calls decide votes for no formula.
  void Add(const norm::Kernel& kernel, const reference::Case& c, const reference::Verdict& verdict, const std::string& name,
           bool needs_earlier);
  // Below it, or not placed at all.
  bool IsBelow(reference::Level level) const;
  nlohmann::ordered_json Json(bool kept) const;
  std::string Text() const;  // "level  wrong ..." and the causes; empty where nothing was judged

 private:
  std::string kernel_;
  std::string contract_;
  reference::Placer placer_;
  reference::CausePoll poll_;
  std::size_t broken_ = 0;
  std::map<std::string, std::size_t> not_asked_;
  std::uint64_t unasked_outputs_ = 0;
};

}  // namespace normcheck::reports
