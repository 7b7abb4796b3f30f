//! Imports added to the user's own source by one line, and modules removed that nobody imports any more.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::download::{Around, DownloadOptions, NotFetched, no_cache, places};
use super::{Report, Session, modules, replace_file};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage, nearest};
use crate::fetch::{self, FetchError, GitUrl, Lock, Summary, Unused};
use crate::lang::mcl::ast::{Ast, ImportAlias, Stmt, StmtKind};
use crate::lang::mcl::builtin::{is_module, modules as builtin_modules};
use crate::lang::mcl::parser;
use crate::module::{ImportKind, clean, load_text, module_tree, parse_import, unheard};
use crate::source::{FileId, Sources};
use crate::world::{Cancel, PathKind};

/// An import that the user wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewImport {
    /// As it will stand in the statement.
    pub name: String,
    /// The file to add it to; the entry's own where none is named.
    pub file: Option<PathBuf>,
    /// `as` this; by the last part of its name otherwise.
    pub alias: Option<String>,
}

/// One line more in a file, not written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportEdit {
    pub name: String,
    pub path: PathBuf,
    /// Where the new line stands, from 1.
    pub line: usize,
    /// The statement, without its line break.
    pub statement: String,
    pub before: String,
    pub after: String,
}

impl ImportEdit {
    /// What its name says and nobody hears, with what to write instead.
    pub fn warning(&self) -> Option<String> {
        unheard(&self.name).map(|(words, help)| format!("{words}; {help}"))
    }

    /// The new line between those around it, each with `+` or a space before it.
    pub fn diff(&self) -> Vec<String> {
        const AROUND: usize = 2;
        let lines: Vec<&str> = self.after.lines().collect();
        let at = self.line - 1;
        let shown = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
        shown.map(|line| format!("{} {}", if line == at { '+' } else { ' ' }, lines[line])).collect()
    }
}

impl Session {
    /// How a file would look with one import more.
    pub fn plan_import(&self, wanted: &NewImport) -> Result<ImportEdit, Box<Report>> {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
        let refuse = |sources: Sources, label: String, help: &str| {
            let mut diagnostics = Diagnostics::new(Stage::Module);
            diagnostics.push(Diagnostic::placeless(Code::ImportNotAdded).label(label).help(help));
            Box::new(Report { sources, diagnostics })
        };
        if self.options.bundle.is_some() {
            return Err(refuse(
                sources,
                "a bundle is as it was made".into(),
                "add it to the program, and bundle it again",
            ));
        }
        let name = wanted.name.as_str();
        let import = match judge(name) {
            Ok(import) => import,
            Err((why, help)) => return Err(refuse(sources, format!("`{name}`: {why}"), &help)),
        };
        let alias = wanted.alias.clone().unwrap_or_else(|| import.clone());
        let Some(path) = wanted.file.clone().or_else(|| self.entry.file.clone()) else {
            let help = "name a file with `--in`, or start from a file or a module's folder";
            return Err(refuse(sources, "the entry is no file that a line could be added to".into(), help));
        };
        let Some(file) = load_text(&*self.world, &path, None, &mut sources, &mut diagnostics) else {
            return Err(Box::new(Report { sources, diagnostics }));
        };
        let beside = |below: &Path| clean(&path.parent().unwrap_or(Path::new("")).join(below));
        if let Some(there) = lies_beside(name).map(|below| beside(&below))
            && self.world.kind(&there) == PathKind::Missing
        {
            return Err(refuse(sources, format!("`{name}`: nothing lies at {}", there.display()), "make it first"));
        }
        let before = sources.file(file).text.to_string();
        let Some(imports) = top_imports(file, &before, &mut diagnostics) else {
            return Err(Box::new(Report { sources, diagnostics }));
        };
        let place = |line: u32| format!("{}:{line}", path.display());
        for there in &imports.all {
            let line = sources.place(there.name_span).line;
            if there.name.trim_end_matches('/') == name.trim_end_matches('/') {
                return Err(refuse(
                    sources,
                    format!("`{name}` is imported at {} already", place(line)),
                    "use it from there",
                ));
            }
            if there.alias.as_ref() == Some(&alias) {
                let label = format!("`{alias}` is the name of another import, at {}", place(line));
                return Err(refuse(sources, label, "give this one a name of its own: `--as NAME`"));
            }
        }
        let statement = match &wanted.alias {
            Some(alias) => format!("import \"{name}\" as {alias}"),
            None => format!("import \"{name}\""),
        };
        let (line, after) = imports.insert(&before, &statement);
        let edit = ImportEdit { name: name.into(), path, line, statement, before, after };
        // Whatever was not thought of shows here, and not in the user's file.
        let mut faults = Diagnostics::new(Stage::Parse);
        let count = top_imports(file, &edit.after, &mut faults).map(|now| now.all.len());
        if count != Some(imports.all.len() + 1) {
            let label = format!("`{}` cannot stand in {}", edit.statement, edit.path.display());
            return Err(refuse(sources, label, "write it there by hand, and run `workbench download`"));
        }
        Ok(edit)
    }

    /// Fetches what an import leads to, and then adds it: both or neither.
    pub fn add_import(
        &self,
        edit: &ImportEdit,
        options: &DownloadOptions,
        around: Around<'_>,
    ) -> Result<Summary, Box<NotFetched>> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            NotFetched::because(
                Diagnostic::placeless(Code::ImportNotAdded)
                    .label(format!("{what}: {error}"))
                    .help("make room or change the permissions, and try again"),
            )
        };
        let is_remote = matches!(parse_import(&edit.name).map(|import| import.kind), Ok(ImportKind::Remote { .. }));
        let summary = if is_remote {
            let draft = tempfile::NamedTempFile::new().and_then(|mut file| {
                file.write_all(edit.after.as_bytes())?;
                Ok(file)
            });
            let draft = draft.map_err(|error| failed("a draft cannot be kept", &error))?;
            self.download_with(options, Some((&edit.path, draft.path())), around)?
        } else {
            Summary::default()
        };
        let shown = edit.path.display().to_string();
        match modules::read_source(&shown) {
            Ok(now) if now == edit.before => {}
            _ => return Err(failed(&shown, &"it was changed meanwhile, and was left alone")),
        }
        replace_file(&shown, &edit.after).map_err(|error| failed(&shown, &error))?;
        Ok(summary)
    }

    /// What would be removed because nobody imports it, and what stays all the same.
    pub fn plan_pruning(&self) -> Result<Pruning, FetchError> {
        let lock = Lock::read(&self.entry.base).map_err(|error| FetchError::disk(&self.entry.base, error))?;
        let search: Vec<PathBuf> = self.search_path().into_iter().map(|folder| folder.path).collect();
        let imported = self.imported()?;
        let unused = fetch::unused(&self.entry.base, &lock, &search, &imported)?;
        let known: Vec<PathBuf> =
            fetch::verify(&self.entry.base, &lock, &search)?.into_iter().map(|m| m.path).collect();
        let is_known = |path: &PathBuf| imported.contains(path) || known.contains(path);
        let foreign = search.iter().flat_map(|folder| modules_below(folder, &is_known)).collect();
        Ok(Pruning { unused, foreign })
    }

    /// Removes what was planned, as far as it is still so. Gives what was removed.
    pub fn prune_modules(&self, pruning: &Pruning, cancel: &Cancel) -> Result<Vec<Unused>, FetchError> {
        let no_home = || FetchError::disk(&self.entry.base, no_cache().label);
        let (_, cache) = places().ok_or_else(no_home)?;
        let search: Vec<PathBuf> = self.search_path().into_iter().map(|folder| folder.path).collect();
        fetch::prune(&self.entry.base, &cache, &search, &self.imported()?, &pruning.unused, cancel)
    }

    /// Where all modules that somebody imports lie, or would. Refused where a file cannot be read whole: what it imports
    /// would count as unused.
    fn imported(&self) -> Result<Vec<PathBuf>, FetchError> {
        let broken = std::cell::RefCell::new(None);
        let scan = |file: FileId, sources: &Sources| {
            let mut diagnostics = Diagnostics::new(Stage::Parse);
            let imports = modules::imports_told(file, sources, &mut diagnostics);
            if diagnostics.has_errors() {
                broken.borrow_mut().get_or_insert_with(|| "a file of the program has syntax errors".to_owned());
            }
            imports
        };
        let tree = module_tree(&*self.world, &self.entry, &self.search_path(), &scan);
        match broken.take() {
            Some(why) => {
                let why = why + ": what it imports is not known (see `check`)";
                Err(FetchError::disk(Path::new(&self.entry.shown), why))
            }
            None => Ok(tree.modules.into_iter().skip(1).map(|module| module.path).collect()),
        }
    }
}

/// The path that a local import names, from the folder of the file it stands in.
fn lies_beside(name: &str) -> Option<PathBuf> {
    match parse_import(name).ok()?.kind {
        ImportKind::LocalFile(path) | ImportKind::LocalFolder(path) => Some(path),
        ImportKind::System(_) | ImportKind::Remote { .. } => None,
    }
}

/// What a removal of unused modules would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruning {
    pub unused: Vec<Unused>,
    /// Modules in the module path that were not fetched by us: they stay.
    pub foreign: Vec<PathBuf>,
}

impl Pruning {
    pub fn goes(&self) -> impl Iterator<Item = &Unused> {
        self.unused.iter().filter(|unused| unused.goes())
    }

    /// What goes, a line each.
    pub fn removals(&self) -> Vec<String> {
        let line = |unused: &Unused| match &unused.path {
            Some(path) => format!("- {}  {}", path.display(), unused.locked.import),
            None => format!("- {}  {} (only its entry in the lock is left)", unused.locked.path, unused.locked.import),
        };
        self.goes().map(line).collect()
    }

    /// What stays though nobody imports it, and why, a line each.
    pub fn kept(&self) -> Vec<String> {
        let why = |unused: &Unused| match &unused.fate {
            fetch::Fate::Goes => None,
            fetch::Fate::Edited => Some("it was edited since it was fetched".into()),
            fetch::Fate::Checkout => Some("it is a checkout of your own".into()),
            fetch::Fate::Around(inner) => Some(format!("{} lies in it", inner.display())),
        };
        let kept = self.unused.iter().filter_map(|unused| {
            let path = unused.path.as_ref()?;
            Some(format!("  stays: {}, {}", path.display(), why(unused)?))
        });
        let foreign = self.foreign.iter().map(|path| format!("  stays: {}, no download put it there", path.display()));
        kept.chain(foreign).collect()
    }
}

/// An import's name that may be written down. Gives the name by which its contents are reached; or why not, and what to do.
pub(super) fn judge(name: &str) -> Result<String, (String, String)> {
    if name.chars().any(|c| matches!(c, '"' | '\\' | '$') || crate::source::is_hostile(c)) {
        return Err(("it holds characters that a string would need an escape for".into(), "write it by hand".into()));
    }
    let import = parse_import(name).map_err(|why| {
        let help = "such as `https://host/path/`, `folder/`, `file.mcl` or `golang/strings`";
        (why.to_owned(), help.to_owned())
    })?;
    if matches!(&import.kind, ImportKind::System(name) if name.starts_with("..")) {
        return Err(("it is no name of the language's own".into(), "a folder ends in `/`, a file in `.mcl`".into()));
    }
    if let ImportKind::System(module) = &import.kind
        && !is_module(module)
    {
        let near = nearest(module, builtin_modules()).map(|near| format!("did you mean `{near}`? "));
        let help = "a git import is such as `https://host/path/`, a folder ends in `/`";
        return Err(("there is no such system module".into(), near.unwrap_or_default() + help));
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

/// What matters of a file for a new import.
struct TopImports {
    all: Vec<There>,
    /// The byte behind the last one.
    end: Option<usize>,
    /// The byte at which the first statement begins, with the comment that belongs to it.
    first: Option<usize>,
}

/// Reads a file's imports; nothing where its syntax is not right.
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
        // Comments right above belong to it, unless they are the head of the file.
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
    /// The text with a statement more, and the line that it stands on: behind the last import, or before all else.
    fn insert(&self, text: &str, statement: &str) -> (usize, String) {
        let at = match (self.end, self.first) {
            (Some(end), _) => text[end..].find('\n').map_or(text.len(), |at| end + at + 1),
            (None, Some(first)) => first,
            (None, None) => text.len(),
        };
        let (head, tail) = text.split_at(at);
        let break_before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        // What is no import is parted from them.
        let gap = if self.end.is_none() && self.first.is_some() { "\n" } else { "" };
        let gap_before = if self.all.is_empty() && self.first.is_none() && !head.trim().is_empty() { "\n" } else { "" };
        let head = format!("{head}{break_before}{gap_before}");
        (head.lines().count() + 1, format!("{head}{statement}\n{gap}{tail}"))
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |line| line + 1)
}

/// The outermost folders below another that hold a module, and that nobody knows.
#[expect(clippy::disallowed_methods, reason = "the user asked what of the module path could be removed")]
fn modules_below(folder: &Path, is_known: &dyn Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
    const DEPTH: usize = 6;
    const MOST: usize = 50;
    let (mut found, mut folders) = (Vec::new(), vec![(folder.to_path_buf(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if found.len() >= MOST || is_hidden || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if !is_known(&path) && path.join("metadata.yaml").is_file() {
                found.push(path);
            } else if depth < DEPTH {
                folders.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found
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
    fn the_line_stands_where_imports_stand() {
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
