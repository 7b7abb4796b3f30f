//! `project.yml`: where modules are, and which relations freeze first.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use pep440_rs::{Version, VersionSpecifiers};

use super::context::Files;
use super::error::{Class, Elsewhere, Raise, Result};
use super::needs::module_of;
use crate::diag::{Code, Diagnostic};
use crate::module::{Manifest, Requirement, parse_yaml};
use crate::source::{Sources, Span};

/// As many folders and rules as a project may have: each module is looked for in each, and each list is compared with each.
pub const MOST: usize = 2000;

/// What a project says about itself.
#[derive(Debug, Default)]
pub struct Project {
    pub module_path: Vec<PathBuf>,
    /// Rules of the form `a::A.r before b::B.s`.
    pub precedence: Vec<String>,
    /// The versions of modules that it asks for.
    pub requires: Vec<Required>,
    /// An unknown key, and the one that was probably meant.
    odd_key: Option<(String, &'static str)>,
    /// The file that describes it.
    file: Option<PathBuf>,
    /// The module that the folder itself is, if it is no project.
    pub own: Option<(String, PathBuf)>,
}

/// A module that the project asks for.
#[derive(Debug)]
pub struct Required {
    pub module: String,
    range: VersionSpecifiers,
    written: String,
    elsewhere: Elsewhere,
}

impl Project {
    /// Checks the metadata of a module: it has a version, which is one that the project asks for.
    pub fn check_module(&self, module: &str, path: &Path, text: &str, files: &dyn Files) -> Result<()> {
        let read = metadata(path, text, files)?;
        let shown = files.shown(path);
        let line_of = |key: &str| text.lines().position(|line| line.starts_with(key)).map_or(1, |at| at + 1);
        let invalid = |message: String, line: usize| {
            Raise::new(Class::InvalidMetadata, message).with_elsewhere(Elsewhere::new(path, text, line, files))
        };
        // Python finds its plugins by that name.
        let has_plugins = || files.text(&path.with_file_name("plugins").join("__init__.py")).is_some();
        if let Some(name) = read.get("name").and_then(serde_yaml::Value::as_str).filter(|name| *name != module)
            && has_plugins()
        {
            let message = format!("Metadata defined in {shown} is invalid: the module is `{module}`, not `{name}`");
            let raise = invalid(message, line_of("name"));
            return Err(raise.with_help(format!("write `name: {module}`, or give the folder the name `{name}`")));
        }
        let version = match read.get("version") {
            Some(serde_yaml::Value::String(version)) => version.clone(),
            Some(serde_yaml::Value::Number(version)) => version.to_string(),
            _ if !read.is_mapping() => return Ok(()),
            _ => {
                let message = format!("Metadata defined in {shown} is invalid: `version` is missing");
                let keys = read.as_mapping().into_iter().flat_map(|all| all.keys()).filter_map(|key| key.as_str());
                let near = keys.filter(|key| crate::diag::nearest(key, ["version"]).is_some()).last();
                return Err(invalid(message, near.map_or(1, line_of)).with_help(match near {
                    Some(near) => format!("write `version:` in place of `{near}:`"),
                    None => "add a line `version: 1.0.0`".into(),
                }));
            }
        };
        let Ok(known) = Version::from_str(&version) else {
            let message =
                format!("Metadata defined in {shown} is invalid: version `{version}` is not PEP440 compliant");
            return Err(invalid(message, line_of("version")).with_help("write numbers with dots: `version: 1.0.0`"));
        };
        let unfit = self.requires.iter().find(|one| one.module == module && !one.range.contains(&known));
        let Some(unfit) = unfit else { return Ok(()) };
        let message = format!("the project asks for `{}`, but {shown} has version {version}", unfit.written);
        let raise = Raise::new(Class::Compiler, message).with_code(Code::UnfitVersion);
        let help = format!(
            "change the constraint, or place a version of `{module}` that fits it: `workbench download --update`"
        );
        Err(raise.with_elsewhere(unfit.elsewhere.clone()).with_help(help))
    }

    /// Reads the project of a folder. Without a file there are no modules but those beside the entry.
    pub fn read(folder: &Path, files: &dyn Files) -> Result<Project> {
        let mut project = Project::default();
        let Some(text) = files.text(&folder.join("project.yml")) else {
            project.module_path.push(folder.join("libs"));
            project.own = own_name(folder, files).map(|name| (name, folder.to_path_buf()));
            return Ok(project);
        };
        let path = folder.join("project.yml");
        project.file = Some(path.clone());
        let read = metadata(&path, &text, files)?;
        let invalid = |reason: String| Raise::new(Class::Compiler, format!("project.yml: {reason}"));
        if read.get("name").is_none() && read.is_mapping() {
            let raise =
                Raise::new(Class::InvalidMetadata, "Metadata defined in project.yml is invalid: `name` is missing");
            let elsewhere = Elsewhere::new(&path, &text, 1, files);
            return Err(raise.with_elsewhere(elsewhere).with_help("add a line `name: NAME`"));
        }
        let keys = read.as_mapping().into_iter().flat_map(|all| all.keys()).filter_map(|key| key.as_str());
        project.odd_key = keys.filter(|key| !KEYS.split(' ').any(|known| known == *key)).find_map(|key| {
            let plain = key.replace(['_', '-'], "");
            const MEANT: [&str; 4] = ["modulepath", "requires", "downloadpath", "repo"];
            let exact = MEANT.into_iter().find(|known| *known == plain);
            let near = exact.or_else(|| crate::diag::nearest(&plain, MEANT))?;
            KEYS.split(' ').find(|known| *known == near).map(|known| (key.to_owned(), known))
        });
        for written in texts(read.get("requires")) {
            let one = Requirement::constrained(&written);
            let line = text.lines().position(|line| line.contains(&written)).map_or(1, |at| at + 1);
            let elsewhere = Elsewhere::new(&path, &text, line, files);
            let range = one.version.split(';').next().unwrap_or_default().trim();
            let Ok(range) = VersionSpecifiers::from_str(range) else {
                let message = format!("`{range}` is not a version constraint");
                let raise = Raise::new(Class::InvalidMetadata, message).with_elsewhere(elsewhere);
                return Err(raise.with_help(format!("write constraints as in `{}>=1.0,<2`", one.name)));
            };
            project.requires.push(Required { module: module_of(&one.name), range, written, elsewhere });
        }
        for path in texts(read.get("modulepath")) {
            project.module_path.push(folder.join(path));
        }
        project.precedence = texts(read.get("relation_precedence_policy"));
        if project.module_path.len().max(project.precedence.len()) > MOST {
            return Err(invalid(format!("more than {MOST} folders or rules")));
        }
        for rule in &project.precedence {
            if pair(rule).is_none() {
                let message = format!(
                    "Metadata defined in project.yml is invalid: relation_precedence_policy: `{rule}` is not of the form \
                     `<entity-type>.<relation-name> before <entity-type>.<relation-name>`"
                );
                let raise = Raise::new(Class::InvalidMetadata, message);
                let help = "write `MODULE::ENTITY.RELATION before MODULE::ENTITY.RELATION`";
                return Err(project.at_rule(raise.with_help(help), Some(rule), files));
            }
        }
        Ok(project)
    }

    /// Gives an error of a rule of `relation_precedence_policy` its line in project.yml.
    pub fn at_rule(&self, raise: Box<Raise>, rule: Option<&String>, files: &dyn Files) -> Box<Raise> {
        let read = self.file.as_ref().and_then(|path| Some((path, files.text(path)?)));
        let Some((path, text)) = read else { return raise };
        let holds = |part: &str| text.lines().position(|line| line.contains(part));
        let line = rule.and_then(|rule| holds(rule)).or_else(|| holds("relation_precedence_policy")).unwrap_or(0) + 1;
        raise.with_elsewhere(Elsewhere::new(path, &text, line, files))
    }

    /// An unknown setting of project.yml whose name is nearly that of a known one. Inmanta ignores it silently.
    pub fn odd_setting(&self, files: &dyn Files, sources: &mut Sources) -> Option<Diagnostic> {
        let (path, (odd, near)) = (self.file.as_ref()?, self.odd_key.as_ref()?);
        let text = files.text(path)?;
        let line = text.lines().position(|line| line.trim_start().starts_with(odd.as_str()))?;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let file = sources.add(files.shown(path), Some(path.clone()), text.to_string());
        let label = format!("project.yml has no setting `{odd}`: it is ignored");
        let warning = Diagnostic::warning(Code::IgnoredSetting, Span::new(file, start, start + odd.len()));
        Some(warning.label(label).help(format!("did you mean `{near}`?")))
    }

    /// What in project.yml keeps modules from being found: in words, what to write, and its line.
    pub fn advice(&self, files: &dyn Files) -> Option<(String, String, Elsewhere)> {
        let path = self.file.as_ref()?;
        let text = files.text(path)?;
        let at = |start: &str| {
            let line = text.lines().position(|line| line.trim_start().starts_with(start)).map_or(1, |at| at + 1);
            Elsewhere::new(path, &text, line, files)
        };
        if let Some((odd, near)) = &self.odd_key {
            let what = format!("project.yml has no setting `{odd}`, so modules are not found");
            return Some((what, format!("did you mean `{near}`?"), at(odd)));
        }
        let missing = self.module_path.iter().find(|folder| !files.is_folder(folder))?;
        let written = missing.file_name()?.to_str()?;
        if written.contains(',') || written.starts_with('-') {
            let what = format!("`{written}` is read as the name of one folder of `modulepath`");
            let each: Vec<String> =
                written.split(',').map(|one| format!("`- {}`", one.trim_start_matches(['-', ' ']).trim())).collect();
            return Some((what, format!("write one line for each folder: {}", each.join(", ")), at("modulepath")));
        }
        let parent = missing.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let names = files.names(parent);
        let near = crate::diag::nearest(missing.file_name()?.to_str()?, names.iter().map(String::as_str))?;
        let what = format!("the folder `{}` of `modulepath` does not exist", files.shown(missing));
        let mut place = at("modulepath");
        let own = text
            .lines()
            .position(|line| line.trim_start().trim_start_matches("- ").trim_matches(['"', '\'']) == written);
        place.line = own.map_or(place.line, |at| at + 1);
        Some((what, format!("did you mean `{near}`?"), place))
    }

    /// The folder of a module.
    pub fn find_module(&self, name: &str, files: &dyn Files) -> Option<PathBuf> {
        if let Some((_, folder)) = self.own.as_ref().filter(|(own, _)| own == name) {
            return Some(folder.clone());
        }
        let is_module = |folder: &PathBuf| {
            let has = |mark: &str| files.text(&folder.join(mark)).is_some();
            // An installed one may be without metadata.
            let is_installed = folder.parent().is_some_and(|parent| parent.ends_with("inmanta_plugins"));
            METADATA.into_iter().any(has) || (is_installed && has(MODEL))
        };
        self.places(name).find(is_module)
    }

    /// The folder of a module without metadata, which is none.
    pub fn find_unmarked(&self, name: &str, files: &dyn Files) -> Option<PathBuf> {
        self.places(name).find(|folder| files.text(&folder.join(MODEL)).is_some())
    }

    /// Where a module may be: by its name, as in a wheel, and as a checkout of one that is a Python package.
    fn places(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let package = format!("inmanta-module-{}", name.replace('_', "-"));
        let places = [PathBuf::from(name), Path::new("inmanta_plugins").join(name), package.into()];
        self.module_path.iter().flat_map(move |folder| places.clone().map(|place| folder.join(place)))
    }
}

/// The settings of a project.
const KEYS: &str = "\
    name description author author_email license copyright modulepath downloadpath repo requires install_mode \
    freeze_recursive freeze_operator relation_precedence_policy strict_deps_check \
    agent_install_dependency_modules pip environment_settings";

/// The files that describe a module.
const METADATA: [&str; 3] = ["module.yml", "setup.cfg", "pyproject.toml"];

/// The first file of a module's model.
const MODEL: &str = "model/_init.cf";

/// The name of the module that a folder is.
fn own_name(folder: &Path, files: &dyn Files) -> Option<String> {
    files.text(&folder.join(MODEL))?;
    let read = |name: &str| files.text(&folder.join(name));
    let of_module = read(METADATA[0]).and_then(|text| Manifest::of_model_yaml(&text));
    let of_module = of_module.or_else(|| read(METADATA[1]).map(|text| Manifest::of_setup_cfg(&text)));
    let of_module = of_module.or_else(|| read(METADATA[2]).and_then(|text| Manifest::of_pyproject(&text)));
    of_module.map(|manifest| module_of(&manifest.name)).filter(|name| !name.is_empty())
}

/// The YAML of a project or a module; an error has its place there.
pub fn metadata(path: &Path, text: &str, files: &dyn Files) -> Result<serde_yaml::Value> {
    parse_yaml(text).map_err(|reason: String| {
        let line = crate::module::yaml_cause_line(text, crate::module::yaml_line(&reason));
        let (label, help) = crate::module::yaml_advice(text, line, &reason);
        let shown = files.shown(path);
        Raise::new(Class::Compiler, format!("{shown}: {reason}"))
            .with_code(Code::InvalidMetadata)
            .with_label(label)
            .with_help(help)
            .with_elsewhere(Elsewhere::new(path, text, line, files))
    })
}

/// The two relations of a rule.
pub fn pair(rule: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = rule.split_whitespace().collect();
    let is_relation = |word: &str| word.split('.').count() == 2 && word.split('.').all(|part| !part.is_empty());
    match words[..] {
        [first, "before", then] if is_relation(first) && is_relation(then) => Some((first, then)),
        _ => None,
    }
}

/// A text, or a list of texts.
pub fn texts(value: Option<&serde_yaml::Value>) -> Vec<String> {
    match value {
        Some(serde_yaml::Value::String(text)) => vec![text.clone()],
        Some(serde_yaml::Value::Sequence(items)) => {
            items.iter().filter_map(|item| item.as_str().map(str::to_string)).collect()
        }
        _ => Vec::new(),
    }
}
