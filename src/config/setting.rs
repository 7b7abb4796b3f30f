//! The one table of settings: it drives reading, checking, explaining and the README's list.

use super::Value;
use super::value::ThemeChoice;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Text,
    Flag,
    /// A whole number in a range, ends included.
    Number(u64, u64),
    Folders,
    /// A list of words.
    Words,
    /// Some of these words.
    Choices(&'static [&'static str]),
    /// A theme's name, `auto`, or one for light and one for dark terminals.
    Theme,
    Keys,
    /// A table of tables, each of them a target.
    Targets,
    /// A list of tables, each of them a policy.
    Policies,
}

impl Type {
    /// Its description in explanations and the README.
    pub fn words(self) -> &'static str {
        match self {
            Type::Text => "text",
            Type::Flag => "true or false",
            Type::Number(..) => "number",
            Type::Folders => "list of folders",
            Type::Words | Type::Choices(_) => "list of words",
            Type::Theme => "name",
            Type::Keys | Type::Targets => "table",
            Type::Policies => "list of tables",
        }
    }
}

/// Whether a project's `workbench.toml` may set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projects {
    /// Only folders within the project.
    Within,
    /// Only to less than the user allows.
    Narrower,
    /// In addition to the user's.
    Added,
    /// Never, for this reason.
    Never(&'static str),
}

impl Projects {
    /// Describes what a project may set, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Projects::Within => "folders in the project",
            Projects::Narrower => "only lower",
            Projects::Added => "added to yours",
            Projects::Never(_) => "no",
        }
    }
}

/// One row.
#[derive(Debug)]
pub struct Setting {
    /// The name in files; a dot separates a table from its keys.
    pub name: &'static str,
    pub ty: Type,
    /// The value without any source.
    pub default: &'static str,
    pub doc: &'static str,
    pub variables: &'static [&'static str],
    pub flag: Option<&'static str>,
    pub projects: Projects,
    /// An example for a file.
    pub example: &'static str,
}

/// The permissions of a fetch; the session compares them with those it knows.
pub const PERMITS: &[&str] = &["git", "http", "file", "links", "copies", "submodules", "names"];

/// Every setting.
#[rustfmt::skip]
pub static SETTINGS: &[Setting] = &[
    row("theme", Type::Theme, "auto", "Theme: a built-in theme, a file `themes/NAME.toml` next to config.toml, or `auto` (`day` on a light terminal, else `night`); `{ light = \"day\", dark = \"night\" }` sets both", &["WORKBENCH_THEME"], Some("--theme"), Projects::Never(EYES), "theme = \"day-safe\""),
    row("ascii", Type::Flag, "from the locale", "Draw the TUI with ASCII characters only; for commands use `--plain`", &["WORKBENCH_ASCII"], Some("--plain"), Projects::Never(EYES), "ascii = true"),
    row("mouse", Type::Flag, "true", "Use the mouse in the TUI; hold Shift to select text in the terminal", &["WORKBENCH_MOUSE"], None, Projects::Never(EYES), "mouse = false"),
    row("relative-numbers", Type::Flag, "false", "Show line numbers relative to the cursor in Code, with counts such as 5j", &["WORKBENCH_RELATIVE_NUMBERS"], None, Projects::Never(EYES), "relative-numbers = true"),
    row("restore", Type::Flag, "true", "Restore breakpoints, skips and the unfinished dry run of each entry", &["WORKBENCH_RESTORE"], Some("--no-restore"), Projects::Never(EYES), "restore = false"),
    row("editor", Type::Text, "VISUAL, EDITOR, vi", "Command that `e` opens files with", &["WORKBENCH_EDITOR"], None, Projects::Never("it names a program to run"), "editor = \"hx\""),
    row("module-path", Type::Folders, "`path` of metadata.yaml, modules/", "Folders with imported modules; a project's value comes before `path` of its metadata, yours after it", &["WORKBENCH_MODULE_PATH", "MGMT_MODULE_PATH"], Some("--module-path"), Projects::Within, "module-path = [\"~/modules\"]"),
    row("trusted-keys", Type::Words, "none", "Public minisign keys; bundles signed with one of them are approved", &["WORKBENCH_TRUSTED_KEYS"], None, Projects::Never("only the user can trust a key"), "trusted-keys = [\"RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\"]"),
    row("jobs", Type::Number(1, 1024), "number of cores", "Number of resources to apply in parallel", &["WORKBENCH_JOBS"], Some("--jobs"), Projects::Narrower, "jobs = 4"),
    row("sudo", Type::Flag, "false", "Apply as root with `sudo`; compiling and previewing run as your user", &["WORKBENCH_SUDO"], Some("--sudo"), Projects::Never("a project must not become root"), "sudo = true"),
    row("deploys-kept", Type::Number(1, MOST), "all", "Number of deploys in the history; older ones are deleted when an apply starts, and cannot be undone then", &["WORKBENCH_DEPLOYS_KEPT"], None, Projects::Never("it deletes your history"), "deploys-kept = 100"),
    row("fetch-allow", Type::Choices(PERMITS), "none", "What fetches accept besides https, ssh and plain files: `git` and `http` (unencrypted), `file` (paths on this machine), `links` (skip symbolic links), `copies` (copy their targets), `submodules`, `names` (file names that are not portable)", &["WORKBENCH_FETCH_ALLOW"], Some("--allow"), Projects::Never("a project must not weaken the checks of fetched modules"), "fetch-allow = [\"git\", \"copies\"]"),
    row("fetch-timeout", Type::Number(1, 3600), "30", "Seconds without data after which a fetch fails", &["WORKBENCH_FETCH_TIMEOUT"], Some("--timeout"), Projects::Never("only the user sets the waiting time"), "fetch-timeout = 120"),
    row("fetch-packages", Type::Flag, "false", "Download packages that would be installed, to preview their files; nothing is installed", &["WORKBENCH_FETCH_PACKAGES"], Some("--fetch-packages"), Projects::Never("a project must not start downloads"), "fetch-packages = true"),
    row("limits.steps", Type::Number(1, MOST), "20000000", "Evaluation steps during compilation", LIMITS, Some("--limit"), Projects::Narrower, "limits.steps = 1_000_000"),
    row("limits.depth", Type::Number(1, MOST), "2000000", "Depth of nested evaluation", LIMITS, Some("--limit"), Projects::Narrower, "limits.depth = 10_000"),
    row("limits.memory", Type::Number(1, MOST), "128", "MiB of values during compilation", LIMITS, Some("--limit"), Projects::Narrower, "limits.memory = 64"),
    row("limits.resources", Type::Number(1, MOST), "500000", "Number of resources and edges of a program", LIMITS, Some("--limit"), Projects::Narrower, "limits.resources = 10_000"),
    row("limits.time", Type::Number(0, MOST), "60", "Seconds for compilation; 0 for no limit", LIMITS, Some("--limit"), Projects::Narrower, "limits.time = 5"),
    row("deny", Type::Policies, "none", "Policies that forbid a plan: `when` (the words of breakpoints, or `changes > 50`), `message`, and optionally `except` with `resource` and `until`", &[], None, Projects::Added, "deny = [{ when = \"destroys kind:user\", message = \"users are removed by hand\" }]"),
    row("warn", Type::Policies, "none", "The same for policies that only warn", &[], None, Projects::Added, "warn = [{ when = \"kind:file mode=0777\", message = \"everyone can write this file\" }]"),
    row("puppet.exported", Type::Flag, "false", "Puppet: share exported resources (`@@`) between the nodes that are applied on this machine", &["WORKBENCH_PUPPET_EXPORTED"], None, Projects::Never("only the user decides what nodes share"), "puppet.exported = true"),
    row("targets", Type::Targets, "none", "Clusters for `--target NAME`: `address`, and optionally `ca`, `cert`, `key`, `user`, and `password-file` or `password-command` (prints the password)", &[], None, Projects::Never("it sets where programs are published, and can name a program to run"), "targets.lab = { address = \"etcd://localhost:2379\" }"),
    row("keys", Type::Keys, "see `workbench keys`", "Key bindings: `\"ctrl-s\" = \"filter\"`, `\"none\"` removes one; `[keys.plan]` binds keys on one screen", &[], None, Projects::Never("a project must not change what your keys do"), "keys.plan = { \"n\" = \"step\" }"),
];

const EYES: &str = "it only concerns the user's own screen";
const LIMITS: &[&str] = &["WORKBENCH_LIMITS"];
/// The limit of TOML.
const MOST: u64 = i64::MAX as u64;

/// Shortens the table's rows.
#[expect(clippy::too_many_arguments, reason = "a row of a table")]
const fn row(
    name: &'static str,
    ty: Type,
    default: &'static str,
    doc: &'static str,
    variables: &'static [&'static str],
    flag: Option<&'static str>,
    projects: Projects,
    example: &'static str,
) -> Setting {
    Setting { name, ty, default, doc, variables, flag, projects, example }
}

/// The setting with this name.
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

impl Setting {
    /// The default as a value, if it is one.
    pub fn default_value(&self) -> Option<Value> {
        match self.ty {
            Type::Number(..) => self.default.parse().ok().map(Value::Number),
            Type::Flag => self.default.parse().ok().map(Value::Flag),
            Type::Theme => Some(Value::Theme(ThemeChoice::Auto)),
            Type::Text | Type::Folders | Type::Words | Type::Choices(_) | Type::Keys => None,
            Type::Targets | Type::Policies => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{LIMITS, Limits};

    #[test]
    fn every_limit_has_its_row_with_its_default() {
        let mut limits = Limits { steps: 1, depth: 1, memory: 1, resources: 1, time: 1 };
        for (name, _) in LIMITS {
            let row = setting(&format!("limits.{name}")).expect("each limit is a setting");
            limits.set(&format!("{name}={}", row.default)).expect("the default is a value");
        }
        assert_eq!(limits, Limits::default());
        assert_eq!(SETTINGS.iter().filter(|row| row.name.starts_with("limits.")).count(), LIMITS.len());
    }

    #[test]
    fn examples_are_valid() {
        for row in SETTINGS {
            let (mut sources, mut diags) =
                (crate::source::Sources::default(), crate::diag::Diagnostics::new(crate::diag::Stage::Module));
            let file = sources.add("config.toml", None, row.example);
            let read = crate::config::parse::read(file, row.example, &mut diags);
            assert!(diags.is_empty(), "{}: {:?}", row.name, diags.iter().next());
            assert_eq!(read.iter().map(|(setting, ..)| setting.name).collect::<Vec<_>>(), [row.name]);
        }
    }
}
