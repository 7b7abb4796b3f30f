//! What a project and its modules ask for: other modules by version, and the repositories and indexes that have them.

use ::std::cmp::Ordering;
use ::std::path::{Path, PathBuf};
use ::std::str::FromStr as _;

use pep440_rs::{Version, VersionSpecifiers};
use serde_yaml::Value;

use super::modules::{PROJECT, text};
use super::project::texts;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::module::{
    EntryPoint, Form, LONGEST, MOST_NEEDS, Manifest, Need, Pick, Requirement, Source, Versions, as_url, is_folder_name,
    line_at, parse_yaml,
};
use crate::source::{FileId, Sources, Span};
use crate::world::World;

/// A module that is a Python package has this before its name.
const PACKAGE: &str = "inmanta-module-";

/// A reader of a file of metadata.
type Reader = fn(&str) -> Option<Manifest>;

/// The files that name other modules. What a Python package needs beside modules is not ours.
const FILES: [(&str, bool, Reader); 5] = [
    (PROJECT, false, Manifest::of_model_yaml),
    ("requirements.txt", true, requirements),
    ("module.yml", false, Manifest::of_model_yaml),
    ("setup.cfg", true, |text| Some(Manifest::of_setup_cfg(text))),
    ("pyproject.toml", true, Manifest::of_pyproject),
];

/// Settings of a project that have no effect here, each with what is done in place of them.
const IGNORED: [(&str, &str); 4] = [
    ("freeze_recursive", "the lock file records all modules"),
    ("freeze_operator", "the lock file records exact versions"),
    ("pre", "of packages, only releases are fetched"),
    ("use_system_config", "the configuration of pip is not read"),
];

/// The module of a package's or a model's name.
pub fn module_of(name: &str) -> String {
    let name = name.split("::").next().unwrap_or(name);
    // An extra, such as `inmanta-module-x[y]`, is none of the name.
    let name = name.split('[').next().unwrap_or(name).trim();
    name.to_lowercase().strip_prefix(PACKAGE).map_or_else(|| name.to_owned(), |rest| rest.replace('-', "_"))
}

/// The package of a module.
pub fn package_of(module: &str) -> String {
    format!("{PACKAGE}{}", module.replace('_', "-"))
}

fn requirements(text: &str) -> Option<Manifest> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let requires = lines.filter(|line| !line.is_empty() && !line.starts_with('-')).map(Requirement::constrained);
    Some(Manifest { requires: requires.collect(), ..Manifest::default() })
}

/// What the files of a folder ask for.
pub fn needs(world: &dyn World, folder: &Path, sources: &mut Sources, diagnostics: &mut Diagnostics) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    for (name, only_packages, reader) in FILES {
        let path = folder.join(name);
        let Some(text) = text(world, &path) else { continue };
        let file = sources.add(crate::module::shown(&path), Some(path), &*text);
        let Some(manifest) = reader(&text).filter(|_| text.len() <= LONGEST) else {
            if name == PROJECT {
                diagnostics.push(wrong(Span::new(file, 0, 0), "this is not YAML of a usual size".into()));
            }
            continue;
        };
        if manifest.requires.len() > MOST_NEEDS {
            diagnostics.push(wrong(Span::new(file, 0, 0), format!("more than {MOST_NEEDS} requirements")));
            continue;
        }
        if name == PROJECT {
            ignored(&text, file).into_iter().for_each(|one| diagnostics.push(one));
        }
        for one in manifest.requires.iter().filter(|one| !only_packages || one.name.to_lowercase().starts_with(PACKAGE))
        {
            needs.extend(need(one, name, file, &text, diagnostics));
        }
    }
    needs
}

/// The settings of a project that have no effect here.
fn ignored(text: &str, file: FileId) -> Vec<Diagnostic> {
    let yaml: Value = parse_yaml(text).unwrap_or_default();
    let warning = |(name, why): (&str, &str)| {
        let is_pip = matches!(name, "pre" | "use_system_config");
        let section = if is_pip { yaml.get("pip")? } else { &yaml };
        let spellings = [name.to_owned(), name.replace('_', "-")];
        let written = spellings.iter().find(|name| section.get(name.as_str()).is_some())?;
        let begin = if is_pip { text.find("pip")? } else { 0 };
        let at = begin + text[begin..].find(&format!("{written}:"))?;
        let label = format!("`{written}` has no effect: {why}");
        let diagnostic = Diagnostic::warning(Code::IgnoredSetting, Span::new(file, at, at + written.len()));
        Some(diagnostic.label(label).help("only Inmanta's own tools read it"))
    };
    IGNORED.into_iter().filter_map(warning).collect()
}

fn need(one: &Requirement, name: &str, file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<Need> {
    let begin = text.find("requires").unwrap_or_default();
    let at = text[begin..].find(&one.name).map_or(begin, |at| begin + at);
    let span = Span::new(file, at, at + one.name.len().min(text.len() - at));
    let module = module_of(&one.name);
    // A marker, such as `; python_version < "4"`, is Python's.
    let range = one.version.split(';').next().unwrap_or_default().trim().to_owned();
    if !is_folder_name(&module) {
        diagnostics.push(wrong(span, format!("`{}` is not the name of a module", one.name)));
        return None;
    }
    if VersionSpecifiers::from_str(&range).is_err() {
        diagnostics.push(wrong(span, format!("`{range}` is not a version constraint")));
        return None;
    }
    let line = line_at(text, at);
    Some(Need { name: one.name.clone(), path: module.into(), range, file: name.into(), line, ..Need::default() })
}

fn wrong(span: Span, why: String) -> Diagnostic {
    Diagnostic::error(Code::InvalidMetadata, span)
        .label(why)
        .help("write requirements as `name`, `name == 1.2` or `name >= 1, < 2`")
}

/// The settings of a project; nothing where it has none that can be read.
fn project(world: &dyn World, entry: &EntryPoint) -> Option<Value> {
    parse_yaml(&text(world, &entry.base.join(PROJECT))?).ok()
}

/// Where the project says that modules come from.
pub fn sources(world: &dyn World, entry: &EntryPoint, name: &str) -> Vec<Source> {
    let Some(project) = project(world, entry) else { return Vec::new() };
    let module = module_of(name);
    let pick = match project.get("install_mode").and_then(Value::as_str) {
        Some("master") => Pick::Reference("master".into()),
        mode => Pick::Newest { prereleases: mode == Some("prerelease") },
    };
    let index = |url: &str| {
        let index = as_url(world, &entry.base, url.trim_end_matches('/'));
        Source::Archive { index, name: package_of(&module), form: Form::Wheel }
    };
    let repository = |url: &str| {
        let url = if url.contains("{}") { url.replace("{}", &module) } else { format!("{url}{module}") };
        Source::Git { url: as_url(world, &entry.base, &url), pick: pick.clone() }
    };
    let one = |repo: &Value| match repo {
        Value::String(url) => Some(repository(url)),
        repo => {
            let url = repo.get("url")?.as_str()?;
            let is_index = repo.get("type").and_then(Value::as_str) == Some("package");
            Some(if is_index { index(url) } else { repository(url) })
        }
    };
    let mut sources: Vec<Source> = match project.get("repo") {
        Some(Value::Sequence(all)) => all.iter().filter_map(one).collect(),
        Some(repo) => one(repo).into_iter().collect(),
        None => Vec::new(),
    };
    // Unlike pip, which merges all indexes, the first that has a version which fits is used: a module of the first index is
    // never replaced by one of the same name elsewhere.
    for setting in ["index_url", "index-url", "extra_index_url", "extra-index-url"] {
        let urls = texts(project.get("pip").and_then(|pip| pip.get(setting)));
        for source in urls.iter().map(|url| index(url)) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    // A package takes the place of a repository of the older form.
    sources.sort_by_key(|source| !matches!(source, Source::Archive { .. }));
    sources
}

/// Where fetched modules go.
pub fn home(world: &dyn World, entry: &EntryPoint) -> PathBuf {
    let project = project(world, entry);
    let folder = |name| texts(project.as_ref().and_then(|project| project.get(name))).into_iter().next();
    let first = folder("modulepath").and_then(|path| path.split(':').next().map(str::to_owned));
    entry.base.join(folder("downloadpath").or(first).unwrap_or_else(|| "libs".into()))
}

/// Versions and constraints as Python has them.
pub struct Pep440;

impl Versions for Pep440 {
    fn compare(&self, one: &str, other: &str) -> Option<Ordering> {
        Some(Version::from_str(one).ok()?.cmp(&Version::from_str(other).ok()?))
    }

    fn fits(&self, version: &str, range: &str, prereleases: bool) -> bool {
        let (Ok(version), Ok(range)) = (Version::from_str(version), VersionSpecifiers::from_str(range)) else {
            return false;
        };
        let names_one = || range.iter().any(|one| one.version().any_prerelease());
        range.contains(&version) && (prereleases || !version.any_prerelease() || names_one())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Stage;
    use crate::module::newest;
    use crate::world::{Memory, Read, Sample};

    fn with_project(yaml: &str) -> Memory {
        Memory::default().with(Read::File("/p/project.yml".into()), Sample::Bytes(yaml.as_bytes().into()))
    }

    #[test]
    fn constraints_are_pythons() {
        let fits = |version, range| Pep440.fits(version, range, false);
        assert!(fits("1.2", ">= 1, < 2") && !fits("2.0", ">= 1, < 2") && fits("1.2.3", "~=1.2") && !fits("2", "~=1.2"));
        assert!(fits("1.2.post1", "== 1.2.*") && !fits("1.3", "!= 1.3") && fits("v3", "") && !fits("x", ""));
        assert!(!fits("2.0.dev1", ">= 1") && fits("2.0.dev1", ">= 2.0.dev0") && Pep440.fits("2.0rc1", ">= 1", true));
        let tags = ["1.9", "release", "v1.10", "2.0.dev3", "1.2"];
        assert_eq!(newest(&Pep440, &tags, &[">= 1"], false), Some(2));
        assert_eq!(newest(&Pep440, &tags, &["< 1.10", "> 1.2"], false), Some(0));
        assert_eq!(newest(&Pep440, &tags, &[], true), Some(3));
    }

    #[test]
    fn names_of_packages_are_modules() {
        assert_eq!(module_of("inmanta-module-two-parts"), "two_parts");
        assert_eq!(
            (module_of("std::testing"), package_of("two_parts").as_str()),
            ("std".into(), "inmanta-module-two-parts")
        );
    }

    #[test]
    fn repositories_and_indexes_are_those_of_the_project() {
        let sources = |yaml: &str| {
            sources(
                &with_project(yaml),
                &EntryPoint { base: "/p".into(), ..EntryPoint::default() },
                "inmanta-module-x-y",
            )
        };
        let git = |url: &str, pick| Source::Git { url: url.into(), pick };
        let newest = Pick::Newest { prereleases: false };
        assert_eq!(sources("repo: https://h/mods/\n"), [git("https://h/mods/x_y", newest.clone())]);
        assert_eq!(
            sources("repo: ['https://h/{}.git']\ninstall_mode: master\n"),
            [git("https://h/x_y.git", Pick::Reference("master".into()))]
        );
        let both = sources("repo:\n  - {type: git, url: repos/}\n  - {type: package, url: wheels}\n");
        let index =
            Source::Archive { index: "file:///p/wheels".into(), name: "inmanta-module-x-y".into(), form: Form::Wheel };
        assert_eq!(both, [index, git("file:///p/repos/x_y", newest)]);
        assert_eq!(sources("name: x\n"), []);
        let indexes = |yaml: &str| -> Vec<String> {
            let index = |source| match source {
                Source::Archive { index, .. } => index,
                Source::Git { url, .. } => url,
            };
            sources(yaml).into_iter().map(index).collect()
        };
        assert_eq!(
            indexes("pip:\n  index_url: https://a/\n  extra_index_url: [https://b, https://a, https://c/]\n"),
            ["https://a", "https://b", "https://c"]
        );
        assert_eq!(indexes("pip:\n  extra-index-url: https://b\nrepo: https://h/\n"), ["https://b", "https://h/x_y"]);
    }

    #[test]
    fn settings_without_effect_are_named() {
        let world =
            with_project("name: p\nfreeze_operator: '=='\npip:\n  index_url: https://a\n  use-system-config: true\n");
        let (mut files, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
        needs(&world, Path::new("/p"), &mut files, &mut diagnostics);
        let found: Vec<_> = diagnostics.iter().map(|one| (one.code, one.span.map(|at| files.place(at).line))).collect();
        assert_eq!(found, [(Code::IgnoredSetting, Some(2)), (Code::IgnoredSetting, Some(5))]);
        assert!(!diagnostics.has_errors());
    }

    #[test]
    fn invalid_constraints_have_a_place() {
        let world = with_project("name: p\nrequires:\n  - std >= 4\n  - fs => 2\n  - ../x\n");
        let (mut files, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
        let needs = needs(&world, Path::new("/p"), &mut files, &mut diagnostics);
        assert_eq!(
            needs.iter().map(|one| (&*one.name, &*one.range, one.line)).collect::<Vec<_>>(),
            [("std", ">= 4", 3)]
        );
        let lines: Vec<_> = diagnostics.iter().filter_map(|one| Some(files.place(one.span?).line)).collect();
        assert_eq!(lines, [4, 5]);
    }
}
