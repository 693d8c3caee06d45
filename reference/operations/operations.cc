// Selections from the list of operations.
#include "reference/operations/operations.h"

#include <algorithm>
#include <iterator>

namespace normcheck::reference {

std::string OpNames() {
  std::string names;
  for (const Op op : norm::kOps) names.append(names.empty() ? "" : ", ").append(norm::NameOf(op));
  return names;
}

std::vector<Op> AllOps() { return {std::begin(norm::kOps), std::end(norm::kOps)}; }

std::vector<Op> CentredOps() {
  std::vector<Op> ops = AllOps();
  std::erase_if(ops, [](Op op) { return !OperationOf(op).centred(); });
  return ops;
}

std::vector<Op> AveragedOps() {
  std::vector<Op> ops = AllOps();
  std::erase_if(ops, [](Op op) { return OperationOf(op).squares_over != SquaresOver::kWidth; });
  return ops;
}

}  // namespace normcheck::reference
