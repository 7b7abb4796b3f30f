//! A module's description of itself, whatever the format: one reader for each.
//!
//! `metadata.yaml` has its own reader in [`super::metadata`], because its errors are reported with their places. The
//! other readers take what they understand and ignore the rest: a language reports what it requires and does not find.

use std::path::PathBuf;

use super::{LONGEST, Metadata};

/// A module's own settings, common to all languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Its main file, relative to its folder.
    pub main: PathBuf,
    pub name: String,
    pub version: String,
    pub license: String,
    /// The folder of files that go with a deploy, relative; empty for none.
    pub files: String,
    /// Folders that are searched first for its own imports, relative; variables are not expanded.
    pub module_path: Vec<String>,
    /// Modules below search no further up than here for their imports.
    pub parent_path_block: bool,
    pub requires: Vec<Requirement>,
}

/// A required module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    pub name: String,
    /// The allowed versions, as written; empty for any.
    pub version: String,
}

impl Requirement {
    fn named(name: &str, version: &str) -> Self {
        Self { name: name.trim().into(), version: version.trim().into() }
    }

    /// `std >= 4, < 5`: the name ends before the operator.
    pub fn constrained(text: &str) -> Self {
        let end = text.find(['<', '>', '=', '!', '~', ' ', ';']).unwrap_or(text.len());
        Self::named(&text[..end], &text[end..])
    }
}

impl From<Metadata> for Manifest {
    fn from(metadata: Metadata) -> Self {
        let Metadata { main, path, files, license, parent_path_block } = metadata;
        let module_path = Some(path).filter(|path| !path.is_empty()).into_iter().collect();
        Self { main, files, license, module_path, parent_path_block, ..Self::default() }
    }
}

impl Manifest {
    /// Puppet's `metadata.json`.
    pub fn of_metadata_json(text: &str) -> Option<Self> {
        let json: serde_json::Value = serde_json::from_str(text).ok().filter(|_| text.len() <= super::LONGEST)?;
        let field = |name: &str| json.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let needs = json.get("dependencies").and_then(|list| list.as_array()).into_iter().flatten();
        let requirement = |one: &serde_json::Value| {
            let version = one.get("version_requirement").and_then(|version| version.as_str()).unwrap_or_default();
            Some(Requirement::named(one.get("name")?.as_str()?, version))
        };
        Some(Self {
            name: field("name"),
            version: field("version"),
            license: field("license"),
            files: "files/".into(),
            requires: needs.filter_map(requirement).collect(),
            ..Self::default()
        })
    }

    /// Puppet's `environment.conf`; `main` is its `manifest`.
    pub fn of_environment_conf(text: &str) -> Self {
        let mut manifest = Self { main: "manifests".into(), ..Self::default() };
        for (section, name, value) in settings(text) {
            match name {
                _ if !section.is_empty() => {}
                "manifest" if !value.is_empty() => manifest.main = value.into(),
                "modulepath" => manifest.module_path = value.split(':').map(Into::into).collect(),
                _ => {}
            }
        }
        manifest
    }

    /// Inmanta's `project.yml` and `module.yml`.
    pub fn of_model_yaml(text: &str) -> Option<Self> {
        let yaml: serde_json::Value = super::parse_yaml(text).ok()?;
        let field = |name: &str| yaml.get(name).map(plain).unwrap_or_default();
        let list = |name: &str| -> Vec<String> {
            match yaml.get(name) {
                Some(serde_json::Value::Array(items)) => items.iter().map(plain).collect(),
                // A setting without a value is none.
                None | Some(serde_json::Value::Null) => Vec::new(),
                Some(one) => vec![plain(one)],
            }
        };
        Some(Self {
            main: "main.cf".into(),
            name: field("name"),
            version: written(text, "version:"),
            license: field("license"),
            module_path: list("modulepath").iter().flat_map(|path| path.split(':')).map(Into::into).collect(),
            requires: list("requires").iter().map(|text| Requirement::constrained(text)).collect(),
            ..Self::default()
        })
    }

    /// The `setup.cfg` of an Inmanta module that is a Python package.
    pub fn of_setup_cfg(text: &str) -> Self {
        let mut manifest = Self { main: "model/_init.cf".into(), files: "files/".into(), ..Self::default() };
        if text.len() > LONGEST {
            return manifest;
        }
        for (section, name, value) in settings(text) {
            match (section, name) {
                ("metadata", "name") => manifest.name = value.into(),
                ("metadata", "version") => manifest.version = value.into(),
                ("metadata", "license") => manifest.license = value.into(),
                ("options", "install_requires") if !value.is_empty() => {
                    manifest.requires.push(Requirement::constrained(value))
                }
                _ => {}
            }
        }
        manifest
    }

    /// The `pyproject.toml` of such a module.
    pub fn of_pyproject(text: &str) -> Option<Self> {
        let toml: toml::Table = (text.len() <= LONGEST).then(|| toml::from_str(text).ok()).flatten()?;
        let project = toml.get("project").and_then(|project| project.as_table());
        let field = |name: &str| project.and_then(|project| project.get(name));
        let text = |name: &str| field(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let license = field("license").and_then(|license| license.get("text")).and_then(|text| text.as_str());
        let needs = field("dependencies").and_then(|list| list.as_array()).into_iter().flatten();
        Some(Self {
            main: "model/_init.cf".into(),
            files: "files/".into(),
            name: text("name"),
            version: text("version"),
            license: license.map_or_else(|| text("license"), str::to_owned),
            requires: needs.filter_map(|one| one.as_str()).map(Requirement::constrained).collect(),
            ..Self::default()
        })
    }
}

/// A setting's value as written: `1.10` is a version here, but a number in YAML.
fn written(text: &str, name: &str) -> String {
    let value = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Section, name and value of each setting of an INI file; indented lines continue the setting above.
fn settings(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let (mut section, mut last) = ("", "");
    text.lines().filter_map(move |line| {
        let is_more = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            return None;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, last) = (name.trim(), "");
            return None;
        }
        if is_more && !last.is_empty() {
            return Some((section, last, line));
        }
        let (name, value) = line.split_once('=')?;
        last = name.trim();
        Some((section, last, value.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(manifest: &Manifest) -> Vec<(&str, &str)> {
        manifest.requires.iter().map(|one| (&*one.name, &*one.version)).collect()
    }

    #[test]
    fn each_format_is_read() {
        let json = r#"{"name":"puppetlabs-ntp","version":"11.1.0","dependencies":[{"name":"puppetlabs/stdlib","version_requirement":">= 9"}]}"#;
        let json = Manifest::of_metadata_json(json).expect("it is JSON");
        assert_eq!((&*json.name, needs(&json)), ("puppetlabs-ntp", vec![("puppetlabs/stdlib", ">= 9")]));
        assert_eq!(Manifest::of_metadata_json("[1, 2]").map(|odd| odd.name), Some(String::new()));
        let conf =
            Manifest::of_environment_conf("# c\nmodulepath = site:$basemodulepath\nmanifest=main.pp\n[x]\nmanifest=no");
        assert_eq!(
            (conf.main.to_str(), &conf.module_path[..]),
            (Some("main.pp"), &["site".into(), "$basemodulepath".into()][..])
        );
        let yaml =
            Manifest::of_model_yaml("name: p\nmodulepath: libs\nrequires:\n  - std >= 4, < 5\n").expect("it is YAML");
        assert_eq!((&yaml.module_path[..], needs(&yaml)), (&["libs".to_owned()][..], vec![("std", ">= 4, < 5")]));
        let empty = Manifest::of_model_yaml("name: p\nmodulepath: libs\nrequires:\n").expect("it is YAML");
        assert_eq!(empty.requires.len(), 0);
        let version = |text| Manifest::of_model_yaml(text).map(|one| one.version);
        assert_eq!(version("name: p\nversion: 1.10 # new\n").as_deref(), Some("1.10"));
        assert_eq!(version("version: '2.0.dev1'\n").as_deref(), Some("2.0.dev1"));
        assert_eq!(version("name: p\n").as_deref(), Some(""));
        let cfg = Manifest::of_setup_cfg(
            "[metadata]\nname = inmanta-module-fs\nversion = 1.2\n[options]\ninstall_requires =\n  inmanta-module-std>=3\n",
        );
        assert_eq!((&*cfg.name, needs(&cfg)), ("inmanta-module-fs", vec![("inmanta-module-std", ">=3")]));
        let toml = "[project]\nname = \"inmanta-module-fs\"\nversion = \"2\"\nlicense = { text = \"ASL 2.0\" }\ndependencies = [\"inmanta-module-std>=3\", \"x\"]\n";
        let toml = Manifest::of_pyproject(toml).expect("it is TOML");
        assert_eq!((&*toml.version, &*toml.license), ("2", "ASL 2.0"));
        assert_eq!(needs(&toml), vec![("inmanta-module-std", ">=3"), ("x", "")]);
        assert_eq!(Manifest::of_pyproject("[project").map(|odd| odd.name), None);
    }
}
