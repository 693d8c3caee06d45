// From a text to a kernel whose function calls a pool of workers.
#include "properties/plug_in/plug_in.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "properties/plug_in/description.h"
#include "properties/plug_in/array_bytes.h"
#include "properties/plug_in/exec_worker.h"
#include "properties/plug_in/library_worker.h"
#include "properties/plug_in/python_command.h"

namespace normcheck::properties::plug_in {
namespace {

using norm::CallResult;
using norm::CallStatus;
using norm::Kernel;
using norm::KernelCall;
using reference::Error;

constexpr std::string_view kExec = "exec:", kPython = ".py:";

// What the calls of one plug-in share.
struct PlugIn {
  Kernel kernel;  // as described; its `run` is empty
  WorkerPool pool;
};

bool Takes(const Kernel& kernel, const KernelCall& call) {
  const bool pitched = call.x_pitch != call.width || call.y_pitch != call.width;
  return norm::Supports(kernel, call.op, call.formats) && (kernel.pitch || !pitched) && (kernel.in_place || !IsInPlace(call)) &&
         (kernel.absent_params || (call.gamma != nullptr && call.beta != nullptr)) &&
         (kernel.statistics || (call.mean == nullptr && call.inv_std_dev == nullptr));
}

CallResult Run(PlugIn& plug_in, const KernelCall& call) {
  const CallResult checked = norm::CheckCall(call);
  if (!checked.ok()) return checked;
  return Takes(plug_in.kernel, call) ? plug_in.pool.Run(call) : CallResult{CallStatus::kUnsupported, {}, {}};
}

// Rows travel one behind the other, so nothing can be learnt of pitches and places.
void LeaveOutWhatFramesCannotCarry(Kernel& kernel) { kernel.pitch = kernel.in_place = false; }

bool NamesProgram(std::string_view text) { return text.starts_with(kExec) || text.find(kPython) != text.npos; }

// "FILE.py:FUNCTION": the file's part.
std::string PythonFile(std::string_view text) { return std::string(text.substr(0, text.rfind(kPython) + kPython.size() - 1)); }

std::string CommandOf(const std::string& text) {
  if (text.starts_with(kExec)) return text.substr(kExec.size());
  const std::string file = PythonFile(text);
  return PythonCommand(std::filesystem::absolute(file).string(), text.substr(file.size() + 1));
}

reference::Result<Kernel> Load(const std::string& text, TimeLimit limit) {
  const bool exec = NamesProgram(text);
  const std::string what = exec ? CommandOf(text) : std::filesystem::absolute(text).string();
  const auto start = [=] { return exec ? StartExecWorker(what, limit) : StartLibraryWorker(what, limit); };
  StartedWorker first = start();
  if (!first.ok()) return Error{first.error()};
  auto read = ReadDescription(first.value()->description());
  if (!read.ok()) return Error{read.error()};
  Kernel kernel = std::move(read).value();
  if (exec) LeaveOutWhatFramesCannotCarry(kernel);
  kernel.name = text;
  const std::shared_ptr<PlugIn> plug_in(new PlugIn{kernel, {text, limit, start, std::move(first).value()}});
  kernel.run = [plug_in](const KernelCall& call) { return Run(*plug_in, call); };
  return kernel;
}

}  // namespace

bool SeesTheCallersArrays(const Kernel& kernel) { return kernel.kind != norm::Kind::kPlugIn || !NamesProgram(kernel.name); }

bool NamesPlugIn(std::string_view text) {
  return NamesProgram(text) || text.find('/') != text.npos || text.ends_with(".so");
}

reference::Result<Kernel> LoadPlugIn(const std::string& text) {
  const auto limit = TimeLimitFromEnvironment();
  if (!limit.ok()) return Error{limit.error()};
  std::error_code ignored;
  const bool python = !text.starts_with(kExec) && NamesProgram(text);
  const std::string file = python ? PythonFile(text) : text;
  if (!text.starts_with(kExec) && !std::filesystem::exists(file, ignored)) return Error{file + ": there is no such file"};
  auto loaded = Load(text, limit.value());
  if (!loaded.ok()) return Error{OneLine(text + ": " + loaded.error())};
  return loaded;
}

}  // namespace normcheck::properties::plug_in
