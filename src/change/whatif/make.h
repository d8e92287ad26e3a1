// One change -> what is different about the machine. Each sees the machine as those before it left it. One
// file for each kind of subject; carry_out.cc calls them in turn.
#pragma once

#include "base/error.h"
#include "report/change.h"
#include "system/changed.h"
#include "system/system.h"

namespace culprit::whatif {

using Changes = base::Result<system::SystemChanges>;

// variables.cc
Changes Make(const system::System& machine, const report::SetVariable& change);
Changes Make(const system::System& machine, const report::UnsetVariable& change);
Changes Make(const system::System& machine, const report::DropFromList& change);
Changes Make(const system::System& machine, const report::AddToList& change);
// files.cc
Changes Make(const system::System& machine, const report::PutLink& change);
Changes Make(const system::System& machine, const report::PutText& change);
Changes Make(const system::System& machine, const report::RemoveFile& change);
Changes Make(const system::System& machine, const report::SetMode& change);
Changes Make(const system::System& machine, const report::PutDevice& change);
Changes Make(const system::System& machine, const report::SetRegistry& change);
// cache.cc
Changes Make(const system::System& machine, const report::RefreshCache& change);
Changes Make(const system::System& machine, const report::DropFromLoaderConf& change);
// library.cc
Changes Make(const system::System& machine, const report::PutLibrary& change);
// packages.cc
Changes Make(const system::System& machine, const report::InstallPackage& change);
Changes Make(const system::System& machine, const report::RemovePackage& change);
// driver.cc
Changes Make(const system::System& machine, const report::InstallDriver& change);
Changes Make(const system::System& machine, const report::StartContainer& change);
// modules.cc
Changes Make(const system::System& machine, const report::LoadModule& change);
Changes Make(const system::System& machine, const report::BindGpu& change);
Changes Make(const system::System& machine, const report::MakeComputeInstance& change);
Changes Make(const system::System& machine, const report::StartProcess& change);
// toolkit.cc
Changes Make(const system::System& machine, const report::InstallToolkit& change);
// cudnn.cc
Changes Make(const system::System& machine, const report::InstallCudnn& change);
// carry_out.cc
Changes Make(const system::System& machine, const report::NotInFiles& change);

}  // namespace culprit::whatif
