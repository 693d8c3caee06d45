// The rows of every profile compiled without contraction.
#include "properties/honest/profile_row.h"

namespace normcheck::properties::honest {
namespace {

#include "properties/honest/sums-inl.h"

#include "properties/honest/rows-inl.h"

}  // namespace

ProfileRows PlainRows() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace normcheck::properties::honest
