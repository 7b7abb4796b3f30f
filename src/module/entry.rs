//! Resolves the user's entry to an [`EntryPoint`]: nothing, `-`, a metadata file, a source file, a folder, or code.
//!
//! Accepted: `.`, `site/metadata.yaml`, `site/main.mcl`, `print "hi" {}`. Rejected: `sites` if only `site` exists, with
//! that name as help. Unlike in mgmt a folder needs no trailing slash, and a bare `metadata.yaml` is a path.

use std::path::{Path, PathBuf};

use super::language::{EntryFile, MAINS, METADATA, Start};
use super::load::{add_text, load_text, shown};
use super::{EntryPoint, LanguageName, clean, parse_metadata};
use crate::diag::{Code, Diagnostic, Diagnostics, nearest};
use crate::source::{FileId, Sources, Span};
use crate::world::{PathKind, Read, ReadError, Sample, World};

/// The files that make a folder an entry, in search order, as a list for people.
pub fn entry_files() -> String {
    METADATA.iter().chain(MAINS).map(|file| file.name).collect::<Vec<_>>().join(", ")
}

/// The shortest path of an entry: its folder, if the path is that of its metadata or main file. Reads nothing.
pub fn short_name(path: &Path) -> &Path {
    let files = METADATA.iter().chain(MAINS).map(|file| Path::new(file.name));
    let folders = files.filter(|file| path.ends_with(file)).map(|file| file.components().count());
    let folder = folders.max().and_then(|depth| path.ancestors().nth(depth));
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(path)
}

/// The user's input for an entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Typed<'a> {
    /// The ENTRY argument.
    pub entry: Option<&'a str>,
    /// The whole standard input, if the entry is `-`.
    pub stdin: Option<&'a [u8]>,
    /// `--lang`.
    pub language: Option<LanguageName>,
}

/// Finds the entry point. `None` leaves a diagnostic with advice.
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
                    .help("use `-` as the entry to read code from a pipe"),
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

/// Whether text that is not a path is meant as code: it has white space or brackets, and does not end like a file.
fn is_code(text: &str) -> bool {
    let brackets = text.contains(['{', '}', '(', ')', '[', ']']);
    let space = text.contains(char::is_whitespace);
    let like_a_file = LanguageName::of_file(Path::new(text)).is_some();
    brackets || (space && !like_a_file)
}

fn from_code(code: &str, name: &str, language: Option<LanguageName>) -> EntryPoint {
    EntryPoint {
        language: language.unwrap_or_default(),
        code: Some((name.into(), code.into())),
        shown: name.into(),
        ..EntryPoint::default()
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
    if let Some(metadata) = METADATA.iter().find(|metadata| name == metadata.name) {
        return from_metadata(world, path, metadata, entry, sources, diags);
    }
    let Some(language) = language.or(LanguageName::of_file(path)) else {
        let all: Vec<String> = LanguageName::all_extensions().map(|e| format!(".{e}")).collect();
        let (last, first) = all.split_last().map_or(("", &[][..]), |(last, first)| (last, first));
        diags.push(
            Diagnostic::placeless(Code::UnknownLanguage)
                .label(format!("`{entry}` does not end in {} or {last}", first.join(", ")))
                .help("set the language, for example `--lang mcl`"),
        );
        return None;
    };
    let file = PathBuf::from(shown(path));
    let base = file.parent().unwrap_or(Path::new("")).to_path_buf();
    let project = language.project().map(|project| base.join(project));
    Some(EntryPoint {
        language,
        metadata: project.filter(|project| world.kind(project) == PathKind::File),
        base,
        roots: vec![file.clone()],
        file: Some(file),
        shown: entry.into(),
        ..EntryPoint::default()
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
    let here = |files: &'static [EntryFile]| {
        let files = files.iter().filter(|file| language.is_none_or(|wanted| wanted == file.language));
        files.map(|file| (folder.join(file.name), file)).find(|(path, _)| world.kind(path) == PathKind::File)
    };
    if let Some((path, metadata)) = here(METADATA) {
        return from_metadata(world, &path, metadata, entry, sources, diags);
    }
    if let Some((path, main)) = here(MAINS) {
        let file = PathBuf::from(shown(&path));
        let base = PathBuf::from(shown(folder));
        let base = if base == Path::new(".") { PathBuf::new() } else { base };
        let by_itself = matches!(main.start, Start::Include(_));
        return Some(EntryPoint {
            language: main.language,
            roots: if by_itself { Vec::new() } else { vec![file.clone()] },
            include: by_itself.then(|| module_name(world, &base)),
            environment: (main.start == Start::EnvironmentFile).then(|| base.clone()),
            file: Some(file),
            base,
            shown: entry.into(),
            ..EntryPoint::default()
        });
    }
    diags.push(no_entry_point(world, folder, entry));
    None
}

/// An entry by its metadata file, which contains the path of the file to compile.
fn from_metadata(
    world: &dyn World,
    path: &Path,
    metadata: &EntryFile,
    entry: &str,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<EntryPoint> {
    let path = PathBuf::from(shown(path));
    let base = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let language = metadata.language;
    let found = EntryPoint { language, base: base.clone(), shown: entry.into(), ..EntryPoint::default() };
    let found = match metadata.start {
        Start::Setting => {
            let id = load_text(world, &path, None, sources, diags)?;
            let metadata = parse_metadata(sources, id, diags)?;
            let main = base.join(&metadata.main);
            if world.kind(&main) != PathKind::File {
                diags.push(no_main(world, sources, id, &main));
                return None;
            }
            EntryPoint { file: Some(main.clone()), roots: vec![main], ..found }
        }
        Start::Environment => {
            let id = load_text(world, &path, None, sources, diags)?;
            let manifest = environment_manifest(&sources.file(id).text).unwrap_or("manifests");
            let roots = manifests(world, &base.join(manifest), language);
            if roots.is_empty() {
                let label = format!("no manifests at `{}`, where the environment starts", shown(&base.join(manifest)));
                let names = match world.read(&Read::Folder(base.clone())) {
                    Ok(Sample::Names(names)) => names,
                    _ => Vec::new(),
                };
                let help = match crate::diag::nearest(manifest, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "create a manifest there, or set `manifest` to another path".into(),
                };
                let text = &sources.file(id).text;
                let start =
                    environment_manifest(text).map_or(0, |value| value.as_ptr() as usize - text.as_ptr() as usize);
                let place = Span::new(id, start, start + if start == 0 { 0 } else { manifest.len() });
                diags.push(Diagnostic::error(Code::NoEntryPoint, place).label(label).help(help));
                return None;
            }
            let file = roots.first().filter(|_| roots.len() == 1).cloned();
            EntryPoint { file, roots, environment: Some(base), ..found }
        }
        Start::Include(main) => {
            let file = Some(base.join(main)).filter(|file| world.kind(file) == PathKind::File);
            EntryPoint { file, include: Some(module_name(world, &base)), ..found }
        }
        Start::File(main) => {
            let main = base.join(main);
            if world.kind(&main) != PathKind::File {
                let label = format!("the entry point `{}` is not a file", shown(&main));
                diags.push(Diagnostic::placeless(Code::NoEntryPoint).label(label).help("create the file"));
                return None;
            }
            EntryPoint { file: Some(main.clone()), roots: vec![main], ..found }
        }
        Start::Itself | Start::EnvironmentFile => found,
    };
    Some(EntryPoint { metadata: Some(path), ..found })
}

/// The name of a module by its folder: the part after the last `-`, because registries put the author first.
fn module_name(world: &dyn World, base: &Path) -> String {
    let folder = match (base.file_name(), world.read(&Read::WorkingFolder)) {
        (Some(name), _) => name.to_string_lossy().into_owned(),
        (None, Ok(Sample::Path(path))) => {
            clean(&path.join(base)).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        }
        (None, _) => String::new(),
    };
    folder.rsplit('-').next().unwrap_or_default().to_owned()
}

/// The `manifest` setting of an environment.
fn environment_manifest(text: &str) -> Option<&str> {
    let settings = text.lines().filter_map(|line| line.split_once('='));
    let mut named = settings.filter(|(name, _)| name.trim() == "manifest").map(|(_, value)| value.trim());
    named.next_back().filter(|value| !value.is_empty())
}

/// A manifest, or all manifests below a folder in the order of their paths.
fn manifests(world: &dyn World, path: &Path, language: LanguageName) -> Vec<PathBuf> {
    /// More or deeper files are not an environment.
    const MOST: usize = 10_000;
    const DEPTH: usize = 32;
    if world.kind(path) == PathKind::File {
        return vec![path.to_path_buf()];
    }
    let ending = language.extensions().first().copied().unwrap_or_default();
    let (mut found, mut folders) = (Vec::new(), vec![(path.to_path_buf(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for path in names_in(world, &folder).into_iter().filter(|name| !name.starts_with('.')).map(|n| folder.join(n)) {
            match world.kind(&path) {
                PathKind::File if path.extension().is_some_and(|end| end == ending) && found.len() < MOST => {
                    found.push(path)
                }
                PathKind::Folder if depth < DEPTH => folders.push((path, depth + 1)),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// The error for a metadata file whose `main` is missing; points at the setting, or at the first line if there is none.
fn no_main(world: &dyn World, sources: &Sources, metadata: FileId, main: &Path) -> Diagnostic {
    let folder = main.parent().unwrap_or(Path::new(""));
    let names = names_in(world, if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let name = main.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let near = crate::diag::nearest(&name, names.iter().map(String::as_str));
    // The only program of the folder is meant, whatever its name.
    let ending = Path::new(&*name).extension();
    let mut programs = names.iter().filter(|name| ending.is_some() && Path::new(name).extension() == ending);
    let near = near.or_else(|| programs.next().map(String::as_str).filter(|_| programs.next().is_none()));
    let text = &sources.file(metadata).text;
    let line = text.lines().position(|line| line.starts_with("main")).unwrap_or_default();
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    Diagnostic::error(Code::NoEntryPoint, Span::new(metadata, start, end))
        .label(format!("the entry point `{}` is not a file", shown(main)))
        .help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "create the file, or set `main` to another one (default: `main.mcl`)".to_string(),
        })
}

/// A folder that cannot be read may contain anything: reports it with the reason.
fn shut(world: &dyn World, path: &Path, read: Read, entry: &str) -> Option<Diagnostic> {
    let Err(ReadError::Failed { reason, .. }) = world.read(&read) else { return None };
    let may_be_read = |folder: &Path| {
        let inside = [Read::Folder(folder.into()), Read::Kind(folder.join("metadata.yaml"))];
        !inside.iter().any(|read| matches!(world.read(read), Err(ReadError::Failed { .. })))
    };
    let named = |folder: &&Path| !folder.as_os_str().is_empty() && !may_be_read(folder);
    let folder = path.ancestors().filter(|folder| world.kind(folder) == PathKind::Folder).find(named);
    let label = match folder.map(shown).filter(|folder| folder != entry) {
        Some(folder) => format!("`{entry}`: {reason}; no permission to read the folder `{folder}`"),
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
    let inside = modules_below(world, folder);
    let help = if inside.is_empty() {
        format!("a module folder contains one of {}; or try `workbench tutor`", entry_files())
    } else {
        format!("did you mean {}?", inside.join(" or "))
    };
    let shown = if entry == "." { "the current folder".to_string() } else { format!("`{entry}`") };
    Diagnostic::placeless(Code::NoEntryPoint).label(format!("no module in {shown}")).help(help)
}

/// Suggestions for an entry; three at most.
fn modules_below(world: &dyn World, folder: &Path) -> Vec<String> {
    enterable_below(world, folder, 3).iter().map(|path| format!("`{}`", shown(path))).collect()
}

/// Folders and source files one step below a folder that are entries, in the order of their names.
pub fn enterable_below(world: &dyn World, folder: &Path, most: usize) -> Vec<PathBuf> {
    let enterable = |path: &PathBuf| match world.kind(path) {
        PathKind::Folder => is_enterable(world, path),
        PathKind::File => LanguageName::of_file(path).is_some(),
        _ => false,
    };
    // A folder with many thousands of files is not searched.
    let paths = names_in(world, folder).into_iter().take(2_000).map(|name| folder.join(name));
    paths.filter(enterable).take(most).collect()
}

/// The nearest folder around this one that is an entry, as a relative path; not beyond the repository.
pub fn enterable_around(world: &dyn World, folder: &Path) -> Option<PathBuf> {
    /// The nesting limit.
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

/// Whether a folder has a file that makes it an entry.
fn is_enterable(world: &dyn World, folder: &Path) -> bool {
    METADATA.iter().chain(MAINS).any(|file| world.kind(&folder.join(file.name)) == PathKind::File)
}

fn no_such_path(world: &dyn World, path: &Path, entry: &str) -> Diagnostic {
    if let Some(shut) = shut(world, path, Read::Kind(path.into()), entry) {
        return shut;
    }
    // The deepest existing folder, and the first part of the path that is missing.
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
