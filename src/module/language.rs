//! The languages by name: their file extensions, and the files by which a folder is an entry of one.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The languages of entries. The first one is the default for code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LanguageName {
    #[default]
    Mcl,
    Puppet,
    Inmanta,
    /// Only in tests.
    #[cfg(feature = "toy")]
    Toy,
}

/// A language's names and file extensions.
struct Words {
    name: LanguageName,
    /// The name in `--lang` and JSON.
    id: &'static str,
    /// The name in prose.
    title: &'static str,
    extensions: &'static [&'static str],
    /// The file that describes the project of an entry in the same folder.
    project: Option<&'static str>,
    /// Whether programs are compiled for a node with a name.
    has_nodes: bool,
}

const fn words(
    name: LanguageName,
    id: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
) -> Words {
    Words { name, id, title, extensions, project: None, has_nodes: false }
}

const LANGUAGES: &[Words] = &[
    words(LanguageName::Mcl, "mcl", "mcl", &["mcl"]),
    Words { has_nodes: true, ..words(LanguageName::Puppet, "puppet", "Puppet", &["pp", "epp", "ecore"]) },
    Words { project: Some("project.yml"), ..words(LanguageName::Inmanta, "inmanta", "Inmanta", &["cf"]) },
    #[cfg(feature = "toy")]
    words(LanguageName::Toy, "toy", "Toy", &["toy"]),
];

impl LanguageName {
    /// Every language.
    pub fn all() -> impl Iterator<Item = LanguageName> {
        LANGUAGES.iter().map(|words| words.name)
    }

    /// Whether programs are compiled for a node with a name.
    pub fn has_nodes(self) -> bool {
        self.words().has_nodes
    }

    pub(super) fn all_extensions() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().flat_map(|words| words.extensions).copied()
    }

    fn words(self) -> &'static Words {
        LANGUAGES.iter().find(|words| words.name == self).unwrap_or(&LANGUAGES[0])
    }

    /// The name in `--lang` and JSON.
    pub fn as_str(self) -> &'static str {
        self.words().id
    }

    /// The name in prose.
    pub fn title(self) -> &'static str {
        self.words().title
    }

    /// The language with this name in `--lang` and JSON.
    pub fn named(id: &str) -> Option<LanguageName> {
        LANGUAGES.iter().find(|words| words.id == id).map(|words| words.name)
    }

    /// The file that describes the project of an entry in the same folder.
    pub fn project(self) -> Option<&'static str> {
        self.words().project
    }

    /// The language's file extensions, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.words().extensions
    }

    /// The language of a file, by its extension.
    pub fn of_file(path: &Path) -> Option<LanguageName> {
        let extension = path.extension()?.to_str()?;
        LANGUAGES.iter().find(|words| words.extensions.contains(&extension)).map(|words| words.name)
    }
}

/// A file that makes its folder an entry.
pub struct EntryFile {
    /// Relative to the folder.
    pub name: &'static str,
    pub language: LanguageName,
    pub start: Start,
}

/// Where the compilation of an entry starts, by the file that describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the file that the setting `main` names.
    Setting,
    /// At the manifests of an environment, by the setting `manifest`.
    Environment,
    /// At a module that is included by its name; the file with the main part of it, if it has one.
    Include(&'static str),
    /// At this file in the same folder.
    File(&'static str),
    /// At the file itself.
    Itself,
    /// At the file itself, the only manifest of an environment.
    EnvironmentFile,
}

const fn starts(name: &'static str, language: LanguageName, start: Start) -> EntryFile {
    EntryFile { name, language, start }
}

/// Files that describe a module, in search order.
pub const METADATA: &[EntryFile] = &[
    starts("metadata.yaml", LanguageName::Mcl, Start::Setting),
    starts("project.yml", LanguageName::Inmanta, Start::File("main.cf")),
    starts("module.yml", LanguageName::Inmanta, Start::File("model/_init.cf")),
    // A control repository can have both.
    starts("environment.conf", LanguageName::Puppet, Start::Environment),
    starts("metadata.json", LanguageName::Puppet, Start::Include("manifests/init.pp")),
];

/// The main files of folders without metadata, in search order.
pub const MAINS: &[EntryFile] = &[
    starts("main.mcl", LanguageName::Mcl, Start::Itself),
    starts("manifests/init.pp", LanguageName::Puppet, Start::Include("manifests/init.pp")),
    starts("manifests/site.pp", LanguageName::Puppet, Start::EnvironmentFile),
    starts("main.cf", LanguageName::Inmanta, Start::Itself),
    starts("model/_init.cf", LanguageName::Inmanta, Start::Itself),
    #[cfg(feature = "toy")]
    starts("main.toy", LanguageName::Toy, Start::Itself),
];
