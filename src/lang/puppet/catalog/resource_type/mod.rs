//! The resource types of Puppet, and those of modules that act here: one file each.
//!
//! A type says how its resources are named, what they take and refuse, what they come after by themselves, and which of our
//! kinds they are. To add one, write its file and a line in [`TYPES`].

mod anchor;
mod concat_file;
mod concat_fragment;
mod cron;
mod exec;
mod file;
mod file_line;
mod filebucket;
mod group;
mod host;
mod mount;
mod notify;
mod other;
mod package;
mod refusal;
mod resources;
mod schedule;
mod service;
mod ssh_authorized_key;
mod tidy;
mod user;

use std::cell::OnceCell;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::graph::{Meta, Params};
use crate::lang::puppet::ast::Form;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::catalog::{Finished, Resource};
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;
use crate::lang::puppet::{convert, unknown};

pub use refusal::refused;

/// What is known of one resource type.
pub struct ResourceType {
    pub name: &'static str,
    /// The parameter that names a resource.
    pub namevar: &'static str,
    /// A module declares it, and the parameters are those of its file.
    pub is_of_module: bool,
    /// Its parameters are not listed completely.
    pub is_open: bool,
    /// Two resources of one name are the same thing.
    pub is_isomorphic: bool,
    pub doc: &'static str,
    /// What its resources depend on by themselves, as the documentation names it.
    pub requires: &'static str,
    /// The parameters, each with a sentence.
    pub params: &'static [(&'static str, &'static str)],
    /// Parameters that do nothing here, with blanks between.
    pub idle: &'static str,
    /// More parameters, which the documentation does not list.
    pub others: &'static str,
    /// Parameters that are one of some words.
    pub values: &'static [(&'static str, &'static [&'static str])],
    /// The providers; none where any is taken.
    pub providers: &'static [&'static str],
    /// Why it refuses a value of a parameter.
    pub refuse: fn(&Resource, &str, &Value) -> Option<String>,
    /// Why it refuses a name: the one of the name parameter, or the title.
    pub refuse_name: Option<fn(&str) -> Option<String>>,
    /// Why it refuses parameters together.
    pub refuse_whole: fn(&Resource) -> Option<String>,
    /// The resources before a resource.
    pub order: fn(&Managed) -> Vec<Option<ResourceId>>,
    /// Puts a resource into our words; nothing where no kind of ours is meant.
    pub map: Option<fn(&Mapper, &mut Meta) -> MapResult>,
}

impl ResourceType {
    const PLAIN: Self = Self {
        name: "",
        namevar: "name",
        is_of_module: false,
        is_open: false,
        is_isomorphic: true,
        doc: "",
        requires: "",
        params: &[],
        idle: "",
        others: "",
        values: &[],
        providers: &[],
        refuse: |_, _, _| None,
        refuse_name: None,
        refuse_whole: |_| None,
        order: |_| Vec::new(),
        map: None,
    };

    /// The names of all parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        let documented = self.params.iter().map(|(name, _)| *name);
        documented.chain(self.idle.split_whitespace()).chain(self.others.split_whitespace())
    }
}

/// Sorted by name.
pub const TYPES: &[&ResourceType] = &[
    &anchor::TYPE,
    &other::AUGEAS,
    &other::COMPONENT,
    &concat_file::TYPE,
    &concat_fragment::TYPE,
    &cron::TYPE,
    &exec::TYPE,
    &file::TYPE,
    &file_line::TYPE,
    &filebucket::TYPE,
    &group::TYPE,
    &host::TYPE,
    &other::MAILALIAS,
    &mount::TYPE,
    &notify::TYPE,
    &package::TYPE,
    &resources::TYPE,
    &schedule::TYPE,
    &other::SELBOOLEAN,
    &service::TYPE,
    &ssh_authorized_key::TYPE,
    &other::SSHKEY,
    &other::STAGE,
    &tidy::TYPE,
    &user::TYPE,
    &other::WHIT,
    &other::YUMREPO,
    &other::ZFS,
];

/// A type by its name, also of a module.
pub fn find(name: &str) -> Option<&'static ResourceType> {
    static BY_NAME: LazyLock<FxHashMap<&str, &ResourceType>> =
        LazyLock::new(|| TYPES.iter().map(|ty| (ty.name, *ty)).collect());
    BY_NAME.get(name).copied()
}

/// A type that other resources name and that changes nothing.
fn nothing(g: &Mapper, _meta: &mut Meta) -> MapResult {
    g.ignore(&["path", "server", "port", "range", "period", "periodmatch", "repeat", "weekday"]);
    Ok(declaration("noop", g.name(), Params::default()))
}

/// A resource in a catalog that is finished.
pub struct Managed<'a> {
    e: &'a Finished<'a>,
    id: ResourceId,
    resource: &'a Resource,
    groups: &'a Groups,
}

/// The groups of a catalog by their numbers, as soon as a user asks for one.
pub type Groups = OnceCell<FxHashMap<String, ResourceId>>;

impl<'a> Managed<'a> {
    /// Selects a resource of a finished catalog.
    pub fn new(e: &'a Finished<'a>, id: ResourceId, groups: &'a Groups) -> Self {
        Self { e, id, resource: e.catalog.get(id), groups }
    }

    /// The group of a number.
    fn group_of(&self, gid: &str) -> Option<ResourceId> {
        let by_gid = self.groups.get_or_init(|| {
            let mut groups = FxHashMap::default();
            for id in self.e.catalog.ids() {
                let group = self.e.catalog.get(id);
                if &*group.ty == "group"
                    && let Some(gid) = group.parameter("gid")
                {
                    groups.entry(convert::string(gid)).or_insert(id);
                }
            }
            groups
        });
        by_gid.get(gid).copied()
    }

    fn name(&self) -> String {
        crate::lang::puppet::catalog::ral::name_of(self.resource)
    }

    /// A parameter whose value is known.
    fn value(&self, name: &str) -> Option<&'a Value> {
        self.resource.parameter(name).filter(|value| !unknown::is_in(value))
    }

    fn text(&self, name: &str) -> Option<String> {
        self.value(name).map(convert::string)
    }

    /// One value is a list of one.
    fn list(&self, name: &str) -> Vec<String> {
        match self.value(name) {
            Some(Value::Array(list)) => list.iter().map(convert::string).collect(),
            other => other.into_iter().map(convert::string).collect(),
        }
    }

    /// A resource that is applied.
    fn find(&self, ty: &str, name: &str) -> Option<ResourceId> {
        self.e.catalog.lookup(ty, name).filter(|found| self.e.catalog.get(*found).form == Form::Regular)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_sorted_and_take_each_parameter_once() {
        assert!(TYPES.is_sorted_by_key(|ty| ty.name));
        for ty in TYPES {
            let mut names: Vec<&str> = ty.parameters().collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", ty.name);
            assert!(ty.is_of_module || ty.values.iter().all(|(name, _)| names.contains(name)), "{}", ty.name);
            assert!(ty.map.is_none() || !ty.doc.is_empty(), "{}", ty.name);
        }
    }
}
