//! Which resources of a graph ask about which paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::part::Ways;
use crate::engine::{self, takers};
use crate::graph::{Graph, ResourceId};
use crate::host::LocalLook;
use crate::resource::Watch;
use crate::session::Session;

/// Paths, each with the resources that ask about it.
#[derive(Debug, Default)]
pub struct Places {
    paths: BTreeMap<PathBuf, Vec<ResourceId>>,
    /// Folders that are asked about with all that lies below them.
    trees: BTreeMap<PathBuf, Vec<ResourceId>>,
}

impl Places {
    /// Those of all resources of a graph.
    pub fn of_graph(session: &Session, graph: &Graph) -> Self {
        let (options, look) = (session.engine_options(), LocalLook::new(false));
        let mut places = Self::default();
        for resource in takers(graph) {
            places.add(&resource.id, &engine::watching(resource, &options, &look).watches);
        }
        places
    }

    /// Adds what a resource asks about.
    pub fn add(&mut self, id: &ResourceId, watches: &[Watch]) {
        for watch in watches {
            let (index, path) = match watch {
                Watch::Path(path) => (&mut self.paths, path),
                Watch::Tree(path) => (&mut self.trees, path),
                Watch::Lines(_) | Watch::Unit(_) | Watch::Every(_) | Watch::Tick(_) => continue,
            };
            let ids = index.entry(path.clone()).or_default();
            if ids.last() != Some(id) {
                ids.push(id.clone());
            }
        }
    }

    /// The paths to be watched.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.paths.keys().cloned()
    }

    /// The folders to be watched with all that lies below them.
    pub fn trees(&self) -> impl Iterator<Item = PathBuf> {
        self.trees.keys().cloned()
    }

    /// The resources that these paths are of.
    pub fn near(&self, touched: &BTreeSet<PathBuf>) -> BTreeSet<ResourceId> {
        let near = touched.iter().flat_map(|path| [self.paths.get(path), self.trees.get(path)]);
        near.flatten().flatten().cloned().collect()
    }

    /// How many resources the system tells of.
    pub fn told_of(&self) -> usize {
        self.paths.values().chain(self.trees.values()).flatten().collect::<BTreeSet<_>>().len()
    }
}

/// Some resources of a graph alone, to be looked at.
pub fn alone(graph: &Graph, wanted: &BTreeSet<ResourceId>) -> Arc<Graph> {
    Arc::new(Ways::new(graph).alone(wanted.iter().filter_map(|id| graph.find(id)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Params, Resource};

    /// Whatever manager keeps the packages, what it writes down tells that one may have come or gone. Of a service nothing tells
    /// for nothing.
    #[test]
    fn packages_are_told_of_by_what_their_manager_writes() {
        let mut places = Places::default();
        let (look, options) = (LocalLook::new(false), engine::Options::default());
        for kind in ["pkg", "svc"] {
            let resource = Resource::new(kind, "nginx", Params::default());
            places.add(&resource.id, &engine::watching(&resource, &options, &look).watches);
        }
        assert_eq!(places.told_of(), 1);
        for database in [
            "/var/lib/dpkg/status",
            "/var/lib/pacman/local",
            "/lib/apk/db/installed",
            "/usr/lib/apk/db/installed",
            "/var/lib/rpm/rpmdb.sqlite",
            "/var/lib/rpm/Packages",
            "/usr/lib/sysimage/rpm/rpmdb.sqlite",
            "/usr/lib/sysimage/rpm/Packages.db",
        ] {
            let near = places.near(&[PathBuf::from(database)].into());
            assert!(near.into_iter().eq([ResourceId("pkg[nginx]".into())]), "{database}");
        }
    }
}
