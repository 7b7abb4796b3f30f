//! Kinds of resources: their schemas, and for the built-in ones their check and apply.
//!
//! A kind is one file and one line in [`KINDS`]. It accesses the machine through the facets of `host`, and does not
//! know whether that is this machine or a prediction.

pub mod autoedge;
pub mod autogroup;
pub mod export;
pub mod meta;
pub mod mode;
pub mod packaged;
pub mod reversal;
pub mod schema;
pub mod validate;

mod cron;
mod crontab;
mod edit;
mod entry;
mod exec;
mod exit;
pub mod file;
mod footprint;
mod reader;
mod group;
mod gzip;
mod hostname;
mod http_client;
mod http_server;
mod json_edit;
pub(crate) mod kept;
mod kind;
mod kv;
mod line;
mod mount;
mod msg;
mod net;
mod noop;
mod password;
mod pkg;
mod print;
mod read;
mod signal;
mod ssh_authorized_key;
mod steps;
mod svc;
mod sysctl;
mod tar;
mod test;
mod timer;
mod user;
mod value;
mod watch;
mod whole_file;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

pub use exit::exit_code;
pub use file::file_path;
pub use footprint::{Aliases, Footprint, clean_path};
pub use kind::{Checked, Kind, Managed, Sent, Turn};
pub use meta::{META, MetaDefault, MetaParameter, meta_parameter, semaphore, validate_meta};
pub use pkg::installations;
pub use read::{fits, read, validate};
pub use reader::{Reader, Typed};
pub use schema::{FieldType, Parameter, SCHEMAS, Schema, schema};
pub use watch::{Watch, watches};

/// The kinds with an implementation, sorted.
pub static KINDS: &[&dyn Kind] = &[
    &cron::Cron,
    &crontab::Crontab,
    &entry::Entry,
    &exec::Exec,
    &exit::Exit,
    &export::Export,
    &file::File,
    &group::Group,
    &gzip::Gzip,
    &hostname::Hostname,
    &http_client::HttpClient,
    &http_server::HttpServer,
    &http_server::HttpServerFile,
    &http_server::HttpServerFlag,
    &http_server::HttpServerProxy,
    &json_edit::JsonEdit,
    &kv::Kv,
    &line::Line,
    &mount::Mount,
    &msg::Msg,
    &net::Net,
    &noop::Noop,
    &password::Password,
    &pkg::Pkg,
    &print::Print,
    &ssh_authorized_key::SshAuthorizedKey,
    &svc::Svc,
    &sysctl::Sysctl,
    &tar::Tar,
    &test::Test,
    &timer::Timer,
    &user::User,
    &value::ValueKind,
];

/// Returns the implementation of a kind; `None` if the kind is unknown or has only a schema.
pub fn kind(name: &str) -> Option<&'static dyn Kind> {
    static BY_NAME: LazyLock<FxHashMap<&str, &dyn Kind>> =
        LazyLock::new(|| KINDS.iter().map(|kind| (kind.schema().kind, *kind)).collect());
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_found() {
        for implemented in KINDS {
            let name = implemented.schema().kind;
            assert_eq!(kind(name).map(|found| found.schema().kind), Some(name));
        }
        assert!(kind("virt").is_none());
    }

    #[test]
    fn the_readme_counts_the_kinds() {
        let count = SCHEMAS.iter().filter(|schema| schema.is_implemented()).count();
        let words = format!("{count} of {} resource kinds", SCHEMAS.len());
        assert!(include_str!("../../README.md").contains(&words), "the README does not contain: {words}");
    }
}
