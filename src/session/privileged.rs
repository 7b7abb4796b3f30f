//! Predicts which steps of a plan need root.

use std::path::Path;

use rustix::fs::Access;

use super::Session;
use crate::graph::{Graph, ResourceId};
use crate::host::LocalLook;
use crate::plan::{Action, Plan};
use crate::resource::Footprint;

/// Kinds that change the whole machine.
const OF_THE_MACHINE: [&str; 9] = ["cron", "group", "hostname", "mount", "net", "pkg", "svc", "sysctl", "user"];

/// Returns the steps that this user may not take, in the order of the plan; empty for root.
pub fn needs_root(graph: &Graph, plan: &Plan) -> Vec<ResourceId> {
    if rustix::process::geteuid().is_root() {
        return Vec::new();
    }
    let look = LocalLook::new(false);
    let changes = plan.steps.iter().filter(|step| step.action != Action::None && !step.only_told);
    let needs = changes.filter(|step| {
        let found = graph.find(&step.resource).and_then(|at| graph.resource(at));
        let Some(wanted) = found.and_then(|resource| resource.wanted()) else { return false };
        OF_THE_MACHINE.contains(&&*wanted.kind)
            || Footprint::of(wanted, &[], &look).writes.iter().any(|path| !may_change(path))
    });
    needs.map(|step| step.resource.clone()).collect()
}

impl Session {
    /// Whether the settings make root act, through `sudo`, and this process is not root.
    pub fn acts_as_root(&self) -> bool {
        self.options().config.sudo() && !rustix::process::geteuid().is_root()
    }
}

/// Whether this user may change names in the folder of a path, existing or not.
fn may_change(path: &Path) -> bool {
    let mut above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let Some(folder) = above.find(|folder| folder.symlink_metadata().is_ok()) else { return true };
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}
