// Laws of memory: what is read and written, where it stands, and how far apart the rows are.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "properties/laws/groups.h"
#include "properties/laws/paged_call.h"
#include "properties/laws/prepare.h"
#include "properties/laws/same_bits.h"
#include "properties/plug_in/plug_in.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Format;
using reference::Outputs;

// Every output holds something else than the poison. Nothing is asked of a width of 0.
std::string Unwritten(const Case& c, const Outputs& outputs) {
  const auto poison = std::ranges::find(outputs.y, reference::PoisonBits(c.formats.y));
  if (poison != outputs.y.end()) {
    const auto j = static_cast<std::size_t>(poison - outputs.y.begin());
    return fmt::format("row {} element {} is not written", j / c.width, j % c.width);
  }
  for (const auto* statistics : {&outputs.mean, &outputs.inv_std_dev})
    for (const float& value : *statistics)
      if (std::bit_cast<Bits>(value) == reference::PoisonBits(norm::Format::kF32)) return "a statistic is not written";
  return "";
}

LawResult CheckWritten(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  if (!run.outputs.trespass.empty()) return Broken("wrote outside its outputs: " + run.outputs.trespass);
  if (!run.outputs.changed_input.empty()) return Broken("changed its inputs: " + run.outputs.changed_input);
  const std::string unwritten = Unwritten(run.c, run.outputs);
  return unwritten.empty() ? LawResult{} : Broken(unwritten);
}

LawResult CheckGuardPages(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  for (const PageEdge edge : {PageEdge::kArrayEnds, PageEdge::kArrayBegins}) {
    const std::string where = edge == PageEdge::kArrayEnds ? "arrays that end at a page" : "arrays that begin at a page";
    PagedLayout layout;
    layout.edge = edge;
    layout.x_padding = reference::PoisonBits(c.formats.x);
    const Outputs paged = RunPaged(context.kernel, run.c, layout);
    if (!paged.trespass.empty()) return Broken(where + ": wrote outside its outputs: " + paged.trespass);
    const LawResult same = CheckSame(run.c, run.outputs, paged, where);
    if (same.state != LawResult::State::kKept) return same;
  }
  return {};
}

// Over the sixteen calls every pointer takes every shift, in an order of its own.
LawResult CheckAlignment(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  for (std::size_t step = 0; step < 16; ++step) {
    PagedLayout layout;
    layout.edge = PageEdge::kArrayBegins;
    layout.x_padding = reference::PoisonBits(c.formats.x);
    layout.shifts = {step, (5 * step + 1) % 16, (7 * step + 3) % 16, (11 * step + 2) % 16, (3 * step) % 16, (13 * step + 5) % 16};
    const Outputs shifted = RunPaged(context.kernel, run.c, layout);
    const std::string how = fmt::format("x, gamma, beta, y at +{}, +{}, +{}, +{}", layout.shifts[0], layout.shifts[1], layout.shifts[2],
                                        layout.shifts[3]);
    const LawResult same = CheckSame(run.c, run.outputs, shifted, how);
    if (same.state != LawResult::State::kKept) return same;
  }
  return {};
}

bool TakesPitch(const norm::Kernel& kernel) { return kernel.pitch; }

LawResult CheckPadding(const LawContext& context, const Case& c) {
  Case dense = c;
  MakeDense(dense);
  const PlainRun run = RunPlainly(context.kernel, dense);
  if (run.fault) return *run.fault;
  const Format format = c.formats.x;
  const Bits fillings[] = {0, reference::CanonicalNan(format), reference::InfinityBits(format, true), reference::MaxFinite(format, false)};
  std::size_t extra = 1;
  for (const Bits filling : fillings) {
    Case pitched = run.c;
    pitched.x_pitch += extra;
    pitched.y_pitch += 17 - extra;
    extra = extra * 3 % 17;
    PagedLayout layout;
    layout.x_padding = filling;
    const Outputs outputs = RunPaged(context.kernel, pitched, layout);
    const std::string how = fmt::format("pitches {} and {}, padding {}", pitched.x_pitch, pitched.y_pitch, reference::HexText(filling, format));
    const LawResult same = CheckSame(run.c, run.outputs, outputs, how);
    if (same.state != LawResult::State::kKept) return same;
  }
  return {};
}

bool TakesInPlace(const norm::Kernel& kernel) { return kernel.in_place; }

void PrepareInPlace(Case& c) {
  KeepCopied(c);
  c.formats.y = c.formats.x;
  c.y_pitch = c.x_pitch;
  c.expected.clear();
}

LawResult CheckInPlace(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  reference::RunOptions options;
  options.in_place = true;
  return CheckSame(run.c, run.outputs, reference::RunKernel(context.kernel, run.c, options), "in place");
}

// Two rows at the least and the most.
void PrepareWidePitch(Case& c) {
  KeepColumns(c, 33);
  if (c.rows == 1) {
    c.rows = 2;
    c.x.insert(c.x.end(), c.x.begin(), c.x.begin() + static_cast<std::ptrdiff_t>(c.width));
  }
  KeepRows(c, 2);
  MakeDense(c);
}

LawResult CheckWidePitch(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  const Outputs outputs = RunFarRows(context.kernel, run.c, (std::size_t{1} << 31) + 5);
  return CheckSame(run.c, run.outputs, outputs, "x's rows 2^31 + 5 elements apart");
}

}  // namespace

const Law kWritten = {"written", "every output is written, nothing else is, and the inputs stay", plug_in::SeesTheCallersArrays,
                      CheckWritten, KeepCopied};
const Law kGuardPages = {"guard-pages", "nothing outside the arrays is touched: they stand against pages that trap",
                         plug_in::SeesTheCallersArrays, CheckGuardPages, KeepCopied};
const Law kAlignment = {"alignment", "every pointer 0 to 15 elements past a page gives the same bits",
                        plug_in::SeesTheCallersArrays, CheckAlignment, KeepCopied};
const Law kPadding = {"padding", "pitches and what the padding holds change no bit", TakesPitch, CheckPadding, KeepCopied};
const Law kInPlace = {"in-place", "y over x gives the same bits", TakesInPlace, CheckInPlace, PrepareInPlace};
const Law kWidePitch = {"wide-pitch", "rows more than 2^31 elements apart give the same bits", TakesPitch, CheckWidePitch, PrepareWidePitch, 4};

}  // namespace normcheck::properties
