//! Types that have no kind here, and no rule but the names of their parameters.

use super::ResourceType;
use super::refusal::{PRESENCE, items};
use super::ssh_authorized_key::KEY_TYPES;
use crate::lang::puppet::convert;

pub(super) const STAGE: ResourceType = ResourceType {
    name: "stage",
    doc: "Orders classes: each class belongs to a stage (`main` by default), and relationships between stages order them.",
    params: &[("name", "The name (default: the title).")],
    ..ResourceType::PLAIN
};

pub(super) const WHIT: ResourceType = ResourceType { name: "whit", others: "name", ..ResourceType::PLAIN };

pub(super) const COMPONENT: ResourceType = ResourceType { name: "component", others: "name", ..ResourceType::PLAIN };

pub(super) const AUGEAS: ResourceType = ResourceType {
    name: "augeas",
    others: "name context changes onlyif lens incl root force load_path provider returns show_diff type_check",
    ..ResourceType::PLAIN
};

pub(super) const SSHKEY: ResourceType = ResourceType {
    name: "sshkey",
    others: "name ensure key type host_aliases target provider",
    values: &[("ensure", PRESENCE), ("type", KEY_TYPES)],
    refuse: |_, name, value| {
        if name != "host_aliases" {
            return None;
        }
        items(value).into_iter().map(convert::string).find_map(|alias| {
            if alias.contains(char::is_whitespace) {
                return Some("Aliases cannot include whitespace".into());
            }
            let why = "Aliases must be provided as an array, not a comma-separated list";
            alias.contains(',').then(|| why.into())
        })
    },
    refuse_name: Some(|name| {
        let why = "No comma in resourcename allowed. If you want to specify aliases use the host_aliases property";
        name.contains(',').then(|| why.into())
    }),
    ..ResourceType::PLAIN
};

pub(super) const MAILALIAS: ResourceType = ResourceType {
    name: "mailalias",
    others: "name ensure recipient file target provider",
    values: &[("ensure", PRESENCE)],
    ..ResourceType::PLAIN
};

pub(super) const YUMREPO: ResourceType = ResourceType {
    name: "yumrepo",
    is_open: true,
    others: "name ensure descr baseurl mirrorlist enabled gpgcheck gpgkey",
    ..ResourceType::PLAIN
};

pub(super) const SELBOOLEAN: ResourceType =
    ResourceType { name: "selboolean", others: "name persistent value provider", ..ResourceType::PLAIN };

pub(super) const ZFS: ResourceType =
    ResourceType { name: "zfs", is_open: true, others: "name ensure provider mountpoint", ..ResourceType::PLAIN };
