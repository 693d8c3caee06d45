// FNV-1a of the first eight rows of every family, in f32, f16, bf16, for seed 1; computed once with g++ 12.
#pragma once

#include <cstdint>

namespace normcheck::properties {

inline constexpr std::uint64_t kFamilyHashes[] = {
    0x04d972be47841305, 0xe58c46af70a96eff, 0x4a60b1c343b2f1ed,  // gaussian
    0xc6de6b31fabe66fe, 0x2d5c6af501a6d00d, 0xbde8ee7093cdfc14,  // offset-1e3
    0xe216e4e4e0241c2a, 0xd4689aa2cf71d9a1, 0xcc597917e8b79bb0,  // offset-1e4
    0x32c9409f9826e49d, 0xb341eaf37472ebfe, 0x3b66c0296c830bad,  // offset-1e6
    0xa81a3c3ba609bf35, 0xb341eaf37472ebfe, 0x8b30c051762334a8,  // offset-1e7
    0x040fb627e799ec4f, 0x5e33c9c93b1ea14f, 0xc8604a11e2424f8f,  // constant
    0x9c510712af6f3084, 0xb1aa928f00dfb7d6, 0x59ada85d93ba78c4,  // near-constant
    0x64b41a0562990501, 0xe08b1d4e84a827ae, 0x495926a911e8efe5,  // outlier
    0xc7b4c8f6c4eeeea5, 0xa194831c368f3594, 0x6b474f21c70d3011,  // outlier-huge
    0xeabdbb345d69d3e3, 0x595a16f057ab8f34, 0x4444908cb92dfcf6,  // cancelling-outliers
    0xbd8b83f11969a704, 0xe2a331000e633cc8, 0x064cd45fad184ae3,  // exponent-ladder
    0x19c9fafd09819e52, 0xc8d4eb7d96184eaa, 0xcb6ee4f71a58220f,  // subnormal
    0x560f1fe79e616ac2, 0x76297fe3076c0fbd, 0xf6a5a30fe3009a8a,  // near-overflow
    0x3b7ac34ecd9461e7, 0x8658b62dcace7898, 0x6c4319e0fd0d579f,  // alternating
    0x74a0c312ace80e57, 0x3a2654f1540b133b, 0xe50d5361932fbaae,  // sparse
    0x5f680a1d7a90a781, 0x30370c458c59ebc0, 0x9c813fd847e00fa2,  // one-hot
    0x479bd9ce45429e90, 0x08a5417d73fe5690, 0xfc8996237cc0b190,  // any-bits
    0x032ad8955b8c8256, 0x9e48a0b1bdfee586, 0xb45e275249e8dc8a,  // specials
    0x412762ad14050189, 0x2bc741dae28600c4, 0x210ad47cd4062138,  // var-near-eps
    0x92647e28278d0941, 0xc1a98609ea69825c, 0x6b0fbab4bdbddf43,  // beta-cancels
    0xf1d78feb2df83f73, 0x25667376fa346460, 0x95b78190d26a6b5a,  // overflowing
};

}  // namespace normcheck::properties
