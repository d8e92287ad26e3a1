// A console of Windows sends no signals, and nothing is left on nodes from there.
#include "system/interruption.h"

namespace culprit::system {

struct Interruption::State {};

Interruption::Interruption() = default;
Interruption::~Interruption() = default;
std::stop_token Interruption::token() const { return {}; }
std::string Interruption::signal() const { return ""; }
void Interruption::EndByIt() const {}

}  // namespace culprit::system
