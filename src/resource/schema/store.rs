//! Schemas of the kinds that keep values: in a shared store, on this machine, or between resources.

use super::FieldType::{Any, Bool, Str};
use super::{FieldType, Schema, optional, param};

pub(super) const CONSUL_KV: Schema = Schema::new(
    "consul:kv",
    "Keeps the value of a key in consul.",
    &[
        param("key", Str, "The key; the name, if not set."),
        param("value", Str, "Its value."),
        param("scheme", Str, "`http` or `https`."),
        param("address", Str, "The server and its port."),
        param("token", Str, "What grants access."),
    ],
);

/// No program can declare one, so it is not among the kinds that are known by name.
pub(in crate::resource) static EXPORT: Schema =
    Schema::new("export", "Stores what a resource describes for those that collect it.", &[]);

pub(super) const KV: Schema = Schema::new(
    "kv",
    "Keeps a string in the shared store; on a single machine, a private folder of this program.",
    &[
        param("key", Str, "The key; the name, if not set."),
        optional("value", Str, "Its value. Not set, the key is removed."),
        param("mapped", Bool, "Each host has a value of its own."),
        param("skiplessthan", Bool, "Leaves a value alone that is not less than this one."),
        param("skipcmpstyle", FieldType::INT, "How values are compared for `skiplessthan`: 0 as numbers, 1 as text."),
    ],
)
.receives()
.refresh();

pub(super) const PASSWORD: Schema = Schema::new(
    "password",
    "Makes a random password once, and sends it. It is never shown; a refresh makes a new one.",
    &[
        param("length", FieldType::U16, "How many characters; 64, if not set.").default("64"),
        param("saved", Bool, "Keeps it in a private file, so that it can be sent again. Otherwise it is sent once."),
        param("check_recovery", Bool, "Makes a new one where the kept one has another length."),
    ],
)
.refresh()
.sends(&[("password", Str)]);

pub(super) const SCHEDULE: Schema = Schema::new(
    "schedule",
    "Joins a pool of hosts that share out work.",
    &[
        param("namespace", Str, "The pool; the name, if not set."),
        optional("strategy", Str, "How hosts are chosen."),
        optional("max", FieldType::INT, "How many are chosen."),
        param("persist", Bool, "Stays in the pool after this host left."),
        optional("ttl", FieldType::INT, "Seconds after which a silent host is out."),
        param("withdraw", Bool, "Leaves the pool."),
    ],
);

pub(super) const VALUE: Schema =
    Schema::new("value", "Holds a value, and passes it on.", &[optional("any", Any, "The value.")])
        .sends(&[("any", Any)])
        .receives();
