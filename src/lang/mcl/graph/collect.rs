//! Collected resources: what the program exports to this host itself, rebuilt here under the overlay of `collect`.
//!
//! Exports of other hosts live in their shared store, which a compilation does not ask; what is wanted from there is said
//! to be missing.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::duplicate::hosts;
use super::{Collect, Decl, Declared};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::graph::Params;
use crate::world::World;

/// Adds the resources that collect statements ask for.
pub fn resolve(declared: &mut Declared, world: &dyn World, diags: &mut Diagnostics) {
    if declared.collects.is_empty() {
        return;
    }
    let here = world.hostname();
    let exported = exported_to(&declared.resources, &here);
    let mut found = Vec::new();
    for wish in &declared.collects {
        let from_here = wish.host.as_deref().is_none_or(|host| host == here);
        let key = (wish.overlay.kind.clone(), wish.overlay.name.clone());
        match exported.get(&key).filter(|_| from_here) {
            Some(at) => found.push(overlaid(&declared.resources[*at], wish)),
            None => diags.push(missing(wish)),
        }
    }
    declared.resources.append(&mut found);
}

/// Kind and name of what is exported to a host, with its position.
fn exported_to(decls: &[Decl], here: &str) -> FxHashMap<(Arc<str>, Arc<str>), usize> {
    let reaches = |decl: &Decl| hosts(decl).iter().any(|host| &**host == "*" || &**host == here);
    let exported = decls.iter().enumerate().filter(|(_, decl)| reaches(decl));
    exported.map(|(at, decl)| ((decl.kind.clone(), decl.name.clone()), at)).collect()
}

fn overlaid(exported: &Decl, wish: &Collect) -> Decl {
    let mut decl = exported.clone();
    decl.meta.remove("hidden");
    decl.meta.remove("export");
    let lay = |over: &Params, under: &mut Params| {
        over.iter().for_each(|(name, value)| under.set(name.clone(), value.clone()))
    };
    lay(&wish.overlay.params, &mut decl.params);
    lay(&wish.overlay.meta, &mut decl.meta);
    decl.container = wish.overlay.container.clone();
    decl.span = wish.overlay.span;
    decl
}

fn missing(wish: &Collect) -> Diagnostic {
    let (kind, name) = (&wish.overlay.kind, &wish.overlay.name);
    Diagnostic::warning(Code::NothingCollected, wish.overlay.span)
        .label(format!("nothing exports `{kind}[{name}]` to this host"))
        .help("export it with `Meta:export => [\"*\"]`; exports of other hosts are not known while compiling")
}
