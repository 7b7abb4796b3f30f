//! A control repository's Puppetfile, as far as it is a list of modules: it is Ruby, which is never run.
//!
//! Accepted: `forge 'URL'`, `moduledir 'FOLDER'`, and `mod 'NAME'` with a version, `:latest`, or options with literal values.
//! Rejected at its place: anything else, such as `mod 'x', ENV['VERSION']` or an `if`.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::semver::Range;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::module::{Form, Need, Pick, Source, as_url, is_folder_name};
use crate::source::{FileId, Sources, Span};
use crate::world::World;

/// The index that is asked where none is named.
pub const FORGE: &str = "https://forgeapi.puppet.com";

/// The content of a Puppetfile.
#[derive(Debug, Default)]
pub struct Puppetfile {
    /// The index of modules without a repository.
    pub forge: String,
    /// Where modules go, relative to the file.
    pub folder: PathBuf,
    pub needs: Vec<Need>,
}

/// The author and the name in `author/name` or `author-name`.
pub fn parts(name: &str) -> Option<(&str, &str)> {
    let (author, module) = name.split_once(['/', '-'])?;
    let is_word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_word(author) && is_word(module)).then_some((author, module))
}

/// Where a Forge has a module; nothing for a name without an author.
pub fn forge_source(forge: &str, name: &str) -> Option<Source> {
    let (author, module) = parts(name)?;
    Some(Source::Archive { index: forge.into(), name: format!("{author}-{module}"), form: Form::Forge })
}

/// The API of a Forge that is named by its web site.
fn api(written: &str) -> String {
    match written.trim_end_matches('/') {
        "https://forge.puppet.com"
        | "http://forge.puppet.com"
        | "https://forge.puppetlabs.com"
        | "http://forge.puppetlabs.com" => FORGE.into(),
        other => other.into(),
    }
}

/// The limit on modules, because each is compared with the others.
const MOST: usize = 5000;

/// Reads a Puppetfile. Paths to repositories start at `base`. What is not understood is reported, and the rest is taken.
pub fn read(file: FileId, sources: &Sources, world: &dyn World, base: &Path, diags: &mut Diagnostics) -> Puppetfile {
    let text = &sources.file(file).text;
    let mut reader = Reader { text, at: 0, tokens: Vec::new() };
    reader.scan();
    let mut read = Puppetfile { forge: FORGE.into(), folder: "modules".into(), needs: Vec::new() };
    let mut mods = Vec::new();
    for line in reader.tokens.split(|(token, _)| *token == Token::Newline).filter(|line| !line.is_empty()) {
        match statement(line) {
            Ok(Statement::Forge(url)) => read.forge = api(&url),
            Ok(Statement::Folder(folder, (start, end))) if leads_out(Path::new(&folder)) => {
                diags
                    .push(wrong(Span::new(file, start, end), "`moduledir` leads out of the control repository".into()));
            }
            Ok(Statement::Folder(folder, _)) => read.folder = folder.into(),
            Ok(Statement::Mod(module)) => mods.push(module),
            Err((why, (start, end))) => diags.push(wrong(Span::new(file, start, end), why)),
        }
    }
    if let Some(module) = mods.get(MOST) {
        let span = Span::new(file, module.span.0, module.span.1);
        diags.push(wrong(span, format!("only the first {MOST} modules are read")));
    }
    let mut seen: BTreeMap<PathBuf, Span> = BTreeMap::new();
    for module in mods.into_iter().take(MOST) {
        let span = Span::new(file, module.span.0, module.span.1);
        match need(&module, &read.forge, world, base) {
            Ok(need) => match seen.get(&need.path) {
                Some(first) => diags.push(
                    wrong(span, format!("the module `{}` is listed twice", need.path.display()))
                        .related(*first, "first listed here"),
                ),
                None => {
                    seen.insert(need.path.clone(), span);
                    read.needs.push(Need { line: sources.place(span).line, ..need });
                }
            },
            Err(why) => diags.push(wrong(span, why)),
        }
    }
    read
}

/// Whether a path is not below the file's folder.
fn leads_out(path: &Path) -> bool {
    path.components().any(|part| matches!(part, Component::ParentDir | Component::RootDir | Component::Prefix(_)))
}

fn wrong(span: Span, why: String) -> Diagnostic {
    Diagnostic::error(Code::InvalidMetadata, span)
        .label(why)
        .help("a Puppetfile may hold `forge`, `moduledir` and `mod` lines with literal values")
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    /// `:git`
    Symbol(String),
    /// `git:`
    Key(String),
    Arrow,
    Comma,
    Open,
    Close,
    Newline,
    /// Why it is none of these.
    Other(&'static str),
}

type Placed = (Token, (usize, usize));

struct Reader<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Placed>,
}

const RUBY: &str = "this is Ruby code, which is not run";

impl Reader<'_> {
    fn scan(&mut self) {
        let mut depth = 0usize;
        while let Some(c) = self.text[self.at..].chars().next() {
            let start = self.at;
            self.at += c.len_utf8();
            let token = match c {
                // A line goes on behind a comma, an arrow, and in brackets.
                '\n' => match self.tokens.last() {
                    Some((Token::Comma | Token::Arrow | Token::Newline, _)) | None => continue,
                    Some(_) if depth > 0 => continue,
                    Some(_) => Token::Newline,
                },
                c if c.is_whitespace() => continue,
                '#' => {
                    self.at = self.text[start..].find('\n').map_or(self.text.len(), |end| start + end);
                    continue;
                }
                '\'' | '"' => self.string(c),
                ',' => Token::Comma,
                '(' => {
                    depth += 1;
                    Token::Open
                }
                ')' => {
                    depth = depth.saturating_sub(1);
                    Token::Close
                }
                '=' if self.text[self.at..].starts_with('>') => {
                    self.at += 1;
                    Token::Arrow
                }
                ':' if self.word_end() > self.at => {
                    let end = self.word_end();
                    let name = self.text[self.at..end].to_owned();
                    self.at = end;
                    Token::Symbol(name)
                }
                c if c.is_ascii_alphabetic() || c == '_' => {
                    let end = self.word_end();
                    let name = self.text[start..end].to_owned();
                    self.at = end;
                    let rest = &self.text[end..];
                    if rest.starts_with(':') && !rest.starts_with("::") {
                        self.at += 1;
                        Token::Key(name)
                    } else {
                        Token::Word(name)
                    }
                }
                _ => Token::Other(RUBY),
            };
            self.tokens.push((token, (start, self.at)));
        }
    }

    fn word_end(&self) -> usize {
        let rest = &self.text[self.at..];
        self.at + rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())
    }

    fn string(&mut self, quote: char) -> Token {
        let mut read = String::new();
        let mut letters = self.text[self.at..].char_indices();
        while let Some((at, c)) = letters.next() {
            match c {
                c if c == quote => {
                    self.at += at + 1;
                    let is_code = quote == '"' && read.contains("#{");
                    return if is_code {
                        Token::Other("this text holds Ruby code, which is not run")
                    } else {
                        Token::Text(read)
                    };
                }
                '\\' => read.extend(letters.next().map(|(_, c)| c)),
                '\n' => break,
                c => read.push(c),
            }
        }
        self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |end| self.at + end);
        Token::Other("this text has no closing quote")
    }
}

enum Statement {
    Forge(String),
    /// With the place of its text.
    Folder(String, (usize, usize)),
    Mod(Mod),
}

/// A `mod` line.
struct Mod {
    name: String,
    /// Of the name.
    span: (usize, usize),
    version: Option<Value>,
    options: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Symbol(String),
    Flag(bool),
    Nil,
}

type Wrong = (String, (usize, usize));

fn statement(line: &[Placed]) -> Result<Statement, Wrong> {
    let whole = (line.first().map_or(0, |(_, (start, _))| *start), line.last().map_or(0, |(_, (_, end))| *end));
    let Some(((Token::Word(word), _), mut rest)) = line.split_first() else { return Err((RUBY.into(), whole)) };
    if let [(Token::Open, _), inner @ .., (Token::Close, _)] = rest {
        rest = inner;
    }
    match (word.as_str(), rest) {
        ("forge", [(Token::Text(url), _)]) => Ok(Statement::Forge(url.clone())),
        ("moduledir", [(Token::Text(folder), place)]) => Ok(Statement::Folder(folder.clone(), *place)),
        ("mod", [(Token::Text(name), span), rest @ ..]) => module(name, *span, rest).map(Statement::Mod),
        ("forge" | "moduledir", [(Token::Text(_), _), (token, place), ..]) => Err((why(token), *place)),
        ("forge" | "moduledir" | "mod", [(token, place), ..]) => Err((why(token), *place)),
        ("forge" | "moduledir" | "mod", []) => Err((format!("`{word}` takes a text"), whole)),
        _ => Err((RUBY.into(), whole)),
    }
}

/// What is wrong with a token that is in the place of a literal.
fn why(token: &Token) -> String {
    match token {
        Token::Other(why) => (*why).into(),
        _ => RUBY.into(),
    }
}

fn module(name: &str, span: (usize, usize), mut rest: &[Placed]) -> Result<Mod, Wrong> {
    let mut module = Mod { name: name.into(), span, version: None, options: BTreeMap::new() };
    while let [(Token::Comma, comma), after @ ..] = rest {
        let (key, value, left) = match after {
            [(Token::Symbol(key), _), (Token::Arrow, _), value, left @ ..] => (Some(key), value, left),
            [(Token::Key(key), _), value, left @ ..] => (Some(key), value, left),
            [value, left @ ..] if module.version.is_none() && module.options.is_empty() => (None, value, left),
            [(_, place), ..] => return Err(("this is not an option of a module".into(), *place)),
            [] => return Err(("a value is missing after this comma".into(), *comma)),
        };
        let (token, place) = value;
        let value = match token {
            Token::Text(text) => Value::Text(text.clone()),
            Token::Symbol(name) => Value::Symbol(name.clone()),
            Token::Word(word) if word == "true" || word == "false" => Value::Flag(word == "true"),
            Token::Word(word) if word == "nil" => Value::Nil,
            token => return Err((why(token), *place)),
        };
        match key {
            Some(key) => drop(module.options.insert(key.clone(), value)),
            None => module.version = Some(value),
        }
        rest = left;
    }
    match rest {
        [] => Ok(module),
        [(token, place), ..] => Err((why(token), *place)),
    }
}

/// What a `mod` line asks for.
fn need(module: &Mod, forge: &str, world: &dyn World, base: &Path) -> Result<Need, String> {
    let folder = parts(&module.name).map_or(module.name.as_str(), |(_, folder)| folder);
    if !is_folder_name(folder) || folder.contains(['-', '.']) {
        return Err(format!("`{}` is not the name of a module", module.name));
    }
    let text = |key: &str| match module.options.get(key) {
        None => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text.as_str())),
        Some(Value::Symbol(name)) => {
            Err(format!("`{key}` is `:{name}`, which depends on the control repository's branch"))
        }
        Some(_) => Err(format!("`{key}` takes a text")),
    };
    let known = [
        "git",
        "tag",
        "branch",
        "ref",
        "commit",
        "default_branch",
        "install_path",
        "local",
        "type",
        "source",
        "version",
        "exclude_spec",
    ];
    if let Some(key) = module.options.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("the option `{key}` is not supported"));
    }
    let kind = match module.options.get("type") {
        Some(Value::Text(kind) | Value::Symbol(kind)) => Some(kind.as_str()),
        _ => None,
    };
    let is_git = kind == Some("git");
    let url = text("git")?.or(text("source")?.filter(|_| is_git));
    let need = Need {
        name: module.name.clone(),
        path: folder.into(),
        file: "Puppetfile".into(),
        folder: text("install_path")?.map(PathBuf::from),
        decides: true,
        ..Need::default()
    };
    if need.folder.as_ref().is_some_and(|path| leads_out(path)) {
        return Err("`install_path` leads out of the control repository".into());
    }
    if module.options.get("local") == Some(&Value::Flag(true)) || kind == Some("local") {
        return Ok(need);
    }
    if let Some(url) = url {
        let version = text("version")?.filter(|_| is_git);
        let named = [text("ref")?, text("tag")?, text("commit")?, text("branch")?, version, text("default_branch")?];
        let pick = named.into_iter().flatten().next().map_or(Pick::Default, |name| Pick::Reference(name.into()));
        let sources = vec![Source::Git { url: as_url(world, base, url), pick }];
        return Ok(Need { sources, ..need });
    }
    let version = module.version.clone().or(module.options.get("version").cloned());
    let range = match version {
        None | Some(Value::Nil) => String::new(),
        Some(Value::Symbol(name)) if name == "latest" => String::new(),
        Some(Value::Text(name)) if name == "latest" => String::new(),
        Some(Value::Text(version)) if Range::parse(&version).is_some() => version,
        Some(Value::Text(version)) => return Err(format!("`{version}` is not a version")),
        Some(_) => return Err("a version is a text or `:latest`".into()),
    };
    let source = forge_source(forge, &module.name).ok_or_else(|| {
        format!("`{}` names no author: write `author/{}`, or `:git => 'URL'`", module.name, module.name)
    })?;
    Ok(Need { range, sources: vec![source], ..need })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Stage;
    use crate::world::Memory;

    fn parsed(text: &str) -> (Puppetfile, Vec<(u32, String)>) {
        let (mut sources, mut diags) = (Sources::default(), Diagnostics::new(Stage::Module));
        let file = sources.add("Puppetfile", None, text);
        let read = read(file, &sources, &Memory::default(), Path::new("/site"), &mut diags);
        let line = |one: &Diagnostic| one.span.map_or(0, |span| sources.place(span).line);
        (read, diags.iter().map(|one| (line(one), one.label.clone())).collect())
    }

    #[test]
    fn the_literal_subset_is_read() {
        let text = "# our modules\nforge \"https://forge.puppet.com\"\nmoduledir 'thirdparty'\n\n\
            mod 'puppetlabs/stdlib', '9.7.0' # pinned\nmod('puppetlabs-ntp', :latest)\nmod 'site',\n  :git => 'git@h.example:o/site.git',\n  \
            # a comment between\n  :tag => 'v1'\nmod 'own', local: true\nmod 'c', git: '../c', branch: 'main', install_path: 'site'\n";
        let (read, wrong) = parsed(text);
        assert_eq!(wrong, []);
        assert_eq!((read.forge.as_str(), read.folder.to_str()), (FORGE, Some("thirdparty")));
        let forge = |name: &str| forge_source(FORGE, name);
        let git = |url: &str, name: &str| Some(Source::Git { url: url.into(), pick: Pick::Reference(name.into()) });
        let all: Vec<_> = read
            .needs
            .iter()
            .map(|n| (n.path.to_str().unwrap_or_default(), &*n.range, n.sources.first().cloned(), n.line))
            .collect();
        assert_eq!(
            all,
            [
                ("stdlib", "9.7.0", forge("puppetlabs/stdlib"), 5),
                ("ntp", "", forge("puppetlabs/ntp"), 6),
                ("site", "", git("ssh://git@h.example/o/site.git", "v1"), 7),
                ("own", "", None, 11),
                ("c", "", git("file:///c", "main"), 12),
            ]
        );
    }

    #[test]
    fn anything_else_is_an_error_at_its_place() {
        let wrong = |text| parsed(text).1;
        let ruby = |line| vec![(line, RUBY.to_owned())];
        assert_eq!(wrong("mod 'a/b', '1.0.0'\nmod 'a/c', ENV['V']\n"), ruby(2));
        assert_eq!(wrong("if true\n"), ruby(1));
        assert_eq!(wrong("require 'x'\n"), ruby(1));
        assert_eq!(wrong("\nsystem(\"rm -rf /\")\n"), ruby(2));
        assert_eq!(wrong("mod 'a/b', \"#{v}\"\n"), [(1, "this text holds Ruby code, which is not run".into())]);
        assert_eq!(wrong("mod 'b'\n").len(), 1);
        assert_eq!(wrong("mod '../x', :git => 'https://h/x'\n").len(), 1);
        assert_eq!(wrong("mod 'x', :svn => 'https://h/x'\n"), [(1, "the option `svn` is not supported".into())]);
        assert_eq!(wrong("mod 'x', :git => 'https://h/x', :branch => :control_branch\n").len(), 1);
        assert_eq!(wrong("mod 'x', :git => 'https://h/x', :install_path => '../..'\n").len(), 1);
        assert_eq!(wrong("mod 'a/x', 'new'\nmod 'a/y', '1.0.0'\nmod 'b/y', '1.0.0'\nmod 'z").len(), 3);
        assert_eq!(wrong("mod\n").len() + wrong("mod 'a/b',").len() + wrong("mod 'a/b' 'c'").len(), 3);
    }
}
