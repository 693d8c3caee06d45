// Text that any reader can show: valid UTF-8 without control characters. Paths and names of kernels are bytes and may hold both.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace normcheck::reference {

// Bytes that are no UTF-8, and control characters but newline and tab, become \xHH. Other text is unchanged.
std::string VisibleText(std::string_view text);

// The JSON as text; strings that are no UTF-8 go through VisibleText, so that no result is lost to a name.
std::string JsonText(const nlohmann::json& json, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace normcheck::reference
