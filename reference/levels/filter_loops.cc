// Which of the filter's loops this machine can run.
#include "reference/levels/filter_loops.h"

namespace normcheck::reference::levels {

extern const FilterLoops kFilterLoopsPortable;
#if defined(__x86_64__)
extern const FilterLoops kFilterLoopsV3;
extern const FilterLoops kFilterLoopsV4;
#endif

FilterLoopsList AllFilterLoops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4")) return {{&kFilterLoopsV4, &kFilterLoopsV3, &kFilterLoopsPortable}, 3};
  if (__builtin_cpu_supports("x86-64-v3")) return {{&kFilterLoopsV3, &kFilterLoopsPortable}, 2};
#endif
  return {{&kFilterLoopsPortable}, 1};
}

}  // namespace normcheck::reference::levels
