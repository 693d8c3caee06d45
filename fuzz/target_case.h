// From a fuzzer's bytes to a case that the kernel under test can take.
#pragma once

#include <cstdint>
#include <span>

#include "norm/kernel.h"
#include "reference/case.h"
#include "reference/judge.h"

namespace normcheck::fuzz {

// Cases above these are skipped by design: one execution stays far below a second even where every element needs the
// exact level, and pitches cannot ask for gigabytes of padding. Longer rows belong to the report's sweep.
inline constexpr std::size_t kMaxElements = 8192;            // rows*width, and each of them where the other is 0
inline constexpr std::size_t kMaxBufferElements = 1u << 20;  // with pitches

bool WithinCaps(const reference::Case& c);

// How cases are judged by the thousand: the fast levels, and no more than whether the contract is kept.
inline constexpr reference::JudgeOptions kInTheLoop = {.contract = {}, .diagnose = false, .describe = false};

// DecodeCase, then op, then formats: those of the bytes where the kernel supports them, else one of the kernel's, always
// the same for the same bytes.
reference::Case TargetCase(const norm::Kernel& kernel, norm::Op op, std::span<const std::uint8_t> bytes);

}  // namespace normcheck::fuzz
