//! The paths that each resource of a graph depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::part::Ways;
use crate::engine::{self, takers};
use crate::graph::{Graph, ResourceId};
use crate::host::LocalLook;
use crate::resource::Watch;
use crate::session::Session;

/// Paths, each with the resources that depend on it.
#[derive(Debug, Default)]
pub struct Places {
    paths: BTreeMap<PathBuf, Vec<ResourceId>>,
    /// Folders that resources depend on with everything below them.
    trees: BTreeMap<PathBuf, Vec<ResourceId>>,
}

impl Places {
    /// Collects the paths of all resources of a graph.
    pub fn of_graph(session: &Session, graph: &Graph) -> Self {
        let (options, look) = (session.engine_options(), LocalLook::new(false));
        let mut places = Self::default();
        for resource in takers(graph) {
            places.add(&resource.id, &engine::watching(resource, &options, &look).watches);
        }
        places
    }

    /// Adds the paths of a resource.
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

    /// Returns the paths to watch.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.paths.keys().cloned()
    }

    /// Returns the folders to watch with everything below them.
    pub fn trees(&self) -> impl Iterator<Item = PathBuf> {
        self.trees.keys().cloned()
    }

    /// Returns the resources that depend on these paths.
    pub fn near(&self, touched: &BTreeSet<PathBuf>) -> BTreeSet<ResourceId> {
        let near = touched.iter().flat_map(|path| [self.paths.get(path), self.trees.get(path)]);
        near.flatten().flatten().cloned().collect()
    }

    /// Returns the number of resources with watched paths.
    pub fn watched_count(&self) -> usize {
        self.paths.values().chain(self.trees.values()).flatten().collect::<BTreeSet<_>>().len()
    }
}

/// Returns some resources of a graph alone, for a check.
pub fn alone(graph: &Graph, wanted: &BTreeSet<ResourceId>) -> Arc<Graph> {
    Arc::new(Ways::new(graph).alone(wanted.iter().filter_map(|id| graph.find(id)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Params, Resource};

    /// Every package manager's database files show installed and removed packages. Services have no such files.
    #[test]
    fn packages_are_watched_by_their_manager_files() {
        let mut places = Places::default();
        let (look, options) = (LocalLook::new(false), engine::Options::default());
        for kind in ["pkg", "svc"] {
            let resource = Resource::new(kind, "nginx", Params::default());
            places.add(&resource.id, &engine::watching(&resource, &options, &look).watches);
        }
        assert_eq!(places.watched_count(), 1);
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
