//! The one table of settings: it makes reading, checking, explaining and the README's list.

use super::Value;
use super::value::ThemeChoice;

/// What a value has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Text,
    Flag,
    /// A whole number in a range, ends included.
    Number(u64, u64),
    Folders,
    /// Texts of which each is one word.
    Words,
    /// Some of these words.
    Choices(&'static [&'static str]),
    /// A theme's name, `auto`, or one for light and one for dark terminals.
    Theme,
    Keys,
    /// A table of tables, each of them a target.
    Targets,
}

impl Type {
    /// As explanations and the README say it.
    pub fn words(self) -> &'static str {
        match self {
            Type::Text => "text",
            Type::Flag => "true or false",
            Type::Number(..) => "number",
            Type::Folders => "list of folders",
            Type::Words | Type::Choices(_) => "list of words",
            Type::Theme => "name",
            Type::Keys | Type::Targets => "table",
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
    /// Never, because of this.
    Never(&'static str),
}

impl Projects {
    pub fn words(self) -> &'static str {
        match self {
            Projects::Within => "within itself",
            Projects::Narrower => "only lower",
            Projects::Never(_) => "no",
        }
    }
}

/// One row.
#[derive(Debug)]
pub struct Setting {
    /// As files say it; a dot parts a table from what is in it.
    pub name: &'static str,
    pub ty: Type,
    /// What holds where nobody says anything.
    pub default: &'static str,
    pub doc: &'static str,
    pub variables: &'static [&'static str],
    pub flag: Option<&'static str>,
    pub projects: Projects,
    /// As a file would set it.
    pub example: &'static str,
}

/// What a fetch may be allowed; the session holds them to what it knows.
pub const PERMITS: &[&str] = &["git", "http", "file", "links", "copies", "submodules", "names"];

/// Every setting there is.
#[rustfmt::skip]
pub static SETTINGS: &[Setting] = &[
    row("theme", Type::Theme, "auto", "The colours: a built-in theme or one of `themes/*.toml` beside the file; `auto` takes `night`, and `day` where the terminal says that it is light; `{ light = \"day\", dark = \"night\" }` names both", &["WORKBENCH_THEME"], Some("--theme"), Projects::Never(EYES), "theme = \"day-safe\""),
    row("ascii", Type::Flag, "told from the locale", "Nothing beyond ASCII is drawn: no box drawing, no symbols; on the screens by this or its variable, as `--plain` is for commands", &["WORKBENCH_ASCII"], Some("--plain"), Projects::Never(EYES), "ascii = true"),
    row("mouse", Type::Flag, "true", "The screens hear the mouse; with shift the terminal keeps it", &["WORKBENCH_MOUSE"], None, Projects::Never(EYES), "mouse = false"),
    row("relative-numbers", Type::Flag, "false", "Code numbers its lines from the cursor's, and takes counts: 5j, 11G", &["WORKBENCH_RELATIVE_NUMBERS"], None, Projects::Never(EYES), "relative-numbers = true"),
    row("restore", Type::Flag, "true", "The screens begin where you left them: screen, selection, filters, folds, breakpoints, bookmarks, for each entry", &["WORKBENCH_RESTORE"], Some("--no-restore"), Projects::Never(EYES), "restore = false"),
    row("editor", Type::Text, "VISUAL, EDITOR, vi", "The command line that `e` opens files with", &["WORKBENCH_EDITOR"], None, Projects::Never("it is a program that would run"), "editor = \"hx\""),
    row("module-path", Type::Folders, "`path` of metadata.yaml, modules/", "Where imported modules are looked for; a project's stands before `path` of its metadata, the user's behind it", &["WORKBENCH_MODULE_PATH", "MGMT_MODULE_PATH"], Some("--module-path"), Projects::Within, "module-path = [\"~/modules\"]"),
    row("trusted-keys", Type::Words, "none", "minisign's public keys: bundles that they signed may act on this machine", &["WORKBENCH_TRUSTED_KEYS"], None, Projects::Never("who is trusted is for the user to say"), "trusted-keys = [\"RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\"]"),
    row("jobs", Type::Number(1, 1024), "one on each core", "How many resources an apply works on at once", &["WORKBENCH_JOBS"], Some("--jobs"), Projects::Narrower, "jobs = 4"),
    row("sudo", Type::Flag, "false", "An `apply` acts as root, by way of `sudo`; compiling and previewing stay yours", &["WORKBENCH_SUDO"], Some("--sudo"), Projects::Never("it would be root for whoever wrote the project"), "sudo = true"),
    row("deploys-kept", Type::Number(1, MOST), "all", "How many deploys the history keeps: older ones are forgotten when an apply begins, and cannot be taken back then", &["WORKBENCH_DEPLOYS_KEPT"], None, Projects::Never("it forgets what you may need"), "deploys-kept = 100"),
    row("fetch-allow", Type::Choices(PERMITS), "none", "What every fetch of modules takes beyond https, ssh and plain trees: `git` and `http` without encryption, `file` for paths on this machine, `links` left out, `copies` of what links lead to, `submodules`, odd `names`", &["WORKBENCH_FETCH_ALLOW"], Some("--allow"), Projects::Never("it would weaken what is fetched for whoever wrote the project"), "fetch-allow = [\"git\", \"copies\"]"),
    row("fetch-timeout", Type::Number(1, 3600), "30", "How many seconds a server may send nothing before a fetch gives it up", &["WORKBENCH_FETCH_TIMEOUT"], Some("--timeout"), Projects::Never("how long you wait is yours to say"), "fetch-timeout = 120"),
    row("fetch-packages", Type::Flag, "false", "A preview fetches the archives of packages that would be installed, to know what they bring; only into the state folder", &["WORKBENCH_FETCH_PACKAGES"], Some("--fetch-packages"), Projects::Never("it would download for whoever wrote the project"), "fetch-packages = true"),
    row("limits.steps", Type::Number(1, MOST), "20000000", "Steps of evaluation that compiling may take", LIMITS, Some("--limit"), Projects::Narrower, "limits.steps = 1_000_000"),
    row("limits.depth", Type::Number(1, MOST), "2000000", "How many values may wait for one another", LIMITS, Some("--limit"), Projects::Narrower, "limits.depth = 10_000"),
    row("limits.memory", Type::Number(1, MOST), "128", "MiB of values that compiling may build", LIMITS, Some("--limit"), Projects::Narrower, "limits.memory = 64"),
    row("limits.resources", Type::Number(1, MOST), "500000", "How many resources and edges a program may declare", LIMITS, Some("--limit"), Projects::Narrower, "limits.resources = 10_000"),
    row("limits.time", Type::Number(0, MOST), "60", "Seconds that compiling may take; 0 for no end", LIMITS, Some("--limit"), Projects::Narrower, "limits.time = 5"),
    row("targets", Type::Targets, "none", "The clusters that `deploy push --target NAME` and its like speak to: `address`, and where it needs them `ca`, `cert`, `key`, `user`, `password-file` or `password-command`, which prints the password", &[], None, Projects::Never("it says where your programs go, and names a program that would run"), "targets.lab = { address = \"etcd://localhost:2379\" }"),
    row("keys", Type::Keys, "as `workbench keys` lists", "What keys do: `\"ctrl-s\" = \"filter\"`, or `\"none\"` to free one; in `[keys.step]` and such for one screen alone", &[], None, Projects::Never("a key could come to do what nobody expects of it"), "keys.step = { \"n\" = \"step\" }"),
];

const EYES: &str = "it is about the user's own screen";
const LIMITS: &[&str] = &["WORKBENCH_LIMITS"];
/// What TOML can say.
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

/// The setting of a name.
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

impl Setting {
    /// The default as a value, where it is one.
    pub fn default_value(&self) -> Option<Value> {
        match self.ty {
            Type::Number(..) => self.default.parse().ok().map(Value::Number),
            Type::Flag => self.default.parse().ok().map(Value::Flag),
            Type::Theme => Some(Value::Theme(ThemeChoice::Auto)),
            Type::Text | Type::Folders | Type::Words | Type::Choices(_) | Type::Keys | Type::Targets => None,
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
