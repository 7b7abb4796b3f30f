//! What a session compiles for: recorded with every plan and deploy, and used again by those who continue one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::{Config, Origin, Value};
use crate::lang::{Choices, LIMITS, Limits};
use crate::module::LanguageName;
use crate::plan::{CompiledFor, CompiledWith, hash_text};
use crate::session::{Options, OtherModules, Report, Session};

/// Some commands allow it without the flag, so only the flag is recorded.
const ALLOW_UNKNOWN: &str = "--allow-unknown";

impl Session {
    /// Returns what the entry is compiled for at present, with the hash of the facts of the last compilation.
    pub fn compiled_for(&self) -> CompiledFor {
        let options = &self.options;
        let choices = self.choices();
        // The folder of an unpacked bundle is not the same on each machine.
        let root = options.bundle.as_ref().map(|bundle| &*bundle.root);
        let shown = |path: &Path| match root.and_then(|root| path.strip_prefix(root).ok()) {
            Some(inside) => inside.display().to_string(),
            None => absolute(path),
        };
        let is_carried = options.bundle.as_ref().is_some_and(|bundle| bundle.manifest.choices.allow_unknown);
        let allow_unknown = is_carried || options.types(ALLOW_UNKNOWN);
        let limits = different_limits(&options.limits);
        let mut all = described(options, &choices, allow_unknown, limits, &shown);
        all.target = Some(self.hostname());
        all.options.exported = options.config.shares_exports();
        if options.bundle.is_none() {
            let OtherModules { of: _, variables, settings } = options.other_modules(&*self.world, self.entry.language);
            let absolute = |folders: Vec<PathBuf>| folders.iter().map(|path| absolute(path)).collect();
            all.options.module_path_of_variables = absolute(variables);
            all.options.module_path_of_settings = absolute(settings);
        }
        let compiled = self.facts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let read = || Some(hash_text(&self.world.file(choices.facts()?).ok()?));
        all.facts.sha256 = compiled.or_else(read);
        all
    }

    /// Opens the entry again, compiled for what `made`, such as `the plan`, was made for, instead of the given options.
    pub fn reopened(&self, made: &str, then: &CompiledFor) -> Result<Session, Vec<String>> {
        let Some((entry, options)) = self.given.as_deref() else {
            return Err(vec!["this entry cannot be opened again".into()]);
        };
        let options = options.clone().adopt(made, then)?;
        let words = |report: Box<Report>| {
            let all = report.diagnostics.iter().map(|one| format!("{}: {}", one.code.summary(), one.label));
            all.collect::<Vec<_>>()
        };
        Session::open(entry.as_deref(), options).map_err(words)
    }
}

impl Options {
    /// Completes these options by those that `made`, such as `the plan`, was compiled with. `Err` names each typed option
    /// that disagrees.
    pub fn compile_for(self, made: &str, then: &CompiledFor) -> Result<Self, Vec<String>> {
        let disagreements = self.typed().disagreements(made, then);
        if disagreements.is_empty() { self.adopt(made, then) } else { Err(disagreements) }
    }

    /// The same, instead of the typed options. `Err` names the values that are not stored and not typed.
    fn adopt(mut self, made: &str, then: &CompiledFor) -> Result<Self, Vec<String>> {
        // The same keys may be typed, for values that are not stored.
        let missing = then.options.set.iter().filter(|(key, value)| value.value().is_none() && !self.choices.sets(key));
        let missing: Vec<String> =
            missing.map(|(key, _)| format!("{made} has no value of `--set {key}`: add `--set {key}=VALUE`")).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let with = &then.options;
        // A bundle brings its own files.
        let path = |path: &str| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
        self.choices.restore(then, &path);
        self.choices.allow_unknown |= with.allow_unknown;
        if with.allow_unknown && !self.flags.contains(&ALLOW_UNKNOWN) {
            self.flags.push(ALLOW_UNKNOWN);
        }
        self.run_guards = with.run_guards;
        self.language = with.lang.as_deref().and_then(LanguageName::named).or(self.language);
        self.module_path = with.module_path.iter().map(PathBuf::from).collect();
        if !self.module_path.is_empty() {
            self.config.set_flag("module-path", "--module-path", Value::Folders(self.module_path.clone()));
        }
        let folders = |paths: &[String]| paths.iter().map(PathBuf::from).collect();
        self.other_modules = Some(OtherModules {
            of: made.into(),
            variables: folders(&with.module_path_of_variables),
            settings: folders(&with.module_path_of_settings),
        });
        if with.exported != self.config.shares_exports() {
            self.config.set_flag("puppet.exported", made, Value::Flag(with.exported));
        }
        set_limits(&mut self.config, &with.limits);
        Ok(self)
    }

    /// The options that compile the same program on a command line, with paths as typed.
    pub fn as_typed(&self) -> CompiledFor {
        let mut all = self.typed_with(&|path| path.display().to_string());
        let defaults = Limits::default();
        all.options.limits.retain(|name, number| *number != defaults.get(name));
        all
    }

    /// The typed options, as far as a compilation depends on them.
    pub(in crate::session) fn typed(&self) -> CompiledFor {
        self.typed_with(&absolute)
    }

    fn typed_with(&self, shown: &dyn Fn(&Path) -> String) -> CompiledFor {
        let typed = |name: &str| {
            let best = self.config.all(&format!("limits.{name}")).into_iter().next()?;
            match &best.value {
                Value::Number(number) if best.origin == Origin::Flag => Some((name.to_owned(), *number)),
                _ => None,
            }
        };
        let limits = LIMITS.iter().filter_map(|(name, _)| typed(name)).collect();
        described(self, &self.choices, self.types(ALLOW_UNKNOWN), limits, shown)
    }

    /// Whether the user typed a flag of a language.
    fn types(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

/// Uses these limits, and the default for each limit without one.
pub(in crate::session) fn set_limits(config: &mut Config, limits: &BTreeMap<String, u64>) {
    let defaults = Limits::default();
    for (name, _) in LIMITS {
        let number = limits.get(name).copied().unwrap_or_else(|| defaults.get(name));
        // A number from a record of another version may be out of range. The setting is then used.
        let _ = config.set_limit_flag(&format!("{name}={number}"));
    }
}

/// Uses the limits of a bundle, except where the user typed one. A bundle that is neither signed nor approved can only
/// lower a limit of this machine.
pub(in crate::session) fn carry_limits(config: &mut Config, limits: &BTreeMap<String, u64>, may_raise: bool) {
    let here = config.limits();
    for (name, number) in limits {
        let is_typed = config.all(&format!("limits.{name}")).iter().any(|limit| limit.origin == Origin::Flag);
        // No limit of the time is the highest one.
        let is_lower = *number > 0 && (*number <= here.get(name) || here.get(name) == 0);
        if !is_typed && (may_raise || is_lower) {
            // An unknown limit is of a later version.
            let _ = config.set_limit_flag(&format!("{name}={number}"));
        }
    }
}

/// The limits that differ from the defaults.
pub(in crate::session) fn different_limits(limits: &Limits) -> BTreeMap<String, u64> {
    let defaults = Limits::default();
    let all = LIMITS.iter().map(|(name, _)| (*name, limits.get(name)));
    all.filter(|(name, number)| *number != defaults.get(name)).map(|(name, n)| (name.to_owned(), n)).collect()
}

pub(in crate::session) fn described(
    options: &Options,
    choices: &Choices,
    allow_unknown: bool,
    limits: BTreeMap<String, u64>,
    shown: &dyn Fn(&Path) -> String,
) -> CompiledFor {
    let recorded = choices.recorded(shown);
    CompiledFor {
        options: CompiledWith {
            lang: options.language.map(|name| name.as_str().into()),
            module_path: options.module_path.iter().map(|path| shown(path)).collect(),
            allow_unknown,
            run_guards: options.run_guards,
            exported: false,
            limits,
            ..recorded.options
        },
        ..recorded
    }
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}
