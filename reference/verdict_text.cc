// Verdicts as the few lines that a terminal of 80 columns shows.
#include <fmt/format.h>

#include <iterator>

#include "reference/number.h"
#include "reference/shell_word.h"
#include "reference/verdict_json.h"
#include "reference/wrapped_text.h"

namespace normcheck::reference {
namespace {

std::string NumberLine(std::string_view name, Bits bits, Format format) {
  return fmt::format("  {:<7}{:<18} {}\n", name, HexText(bits, format), DecimalText(bits, format));
}

std::string ErrorText(const WorstElement& worst) {
  if (!worst.fault.empty()) return worst.fault;
  if (!worst.ulp) return "";
  return fmt::format("{:.6g} ulp, {:.6g} row ulp, {:.4g} of the bound", *worst.ulp, worst.row_ulp.value_or(0),
                     worst.bound_ratio.value_or(0));
}

std::string WorstText(const WorstElement& worst, const Case& c) {
  std::string text = fmt::format("  worst  row {}, element {} of {}\n", worst.row, worst.index, c.width);
  text += NumberLine("x", worst.x, c.formats.x);
  text += NumberLine("got", worst.got, c.formats.y);
  text += NumberLine("want", worst.want, c.formats.y);
  return text + fmt::format("  error  {}\n", ErrorText(worst));
}

std::string RowText(const RowFacts& row) {
  return fmt::format("  row    mean {:.6g}, var {:.6g}, 1/sqrt(var + eps) {:.6g}\n         |mean|/sigma {:.4g}, var/eps {:.4g}\n",
                     row.mean, row.var, row.inv_std_dev, row.mean_over_sigma, row.var_over_eps);
}

std::string CountsText(const Tally& tally) {
  std::string text = fmt::format("  count  {} of {} broken", tally.broken, tally.judged);
  if (tally.class_faults > 0) text += fmt::format(", {} class faults", tally.class_faults);
  if (tally.undefined > 0) text += fmt::format(", {} undefined", tally.undefined);
  if (tally.no_promise > 0) text += fmt::format(", {} without promise", tally.no_promise);
  return text + "\n";
}

std::string StatisticsText(const StatisticsVerdict& statistics) {
  return fmt::format("  stats  {} of {} broken; mean {:.4g} ulp of max|x|, inv_std_dev {:.4g} ulp\n", statistics.broken,
                     statistics.judged, statistics.max_mean_ulp, statistics.max_inv_std_dev_ulp);
}

std::string KeptLine(const Verdict& verdict, const Case& c, const std::string& file) {
  const Tally& tally = verdict.tally;
  std::string text = fmt::format("kept  {}  {}: {} of {} correctly rounded", verdict.kernel, ContractText(verdict.contract),
                                 tally.correctly_rounded, c.rows * c.width);
  if (tally.scored > 0) text += fmt::format(", worst {:.4g} row ulp", FromQ20(tally.max_row_ulp));
  if (tally.undefined > 0) text += fmt::format(", {} undefined", tally.undefined);
  if (tally.no_promise > 0) text += fmt::format(", {} without promise", tally.no_promise);
  return text + fmt::format("  {}\n", file);
}

std::string DiagnosisText(const Diagnosis& diagnosis) {
  return fmt::format("  likely {}  ({:.3g} row ulps away)\n{}", diagnosis.id, diagnosis.distance_ulp, WrappedText(diagnosis.text, 9));
}

// Where the call as a whole is at fault and no output was found wrong, figures would only show what it left behind.
bool HasFigures(const Verdict& verdict) {
  const bool statistics = verdict.statistics && verdict.statistics->broken > 0;
  return verdict.fault.empty() || verdict.tally.broken > 0 || statistics;
}

std::string FiguresText(const Verdict& verdict, const Case& c) {
  std::string text;
  if (verdict.worst) text += WorstText(*verdict.worst, c);
  if (verdict.row) text += RowText(*verdict.row);
  text += CountsText(verdict.tally);
  if (verdict.statistics && verdict.statistics->broken > 0) text += StatisticsText(*verdict.statistics);
  return text;
}

std::string BrokenText(const Verdict& verdict, const Case& c, const std::string& file, const std::string& replay) {
  std::string text = fmt::format("BROKEN  {}  {}\n  case   {}\n", verdict.kernel, ContractText(verdict.contract), file);
  if (!verdict.fault.empty()) text += fmt::format("  fault  {}\n", verdict.fault);
  if (HasFigures(verdict)) text += FiguresText(verdict, c);
  for (const Diagnosis& d : verdict.diagnosis) text += DiagnosisText(d);
  if (!replay.empty()) return text + fmt::format("  replay {}\n", replay);
  return text + fmt::format("  replay {}\n", JudgeLine(verdict.kernel, "", file));
}

}  // namespace

std::string VerdictText(const Verdict& verdict, const Case& c, const std::string& file, const std::string& replay) {
  if (verdict.not_supported)
    return fmt::format("{}  {}  {}: {}\n", verdict.harness_failed ? "not checked" : "not judged", verdict.kernel, file, verdict.fault);
  return verdict.kept ? KeptLine(verdict, c, file) : BrokenText(verdict, c, file, replay);
}

}  // namespace normcheck::reference
