//! Adds an import to an mcl file: checks its name, and finds its line.

use std::path::{Path, PathBuf};

use super::ast::{Ast, ImportAlias, Stmt, StmtKind};
use super::builtin::{is_module, modules as builtin_modules};
use super::parser;
use crate::diag::{Code, Diagnostic, Diagnostics, Stage, nearest};
use crate::fetch::GitUrl;
use crate::lang::{ImportEdit, NewImport, Report};
use crate::module::{EntryPoint, ImportKind, clean, load_text, parse_import};
use crate::source::{FileId, Sources};
use crate::world::{PathKind, World};

/// The file with an additional import.
pub fn plan_import(world: &dyn World, entry: &EntryPoint, wanted: &NewImport) -> Result<ImportEdit, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
    let refuse = |sources: Sources, label: String, help: &str| {
        let mut diagnostics = Diagnostics::new(Stage::Module);
        diagnostics.push(Diagnostic::placeless(Code::ImportNotAdded).label(label).help(help));
        Box::new(Report { sources, diagnostics })
    };
    let name = wanted.name.as_str();
    let import = match judge(name) {
        Ok(import) => import,
        Err((why, help)) => return Err(refuse(sources, format!("`{name}`: {why}"), &help)),
    };
    let alias = wanted.alias.clone().unwrap_or_else(|| import.clone());
    let Some(path) = wanted.file.clone().or_else(|| entry.file.clone()) else {
        let help = "pass a file with `--in`, or use a file or module folder as the entry";
        return Err(refuse(sources, "the entry is not a file that can be changed".into(), help));
    };
    let Some(file) = load_text(world, &path, None, &mut sources, &mut diagnostics) else {
        return Err(Box::new(Report { sources, diagnostics }));
    };
    let beside = |below: &Path| clean(&path.parent().unwrap_or(Path::new("")).join(below));
    if let Some(there) = local_path(name).map(|below| beside(&below))
        && world.kind(&there) == PathKind::Missing
    {
        return Err(refuse(sources, format!("`{name}`: {} does not exist", there.display()), "create it first"));
    }
    let before = sources.file(file).text.to_string();
    let Some(imports) = top_imports(file, &before, &mut diagnostics) else {
        return Err(Box::new(Report { sources, diagnostics }));
    };
    let place = |line: u32| format!("{}:{line}", path.display());
    for there in &imports.all {
        let line = sources.place(there.name_span).line;
        if there.name.trim_end_matches('/') == name.trim_end_matches('/') {
            return Err(refuse(sources, format!("`{name}` is already imported at {}", place(line)), "use that import"));
        }
        if there.alias.as_ref() == Some(&alias) {
            let label = format!("`{alias}` is already the name of the import at {}", place(line));
            return Err(refuse(sources, label, "use another name: `--as NAME`"));
        }
    }
    let statement = match &wanted.alias {
        Some(alias) => format!("import \"{name}\" as {alias}"),
        None => format!("import \"{name}\""),
    };
    let (line, after) = imports.insert(&before, &statement);
    let edit = ImportEdit { name: name.into(), path, line, statement, before, after };
    // An unexpected problem appears here, and not in the user's file.
    let mut faults = Diagnostics::new(Stage::Parse);
    let count = top_imports(file, &edit.after, &mut faults).map(|now| now.all.len());
    if count != Some(imports.all.len() + 1) {
        let label = format!("`{}` cannot be added to {}", edit.statement, edit.path.display());
        return Err(refuse(sources, label, "add it by hand, then run `workbench download`"));
    }
    Ok(edit)
}

/// The path of a local import, from the folder of its file.
fn local_path(name: &str) -> Option<PathBuf> {
    match parse_import(name).ok()?.kind {
        ImportKind::LocalFile(path) | ImportKind::LocalFolder(path) => Some(path),
        ImportKind::System(_) | ImportKind::Remote { .. } => None,
    }
}

/// Checks an import's name. Returns the default name of its contents; or the problem and the help.
pub fn judge(name: &str) -> Result<String, (String, String)> {
    if name.chars().any(|c| matches!(c, '"' | '\\' | '$') || crate::source::is_hostile(c)) {
        return Err(("it contains characters that need an escape".into(), "add it by hand".into()));
    }
    let import = parse_import(name).map_err(|why| {
        let help = "use for example `https://host/path/`, `folder/`, `file.mcl` or `golang/strings`";
        (why.to_owned(), help.to_owned())
    })?;
    if matches!(&import.kind, ImportKind::System(name) if name.starts_with("..")) {
        return Err(("not a built-in module".into(), "a folder ends in `/`, a file in `.mcl`".into()));
    }
    if let ImportKind::System(module) = &import.kind
        && !is_module(module)
    {
        let near = nearest(module, builtin_modules()).map(|near| format!("did you mean `{near}`? "));
        let help = "a git import looks like `https://host/path/`, a folder ends in `/`";
        return Err(("no such built-in module".into(), near.unwrap_or_default() + help));
    }
    if let ImportKind::Remote { .. } = import.kind {
        GitUrl::parse(name).map_err(|error| (error.to_string(), error.help().to_owned()))?;
    }
    Ok(import.alias)
}

/// An import at the top of a file.
struct There {
    name: String,
    name_span: crate::source::Span,
    /// `None` for `as *`.
    alias: Option<String>,
}

/// The parts of a file that matter for a new import.
struct TopImports {
    all: Vec<There>,
    /// The byte after the last one.
    end: Option<usize>,
    /// The byte where the first statement starts, with its comment.
    first: Option<usize>,
}

/// Reads a file's imports; `None` if its syntax is wrong.
fn top_imports(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<TopImports> {
    let (mut ast, before) = (Ast::default(), diagnostics.error_count());
    let parsed = parser::parse(&mut ast, file, text, diagnostics);
    if diagnostics.error_count() > before {
        return None;
    }
    let stmts: Vec<&Stmt> = ast.blocks[parsed.body].stmts.iter().map(|id| &ast.stmts[*id]).collect();
    let there = |stmt: &&Stmt| match &stmt.kind {
        StmtKind::Import { name, name_span, alias } => Some(There {
            name: name.to_string(),
            name_span: *name_span,
            alias: match alias {
                ImportAlias::None => parse_import(name).ok().map(|import| import.alias),
                ImportAlias::As(name) => Some(name.text.to_string()),
                ImportAlias::Star => None,
            },
        }),
        _ => None,
    };
    let is_import = |stmt: &&&Stmt| matches!(stmt.kind, StmtKind::Import { .. });
    let first = stmts.first().map(|stmt| {
        let mut start = line_start(text, stmt.span.start as usize);
        // Comments directly above belong to it, unless they are the head of the file.
        for comment in parsed.comments.iter().rev().map(|comment| line_start(text, comment.start as usize)) {
            let is_above = comment < start && text[comment..start].lines().count() == 1;
            if is_above && text[comment..].trim_start().starts_with('#') {
                start = comment;
            }
        }
        if start == 0 { line_start(text, stmt.span.start as usize) } else { start }
    });
    Some(TopImports {
        all: stmts.iter().filter_map(there).collect(),
        end: stmts.iter().rfind(is_import).map(|stmt| stmt.span.end as usize),
        first,
    })
}

impl TopImports {
    /// The text with an additional statement, and its line: after the last import, or at the start.
    fn insert(&self, text: &str, statement: &str) -> (usize, String) {
        let at = match (self.end, self.first) {
            (Some(end), _) => text[end..].find('\n').map_or(text.len(), |at| end + at + 1),
            (None, Some(first)) => first,
            (None, None) => text.len(),
        };
        let (head, tail) = text.split_at(at);
        let break_before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        // A blank line separates it from other statements.
        let gap = if self.end.is_none() && self.first.is_some() { "\n" } else { "" };
        let gap_before = if self.all.is_empty() && self.first.is_none() && !head.trim().is_empty() { "\n" } else { "" };
        let head = format!("{head}{break_before}{gap_before}");
        (head.lines().count() + 1, format!("{head}{statement}\n{gap}{tail}"))
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> (usize, String) {
        let mut diagnostics = Diagnostics::new(Stage::Parse);
        let file = Sources::default().add("main.mcl", None, text);
        let imports = top_imports(file, text, &mut diagnostics).expect("it parses");
        imports.insert(text, "import \"https://h/x/\"")
    }

    #[test]
    fn the_line_is_where_imports_are() {
        let new = "import \"https://h/x/\"";
        assert_eq!(added(""), (1, format!("{new}\n")));
        assert_eq!(added("$a = 1\n"), (1, format!("{new}\n\n$a = 1\n")));
        assert_eq!(added("# head\n\n# of a\n$a = 1\n"), (3, format!("# head\n\n{new}\n\n# of a\n$a = 1\n")));
        assert_eq!(added("# head\n$a = 1\n"), (2, format!("# head\n{new}\n\n$a = 1\n")));
        assert_eq!(added("# only this\n"), (3, format!("# only this\n\n{new}\n")));
        assert_eq!(
            added("import \"fmt\" # said\n\n$a = 1\n"),
            (2, format!("import \"fmt\" # said\n{new}\n\n$a = 1\n"))
        );
        assert_eq!(added("import \"fmt\""), (2, format!("import \"fmt\"\n{new}\n")));
    }

    #[test]
    fn names_that_cannot_be_written_are_refused() {
        for name in ["https://h/x\"y/", "https://u:p@h/x/", "ext::sh://h/x/", "${x}/", "/etc/", "a\u{202e}b/"] {
            assert!(judge(name).is_err(), "{name}");
        }
        assert!(judge("not a url").is_err() && judge("golang/string").is_err_and(|(_, help)| help.contains("strings")));
        assert_eq!(judge("https://h/mgmt-site/").as_deref(), Ok("site"));
    }
}
