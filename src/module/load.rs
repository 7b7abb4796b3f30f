//! Reads a text file into [`Sources`], or reports with a place why it cannot be read.

use std::path::{Path, PathBuf};

use crate::diag::{Code, Diagnostic, Diagnostics, nearest};
use crate::source::{FileId, Sources, Span};
use crate::world::{PathKind, Read, ReadError, Sample, World};

/// Reads a file as UTF-8. `from` is the place of the request, such as an import; `None` for the entry itself.
pub fn load_text(
    world: &dyn World,
    path: &Path,
    from: Option<Span>,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<FileId> {
    let bytes = match world.file(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let mut problem = unreadable(path, from, &error);
            if let Some(near) = near_path(path, world).filter(|_| from.is_some() && problem.code == Code::NoSuchPath) {
                problem.help = Some(format!("did you mean `{near}`?"));
            }
            if let Some(from) = from.filter(|_| problem.code == Code::NoSuchPath)
                && let Some(place) = place_in_metadata(path, world, sources)
            {
                problem.span = Some(place);
                problem = problem.related(from, "imported here");
                let folder = path.parent().unwrap_or(Path::new("."));
                if let Some(only) = only_program(folder, world).filter(|_| near_path(path, world).is_none()) {
                    problem.help = Some(format!("did you mean `{only}`?"));
                }
            }
            diags.push(problem);
            return None;
        }
    };
    add_text(&bytes, shown(path), Some(path.into()), sources, diags)
}

/// Takes bytes as UTF-8 text. Other text is refused, with the place of the first invalid byte.
pub fn add_text(
    bytes: &[u8],
    name: impl Into<String>,
    path: Option<PathBuf>,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<FileId> {
    let name = name.into();
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(sources.add(name, path, text)),
        Err(error) => {
            // The replacement character is at the first invalid byte, because everything before it is valid.
            let at = error.valid_up_to();
            let file = sources.add(name, path, String::from_utf8_lossy(bytes).as_ref());
            diags.push(
                Diagnostic::error(Code::InvalidUtf8, Span::new(file, at, at + char::REPLACEMENT_CHARACTER.len_utf8()))
                    .label(format!("byte {} is not valid UTF-8", at + 1))
                    .help("save it as UTF-8"),
            );
            None
        }
    }
}

/// A path as shown: without a leading `./`.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let rest = text.strip_prefix("./").map(|rest| rest.trim_start_matches('/'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(&text).to_string()
}

/// The file or folder beside the first missing part of a path that was probably meant.
fn near_path(path: &Path, world: &dyn World) -> Option<String> {
    let parts = path.ancestors().take(3).filter(|part| part.file_name().is_some());
    let missing = parts.filter(|part| world.kind(part) == PathKind::Missing).last()?;
    let folder = missing.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let Ok(Sample::Names(names)) = world.read(&Read::Folder(folder.into())) else { return None };
    let near = nearest(missing.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    let end = if missing == path { "" } else { "/" };
    Some(format!("{}{end}", shown(&folder.join(near))))
}

/// The line of the metadata beside a missing file that names it.
fn place_in_metadata(path: &Path, world: &dyn World, sources: &mut Sources) -> Option<Span> {
    let metadata = path.parent()?.join("metadata.yaml");
    let bytes = world.file(&metadata).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let name = path.file_name()?.to_str()?;
    let line = text.lines().find(|line| line.starts_with("main:") && line.contains(name))?.trim_end();
    let at = text.find(line)?;
    let file = sources.add(shown(&metadata), Some(metadata.clone()), text);
    Some(Span::new(file, at, at + line.len()))
}

/// The program of a folder, if it has exactly one.
fn only_program(folder: &Path, world: &dyn World) -> Option<String> {
    let Ok(Sample::Names(names)) = world.read(&Read::Folder(folder.into())) else { return None };
    let mut programs = names.into_iter().filter(|name| name.ends_with(".mcl"));
    programs.next().filter(|_| programs.next().is_none())
}

fn unreadable(path: &Path, from: Option<Span>, error: &ReadError) -> Diagnostic {
    let (code, help) = match error {
        ReadError::NotFound(_) => (Code::NoSuchPath, "check the spelling, or create the file".to_string()),
        ReadError::TooLarge { limit, .. } => {
            (Code::FileTooLarge, format!("the limit for source files is {} MiB; split the file", limit >> 20))
        }
        _ => (Code::UnreadableFile, "check its permissions, and that it is a regular file".to_string()),
    };
    let label = match error {
        ReadError::NotFound(_) => format!("`{}` does not exist", shown(path)),
        ReadError::Failed { reason, .. } => format!("`{}`: {reason}", shown(path)),
        other => other.to_string(),
    };
    match from {
        Some(span) => Diagnostic::error(code, span),
        None => Diagnostic::placeless(code),
    }
    .label(label)
    .help(help)
}
