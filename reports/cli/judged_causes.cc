// Level and causes of one run of judge.
#include "reports/cli/judged_causes.h"

#include <fmt/format.h>

#include "reference/contract.h"
#include "reference/judge.h"

namespace normcheck::reports {

using reference::Placement;

void JudgedCauses::Add(const norm::Kernel& kernel, const reference::Case& c, const reference::Verdict& verdict,
                       const std::string& name, bool needs_earlier) {
  if (verdict.not_supported) {
    if (!verdict.harness_failed) ++not_asked_[verdict.unasked];
    unasked_outputs_ += verdict.tally.not_checked;
    return;
  }
  kernel_ = kernel.name;
  contract_ = reference::ContractText(verdict.contract);
  if (!verdict.kept) ++broken_;
  if (!verdict.fault.empty()) return placer_.AddFault();
  placer_.Add(c, verdict.got, verdict.contract, kernel.epsilon_format);
  if (needs_earlier) return;
  const double epsilon = reference::WithEpsilonOf(kernel, c).epsilon;
  const bool y_kept = verdict.tally.broken == 0;
  poll_.Add({&c, verdict.got, verdict.contract, epsilon, y_kept, name});
}

bool JudgedCauses::IsBelow(reference::Level level) const {
  const auto placement = placer_.Place();
  return !placement || placement->level < level;
}

nlohmann::ordered_json JudgedCauses::Json(bool kept) const {
  nlohmann::ordered_json json;
  json["schema"] = "normcheck/causes/1";
  json["kernel"] = kernel_;
  const auto placement = placer_.Place();
  json["level"] = placement ? nlohmann::ordered_json(NameOf(placement->level)) : nlohmann::ordered_json(nullptr);
  json["rung"] = placement && !placement->rung.empty() ? nlohmann::ordered_json(placement->rung) : nlohmann::ordered_json(nullptr);
  if (placement) json["digits"] = {{"ordinary", placement->digits.ordinary}, {"worst", placement->digits.worst}};
  json["contract"] = contract_;
  json["kept"] = kept;
  const std::uint64_t outputs = placement ? placement->outputs : 0;
  json["asked"] = {{"outputs", outputs}, {"of", outputs + unasked_outputs_}};
  json["asked"]["not"] = nlohmann::ordered_json::array();
  for (const auto& [reason, count] : not_asked_) json["asked"]["not"].push_back(reason);
  json["broken_cases"] = broken_;
  json["causes"] = reference::CausesJson(poll_.Causes());
  return json;
}

std::string JudgedCauses::Text() const {
  const auto placement = placer_.Place();
  if (!placement) return "";
  const std::string rung = placement->rung.empty() ? "" : " (" + placement->rung + ")";
  return fmt::format("level  {}{}: {} digits on ordinary rows, {} at worst\n", NameOf(placement->level), rung,
                     placement->digits.ordinary, placement->digits.worst) +
         reference::CausesText(poll_.Causes());
}

}  // namespace normcheck::reports
