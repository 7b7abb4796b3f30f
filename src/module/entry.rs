//! From what the user typed to the [`EntryPoint`]: nothing, `-`, a metadata file, a source file, a folder, or code.
//!
//! Accepted: `.`, `site/metadata.yaml`, `site/main.mcl`, `print "hi" {}`. Rejected: `sites` where only `site` exists,
//! with that name as help. Unlike mgmt a folder needs no trailing slash, and a bare `metadata.yaml` is a path.

use std::path::{Path, PathBuf};

use super::load::{add_text, load_text, shown};

use super::{EntryPoint, parse_metadata};
use crate::diag::{Code, Diagnostic, Diagnostics, nearest};
use crate::source::{FileId, Sources, Span};
use crate::world::{PathKind, Read, ReadError, Sample, World};

/// The languages that entries can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LanguageName {
    Mcl,
    Puppet,
    Inmanta,
}

impl LanguageName {
    /// As `--lang` and JSON spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            LanguageName::Mcl => "mcl",
            LanguageName::Puppet => "puppet",
            LanguageName::Inmanta => "inmanta",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            LanguageName::Mcl => "mcl",
            LanguageName::Puppet => "pp",
            LanguageName::Inmanta => "cf",
        }
    }
}

const LANGUAGES: [LanguageName; 3] = [LanguageName::Mcl, LanguageName::Puppet, LanguageName::Inmanta];

/// Files that describe a module, in the order they are looked for.
const METADATA: [(&str, LanguageName); 5] = [
    ("metadata.yaml", LanguageName::Mcl),
    ("project.yml", LanguageName::Inmanta),
    ("module.yml", LanguageName::Inmanta),
    ("metadata.json", LanguageName::Puppet),
    ("environment.conf", LanguageName::Puppet),
];

/// Files that a folder without metadata starts at, in the order they are looked for.
const MAINS: [(&str, LanguageName); 5] = [
    ("main.mcl", LanguageName::Mcl),
    ("manifests/init.pp", LanguageName::Puppet),
    ("manifests/site.pp", LanguageName::Puppet),
    ("main.cf", LanguageName::Inmanta),
    ("model/_init.cf", LanguageName::Inmanta),
];

/// The shortest way to name an entry by its path: the folder, where that is named by its metadata or by the file that it starts
/// at. Nothing is looked at.
pub fn short_name(path: &Path) -> &Path {
    let files = METADATA.iter().chain(&MAINS).map(|(file, _)| Path::new(file));
    let folders = files.filter(|file| path.ends_with(file)).map(|file| file.components().count());
    let folder = folders.max().and_then(|depth| path.ancestors().nth(depth));
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(path)
}

/// What the user gave to start from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Typed<'a> {
    /// The ENTRY argument.
    pub entry: Option<&'a str>,
    /// Standard input, read whole, where the entry is `-`.
    pub stdin: Option<&'a [u8]>,
    /// `--lang`.
    pub language: Option<LanguageName>,
}

/// Finds the entry point. `None` leaves a diagnostic that says what to do.
pub fn resolve_entry(
    world: &dyn World,
    typed: Typed<'_>,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<EntryPoint> {
    let entry = typed.entry.unwrap_or(".");
    if entry == "-" {
        return from_stdin(typed, sources, diags);
    }
    let path = Path::new(entry);
    match world.kind(path) {
        PathKind::Folder => from_folder(world, path, typed.language, entry, sources, diags),
        PathKind::File => from_file(world, path, typed.language, entry, sources, diags),
        PathKind::Other => {
            diags.push(
                Diagnostic::placeless(Code::UnreadableFile)
                    .label(format!("`{entry}` is neither a file nor a folder"))
                    .help("code from a pipe is read with `-` as the entry"),
            );
            None
        }
        PathKind::Missing if is_code(entry) => Some(from_code(entry, "<argument>", typed.language)),
        PathKind::Missing => {
            diags.push(no_such_path(world, path, entry));
            None
        }
    }
}

/// Whether text that is no path is meant as code: it has white space or brackets, and does not end like a file.
fn is_code(text: &str) -> bool {
    let brackets = text.contains(['{', '}', '(', ')', '[', ']']);
    let space = text.contains(char::is_whitespace);
    let like_a_file = LANGUAGES.iter().any(|l| Path::new(text).extension().is_some_and(|e| e == l.extension()));
    brackets || (space && !like_a_file)
}

fn from_code(code: &str, name: &str, language: Option<LanguageName>) -> EntryPoint {
    EntryPoint {
        language: language.unwrap_or(LanguageName::Mcl),
        file: None,
        code: Some((name.into(), code.into())),
        base: PathBuf::new(),
        metadata: None,
        shown: name.into(),
    }
}

fn from_stdin(typed: Typed<'_>, sources: &mut Sources, diags: &mut Diagnostics) -> Option<EntryPoint> {
    let bytes = typed.stdin.unwrap_or_default();
    let file = add_text(bytes, "<stdin>", None, sources, diags)?;
    Some(from_code(&sources.file(file).text, "<stdin>", typed.language))
}

fn from_file(
    world: &dyn World,
    path: &Path,
    language: Option<LanguageName>,
    entry: &str,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<EntryPoint> {
    let name = path.file_name().unwrap_or_default();
    if let Some((_, told)) = METADATA.iter().find(|(metadata, _)| name == *metadata) {
        return from_metadata(world, path, *told, entry, sources, diags);
    }
    let told = LANGUAGES.into_iter().find(|l| path.extension().is_some_and(|e| e == l.extension()));
    let Some(language) = language.or(told) else {
        diags.push(
            Diagnostic::placeless(Code::UnknownLanguage)
                .label(format!("`{entry}` ends in none of .mcl, .pp and .cf"))
                .help("say which it is with `--lang mcl`"),
        );
        return None;
    };
    let file = PathBuf::from(shown(path));
    Some(EntryPoint {
        language,
        base: file.parent().unwrap_or(Path::new("")).into(),
        file: Some(file),
        code: None,
        metadata: None,
        shown: entry.into(),
    })
}

fn from_folder(
    world: &dyn World,
    folder: &Path,
    language: Option<LanguageName>,
    entry: &str,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<EntryPoint> {
    let here = |names: &[(&str, LanguageName)]| {
        names
            .iter()
            .filter(|(_, told)| language.is_none_or(|wanted| wanted == *told))
            .map(|(name, told)| (folder.join(name), *told))
            .find(|(path, _)| world.kind(path) == PathKind::File)
    };
    if let Some((metadata, told)) = here(&METADATA) {
        return from_metadata(world, &metadata, told, entry, sources, diags);
    }
    if let Some((main, told)) = here(&MAINS) {
        let file = PathBuf::from(shown(&main));
        let base = PathBuf::from(shown(folder));
        let base = if base == Path::new(".") { PathBuf::new() } else { base };
        return Some(EntryPoint {
            language: told,
            file: Some(file),
            code: None,
            base,
            metadata: None,
            shown: entry.into(),
        });
    }
    diags.push(no_entry_point(world, folder, entry));
    None
}

/// An entry by its metadata file; the path of the file to compile stands in it.
fn from_metadata(
    world: &dyn World,
    path: &Path,
    language: LanguageName,
    entry: &str,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<EntryPoint> {
    let path = PathBuf::from(shown(path));
    let base = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let file = match language {
        LanguageName::Mcl => {
            let id = load_text(world, &path, None, sources, diags)?;
            let metadata = parse_metadata(sources, id, diags)?;
            let main = base.join(&metadata.main);
            if world.kind(&main) != PathKind::File {
                diags.push(no_main(sources, id, &main));
                return None;
            }
            Some(main)
        }
        // Where these start is for their own readers to say.
        LanguageName::Puppet | LanguageName::Inmanta => None,
    };
    Some(EntryPoint { language, file, code: None, base, metadata: Some(path), shown: entry.into() })
}

/// A metadata file whose `main` is not there; points at the setting, or at the first line where it is left out.
fn no_main(sources: &Sources, metadata: FileId, main: &Path) -> Diagnostic {
    let text = &sources.file(metadata).text;
    let line = text.lines().position(|line| line.starts_with("main")).unwrap_or_default();
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    Diagnostic::error(Code::NoEntryPoint, Span::new(metadata, start, end))
        .label(format!("the module starts at `{}`, which is no file", shown(main)))
        .help("make the file, or name another with `main`; without it, `main.mcl` is the one")
}

/// What may not be looked at says nothing of what is there: the folder that cannot be read, and why not.
fn shut(world: &dyn World, path: &Path, read: Read, entry: &str) -> Option<Diagnostic> {
    let Err(ReadError::Failed { reason, .. }) = world.read(&read) else { return None };
    let may_be_read = |folder: &Path| {
        let inside = [Read::Folder(folder.into()), Read::Kind(folder.join("metadata.yaml"))];
        !inside.iter().any(|read| matches!(world.read(read), Err(ReadError::Failed { .. })))
    };
    let named = |folder: &&Path| !folder.as_os_str().is_empty() && !may_be_read(folder);
    let folder = path.ancestors().filter(|folder| world.kind(folder) == PathKind::Folder).find(named);
    let label = match folder.map(shown).filter(|folder| folder != entry) {
        Some(folder) => format!("`{entry}`: {reason}; the folder `{folder}` may not be looked into"),
        None => format!("`{entry}`: {reason}"),
    };
    Some(
        Diagnostic::placeless(Code::UnreadableFile)
            .label(label)
            .help("check the path, and the permissions of its folders"),
    )
}

fn no_entry_point(world: &dyn World, folder: &Path, entry: &str) -> Diagnostic {
    for read in [Read::Folder(folder.into()), Read::Kind(folder.join("metadata.yaml"))] {
        if let Some(shut) = shut(world, folder, read, entry) {
            return shut;
        }
    }
    let looked_for = METADATA.iter().chain(&MAINS).map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let inside = modules_below(world, folder);
    let help = if inside.is_empty() {
        format!("a module's folder holds one of {looked_for}; `workbench tutor` begins in one of its own")
    } else {
        format!("did you mean {}?", inside.join(" or "))
    };
    let shown = if entry == "." { "the current folder".to_string() } else { format!("`{entry}`") };
    Diagnostic::placeless(Code::NoEntryPoint).label(format!("{shown} is no module")).help(help)
}

/// What could be entered instead; three at most.
fn modules_below(world: &dyn World, folder: &Path) -> Vec<String> {
    enterable_below(world, folder, 3).iter().map(|path| format!("`{}`", shown(path))).collect()
}

/// Folders and source files one step below a folder that are entries, in the order of their names.
pub fn enterable_below(world: &dyn World, folder: &Path, most: usize) -> Vec<PathBuf> {
    let enterable = |path: &PathBuf| match world.kind(path) {
        PathKind::Folder => is_enterable(world, path),
        PathKind::File => LANGUAGES.iter().any(|l| path.extension().is_some_and(|e| e == l.extension())),
        _ => false,
    };
    // A folder of many thousands is not worth the looks.
    let paths = names_in(world, folder).into_iter().take(2_000).map(|name| folder.join(name));
    paths.filter(enterable).take(most).collect()
}

/// The nearest folder around one that is an entry, as a path from there; not beyond the repository that it lies in.
pub fn enterable_around(world: &dyn World, folder: &Path) -> Option<PathBuf> {
    /// Folders are not nested deeper by people.
    const MOST: usize = 32;
    let mut at = folder.to_path_buf();
    for _ in 0..MOST {
        if world.kind(&at.join(".git")) != PathKind::Missing {
            return None;
        }
        at = if at == Path::new(".") { "..".into() } else { at.join("..") };
        if is_enterable(world, &at) {
            return Some(at);
        }
    }
    None
}

/// Whether a folder holds what an entry is known by.
fn is_enterable(world: &dyn World, folder: &Path) -> bool {
    METADATA.iter().chain(&MAINS).any(|(inner, _)| world.kind(&folder.join(inner)) == PathKind::File)
}

fn no_such_path(world: &dyn World, path: &Path, entry: &str) -> Diagnostic {
    if let Some(shut) = shut(world, path, Read::Kind(path.into()), entry) {
        return shut;
    }
    // The deepest folder that exists, and the first part that is not in it.
    let mut there = path;
    let mut missing = path.file_name();
    while let Some(parent) = there.parent() {
        missing = there.file_name();
        there = parent;
        if there.as_os_str().is_empty() || world.kind(there) == PathKind::Folder {
            break;
        }
    }
    let folder = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let names = names_in(world, folder);
    let wanted = missing.unwrap_or_default().to_string_lossy();
    let help = match nearest(&wanted, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{}`?", shown(&folder.join(near))),
        None => "an entry is a folder, a file, `-` for standard input, or code in quotes".to_string(),
    };
    Diagnostic::placeless(Code::NoSuchPath).label(format!("`{entry}`")).help(help)
}

fn names_in(world: &dyn World, folder: &Path) -> Vec<String> {
    match world.read(&Read::Folder(folder.into())) {
        Ok(Sample::Names(names)) => names,
        _ => Vec::new(),
    }
}
