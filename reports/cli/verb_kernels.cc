// normcheck kernels: lists what can be judged.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "properties/kernels.h"
#include "reference/contract.h"
#include "reference/visible_text.h"
#include "reference/wrapped_text.h"
#include "reports/cli/print.h"
#include "reports/cli/verbs.h"

namespace normcheck::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameColumns = 46;

// "f32", or "f16/f32/f16" for x/params/y.
std::string NameOfFormats(const norm::Formats& formats) {
  const auto name = [](norm::Format format) { return std::string(norm::TraitsOf(format).name); };
  if (formats.x == formats.params && formats.x == formats.y) return name(formats.x);
  return name(formats.x) + "/" + name(formats.params) + "/" + name(formats.y);
}

Json KernelJson(const norm::Kernel& kernel) {
  Json json = {{"name", kernel.name}, {"kind", norm::NameOf(kernel.kind)}, {"contract", reference::ContractText(kernel.contract)}};
  json["ops"] = Json::array();
  for (norm::Op op : kernel.ops) json["ops"].push_back(norm::NameOf(op));
  json["formats"] = Json::array();
  for (const norm::Formats& formats : kernel.formats) json["formats"].push_back(NameOfFormats(formats));
  json["about"] = kernel.about;
  return json;
}

std::string OpsText(const norm::Kernel& kernel) {
  std::string text;
  for (norm::Op op : kernel.ops) text += (text.empty() ? "" : ",") + std::string(norm::NameOf(op));
  return text;
}

void PrintTable(const std::vector<norm::Kernel>& kernels) {
  Print("{:<{}}  {}\n", "name", kNameColumns, "kind");
  for (const norm::Kernel& kernel : kernels) {
    Print("{:<{}}  {}\n", kernel.name, kNameColumns, norm::NameOf(kernel.kind));
    Print("    contract {}\n", reference::ContractText(kernel.contract));
    Print("{}", reference::WrappedText(OpsText(kernel) + ". " + kernel.about, 4));
  }
}

ExitCode ListKernels(bool json) {
  const std::vector<norm::Kernel> kernels = properties::AllKernels();
  if (!json) {
    PrintTable(kernels);
    return ExitCode::kKept;
  }
  Json list = {{"schema", "normcheck/kernels/1"}, {"kernels", Json::array()}};
  for (const norm::Kernel& kernel : kernels) list["kernels"].push_back(KernelJson(kernel));
  Print("{}\n", reference::JsonText(list, 1));
  return ExitCode::kKept;
}

}  // namespace

void AddKernels(CLI::App& app, ExitCode& code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("kernels", "list the kernels that can be judged");
  verb->add_flag("--json", *json, "as JSON (schema normcheck/kernels/1)");
  verb->callback([json, &code] { code = ListKernels(*json); });
}

}  // namespace normcheck::reports
