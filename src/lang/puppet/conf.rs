//! `puppet.conf`: the settings that change what a program compiles to, and what `$settings::NAME` gives.

use std::path::Path;

use super::value::Value;
use crate::world::{PathKind, World};

/// The folders of an installed Puppet. Their settings hold for the environments in them.
const INSTALLED: [&str; 2] = ["/etc/puppetlabs", "/etc/puppet"];

/// Where the settings are in such a folder.
const IN_INSTALLED: [&str; 2] = ["puppet/puppet.conf", "puppet.conf"];

/// The sections that count for a compilation, the weakest first.
const SECTIONS: [&str; 4] = ["main", "master", "server", "user"];

/// Settings that a program may read, with their values where these do not depend on the server.
const KNOWN: [(&str, Option<&str>); 44] = [
    ("basemodulepath", None),
    ("bucketdir", None),
    ("ca_server", Some("puppet")),
    ("cacert", None),
    ("cacrl", None),
    ("cadir", None),
    ("certdir", None),
    ("certname", None),
    ("codedir", None),
    ("confdir", None),
    ("config", None),
    ("csr_attributes", None),
    ("environmentpath", None),
    ("factpath", None),
    ("group", Some("puppet")),
    ("hiera_config", None),
    ("hostcert", None),
    ("hostcrl", None),
    ("hostprivkey", None),
    ("libdir", None),
    ("localcacert", None),
    ("logdir", None),
    ("manifest", None),
    ("masterport", Some("8140")),
    ("modulepath", None),
    ("node_terminus", None),
    ("noop", Some("false")),
    ("pidfile", None),
    ("plugindest", None),
    ("pluginfactdest", None),
    ("privatekeydir", None),
    ("publickeydir", None),
    ("reportdir", None),
    ("reports", None),
    ("rundir", None),
    ("runinterval", None),
    ("server", Some("puppet")),
    ("serverport", Some("8140")),
    ("ssldir", None),
    ("statedir", None),
    ("storeconfigs", Some("false")),
    ("user", Some("puppet")),
    ("vardir", None),
    ("yamldir", None),
];

/// How strictly doubtful code is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    Off,
    Warning,
    Error,
}

/// The settings of a file, in the order in which they count.
#[derive(Clone, Debug, Default)]
pub struct Conf {
    settings: Vec<(String, String)>,
}

/// A setting that a program reads.
pub enum Setting {
    Value(Value),
    /// It exists, but depends on the server.
    Unknown,
    None,
}

impl Conf {
    /// The settings for an environment: of a `puppet.conf` in it or two folders above it, or else of
    /// the installed Puppet that the environment belongs to.
    pub fn read(world: &dyn World, environment: &Path) -> Self {
        let above = environment.ancestors().nth(2);
        let own = std::iter::once(environment).chain(above).map(|folder| folder.join("puppet.conf"));
        let installed = INSTALLED.iter().zip(IN_INSTALLED).filter(|(folder, _)| environment.starts_with(folder));
        let installed = installed.map(|(folder, file)| Path::new(folder).join(file));
        let mut places = own.chain(installed).filter(|path| world.kind(path) == PathKind::File);
        places.find_map(|path| world.file(&path).ok()).map_or_else(Self::default, |bytes| Self::of(&bytes))
    }

    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut found: Vec<(usize, String, String)> = Vec::new();
        let mut section = Some(0);
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                section = SECTIONS.iter().position(|known| *known == name.trim());
            } else if let (Some(section), Some((name, value))) = (section, line.split_once('=')) {
                found.push((section, name.trim().into(), value.trim().trim_matches(['"', '\'']).into()));
            }
        }
        found.sort_by_key(|(section, ..)| *section);
        Self { settings: found.into_iter().map(|(_, name, value)| (name, value)).collect() }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.settings.iter().rev().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Returns the setting `strict`; `None` if it is absent or has no known value.
    pub fn strict(&self) -> Option<Strict> {
        match self.get("strict")? {
            "error" => Some(Strict::Error),
            "warning" => Some(Strict::Warning),
            "off" => Some(Strict::Off),
            _ => None,
        }
    }

    /// Whether a variable has to exist.
    pub fn strict_variables(&self) -> bool {
        self.get("strict_variables") != Some("false")
    }

    /// What `$settings::NAME` gives.
    pub fn setting(&self, name: &str) -> Setting {
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        // A value with a variable is completed by the server.
        match (self.get(name).filter(|value| !value.contains('$')), known) {
            (Some(value), _) => Setting::Value(typed(value)),
            (None, Some((_, Some(value)))) => Setting::Value(typed(value)),
            (None, Some((_, None))) => Setting::Unknown,
            (None, None) => Setting::None,
        }
    }
}

fn typed(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => text.parse().map_or_else(|_| Value::str(text), Value::Int),
    }
}

#[cfg(test)]
mod tests {
    use super::{Conf, Setting};
    use crate::lang::puppet::value::Value;

    #[test]
    fn the_section_of_the_server_counts_more_than_the_common_one() {
        let conf = Conf::of(b"[server]\nstrict_variables = false\n[main]\nstrict_variables = true\n# c\nserver=a.b\n");
        assert!(!conf.strict_variables() && conf.strict().is_none());
        assert!(matches!(conf.setting("server"), Setting::Value(Value::Str(name)) if &*name == "a.b"));
        assert!(matches!(conf.setting("serverport"), Setting::Value(Value::Int(8140))));
        assert!(matches!((conf.setting("vardir"), conf.setting("nope")), (Setting::Unknown, Setting::None)));
    }
}
