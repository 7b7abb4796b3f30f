//! Schemas of the kinds that manage values: in a shared store, on this machine, or between resources.

use super::FieldType::{Any, Bool, Str};
use super::{FieldType, Schema, optional, param};

pub(super) const CONSUL_KV: Schema = Schema::new(
    "consul:kv",
    "Manages a key in Consul.",
    &[
        param("key", Str, "The key (default: the name)."),
        param("value", Str, "Its value."),
        param("scheme", Str, "`http` or `https`."),
        param("address", Str, "The server and its port."),
        param("token", Str, "The access token."),
    ],
);

/// No program can declare one, so it is not in the list of known kinds.
pub(in crate::resource) static EXPORT: Schema =
    Schema::new("export", "Stores a resource for programs that collect it.", &[]);

pub(super) const KV: Schema = Schema::new(
    "kv",
    "Manages a string in the shared store; on a single machine, a private folder of workbench.",
    &[
        param("key", Str, "The key (default: the name)."),
        optional("value", Str, "The value; without it, the key is removed."),
        param("mapped", Bool, "Stores a separate value per host."),
        param("skiplessthan", Bool, "Does not replace a value that is greater or equal."),
        param("skipcmpstyle", FieldType::INT, "How `skiplessthan` compares: 0 as numbers, 1 as strings."),
    ],
)
.receives()
.refresh();

pub(super) const PASSWORD: Schema = Schema::new(
    "password",
    "Creates a random password once, and sends it. It is never shown. A refresh creates a new one.",
    &[
        param("length", FieldType::U16, "Number of characters (default: 64).").default("64"),
        param("saved", Bool, "Saves it in a private file, to send it again. Without this it is sent only once."),
        param("check_recovery", Bool, "Creates a new one if the saved one has a different length."),
    ],
)
.refresh()
.sends(&[("password", Str)]);

pub(super) const SCHEDULE: Schema = Schema::new(
    "schedule",
    "Joins a pool of hosts that share work.",
    &[
        param("namespace", Str, "The pool (default: the name)."),
        optional("strategy", Str, "How hosts are chosen."),
        optional("max", FieldType::INT, "How many are chosen."),
        param("persist", Bool, "Stays in the pool after this host left."),
        optional("ttl", FieldType::INT, "Seconds after which a silent host is removed."),
        param("withdraw", Bool, "Leaves the pool."),
    ],
);

pub(super) const VALUE: Schema =
    Schema::new("value", "Holds a value, and passes it on.", &[optional("any", Any, "The value.")])
        .sends(&[("any", Any)])
        .receives();
