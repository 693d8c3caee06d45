// The rows of every profile compiled with contraction into fused multiply-adds (flags: CMakeLists.txt).
#include "properties/honest/profile_row.h"

namespace normcheck::properties::honest {
namespace {

#include "properties/honest/sums-inl.h"

#include "properties/honest/rows-inl.h"

}  // namespace

ProfileRows FusedRows() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace normcheck::properties::honest
