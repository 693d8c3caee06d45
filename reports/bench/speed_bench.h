// The speed benchmark: production kernels beside copies and peers, over a grid of shapes.
#pragma once

namespace normcheck::reports {

enum class Grid { kQuick, kFull };

// Registers a benchmark per shape, `speed/layer_norm/f32/1024/512KiB`, whose time is one call of the correctly rounded kernel, and whose
// counters are GB/s (bytes of x and y) of every contestant, `_two` where two threads share the rows. Adds what makes the
// figures readable to the context: each kernel's worst error in row ulps on N(1e3, 1), which says whether it is sound.
void RegisterSpeed(Grid grid);

}  // namespace normcheck::reports
