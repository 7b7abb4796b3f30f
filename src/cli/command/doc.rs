//! `workbench doc`: documentation of resource kinds and functions.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cli::args::{Entry, Global, Work};
use crate::cli::complete;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::{open, open_unreported};
use crate::cli::paint::Role;
use crate::module::LanguageName;
use crate::session::doc::{self, Doc, FieldType, MetaDefault, MetaParameter, Parameter, Schema};
use crate::session::{Cancel, DeclaredKind, DeclaredParam, Here, Origin};
use crate::source::{Place, printable};

/// Show documentation of a resource kind or function
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench doc file\n  workbench doc strings.to_lower\n  workbench doc '$hostname'\n  \
                  workbench doc main.mcl:3:7\n  \
                  workbench doc --ruby-type lib/puppet/type/file_line.rb\n  workbench doc"
)]
pub struct DocCommand {
    /// Kind, function, function module, variable, or ENTRY:LINE:COLUMN for the symbol at that place [default: list all]
    #[arg(value_name = "NAME", add = complete::names())]
    pub name: Option<String>,
    /// Print the resource types of a Ruby file in the Puppet language, without running the file
    #[arg(long, value_name = "FILE.rb", conflicts_with_all = ["name", "format"])]
    pub ruby_type: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: DocFormat,
    #[command(flatten)]
    pub work: Work,
}

/// The forms of `doc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DocFormat {
    #[default]
    Text,
    Json,
}

impl DocCommand {
    /// Prints the documentation of a name, of the symbol at a place, or the list of all names.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        if let Some(file) = &self.ruby_type {
            return ruby_type(face, file);
        }
        let Some(name) = &self.name else {
            return if self.format == DocFormat::Json { list_json(face, global.lang) } else { list(face, global.lang) };
        };
        if let Some((entry, place)) = place(name) {
            return self.here(face, global, entry, place);
        }
        let wanted = global.lang;
        let found = doc::doc(name, wanted);
        if let (DocFormat::Json, Some(found)) = (self.format, &found) {
            writeln!(face.out, "{}", json(found))?;
            return Ok(Exit::Done);
        }
        match found {
            Some(Doc::Declared(kind)) => declared_kind(face, &kind, self.format)?,
            Some(Doc::Kind(schema)) => kind(face, schema)?,
            Some(Doc::Function(function)) => {
                for signature in &function.signatures {
                    let signature = signature.strip_prefix("func").unwrap_or(signature);
                    writeln!(face.out, "{}{signature}", face.paint.role(Role::Name, &function.name))?;
                }
                writeln!(face.out, "\n{}", function.doc)?;
                for (call, gives) in &function.examples {
                    writeln!(face.out, "\n  {call}\n  {}", face.paint.role(Role::Quiet, format!("= {gives}")))?;
                }
            }
            Some(Doc::Variable(variable)) => {
                writeln!(face.out, "{} {}\n\n{}", face.paint.role(Role::Name, name), variable.ty, variable.doc)?;
            }
            Some(Doc::Module(module, names)) => {
                writeln!(face.out, "import {module:?}\n")?;
                names.iter().try_for_each(|name| writeln!(face.out, "  {module}.{name}"))?;
            }
            None => {
                let declared = self.declared(face, global);
                if let Some(kind) = declared.iter().find(|kind| *kind.name == **name) {
                    return declared_kind(face, kind, self.format).map(|()| Exit::Done);
                }
                let help = doc::near_doc(name, wanted, &declared)
                    .map_or("`workbench doc` lists all kinds and functions".into(), |near| {
                        format!("did you mean `{near}`?")
                    });
                let message = format!("`{}` is neither a kind nor a function", printable(name));
                return Ok(face.refuse(&message, &help));
            }
        }
        Ok(Exit::Done)
    }

    /// The kinds that the program in the current folder declares, if there is one.
    fn declared(&self, face: &Face, global: &Global) -> Vec<DeclaredKind> {
        let entry = Entry { entry: None, work: self.work.clone(), ..Entry::default() };
        match open_unreported(face, global, &entry, false) {
            Ok(Ok(session)) => session.declared_kinds(&Cancel::default()),
            _ => Vec::new(),
        }
    }

    /// The symbol at a place of a program.
    fn here(&self, face: &mut Face, global: &Global, entry: &str, place: (u32, u32)) -> io::Result<Exit> {
        let entry = Entry { entry: Some(entry.to_string()), work: self.work.clone(), ..Entry::default() };
        let session = match open(face, global, &entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let Some(here) = session.here(None, place, &Cancel::default()) else {
            let message = format!("no symbol at line {}, column {}", place.0, place.1);
            return Ok(face.refuse(&message, "lines and columns count from 1; point at a name"));
        };
        if self.format == DocFormat::Json {
            writeln!(face.out, "{}", json_here(&here))?;
            return Ok(Exit::Done);
        }
        write!(face.out, "{} {}", here.what, face.paint.role(Role::Name, printable(&here.name)))?;
        writeln!(face.out, "{}", here.ty.as_ref().map_or(String::new(), |ty| format!("  {}", printable(ty))))?;
        if let Some(words) = &here.undefined {
            writeln!(face.out, "\n{}", printable(words))?;
        }
        if !here.doc.is_empty() {
            writeln!(face.out, "\n{}", printable_lines(&here.doc))?;
        }
        if let Some(merged) = &here.merged {
            writeln!(face.out, "\nvalue {}, merged from several levels", printable(merged))?;
        }
        for (at, Origin { place, level, value }) in here.data.iter().enumerate() {
            let is_merged = here.merged.is_some();
            let what = if is_merged {
                "from".to_owned()
            } else if at == 0 {
                format!("\nvalue {} from", printable(value))
            } else {
                "also in".to_owned()
            };
            let value = if at == 0 && !is_merged { String::new() } else { format!(": {}", printable(value)) };
            let level = printable(level);
            writeln!(face.out, "{what} {}:{}, level {level}{value}", printable(&place.file), place.line)?;
        }
        if let Some(place) = &here.defined {
            writeln!(face.out, "\ndefined at {}", printable(&place.to_string()))?;
        }
        here.uses.iter().try_for_each(|place| writeln!(face.out, "used at {}", printable(&place.to_string())))?;
        Ok(Exit::Done)
    }
}

/// The types of a Ruby file in the Puppet language.
fn ruby_type(face: &mut Face, file: &Path) -> io::Result<Exit> {
    match doc::foreign_types(file) {
        Ok(text) => write!(face.out, "{text}").map(|()| Exit::Done),
        Err(why) => Ok(face.refuse(&why, "name a file of lib/.../type in a module")),
    }
}

/// `ENTRY:LINE:COLUMN`
fn place(text: &str) -> Option<(&str, (u32, u32))> {
    let (rest, column) = text.rsplit_once(':')?;
    let (entry, line) = rest.rsplit_once(':')?;
    Some((entry, (line.parse().ok()?, column.parse().ok()?)))
}

fn printable_lines(text: &str) -> String {
    text.lines().map(|line| printable(line).to_string()).collect::<Vec<_>>().join("\n")
}

fn json_here(here: &Here) -> Value {
    let place = |place: &Place| json!({"file": &*place.file, "line": place.line, "column": place.column});
    let data = |origin: &Origin| {
        let Origin { place, level, value } = origin;
        json!({"file": &*place.file, "line": place.line, "level": level, "value": value})
    };
    let mut all = json!({
        "what": here.what,
        "name": here.name,
        "type": here.ty,
        "doc": here.doc,
        "place": place(&here.place),
        "defined": here.defined.as_ref().map(place),
        "undefined": here.undefined,
        "data": here.data.first().map(data),
        "other_data": here.data.iter().skip(1).map(data).collect::<Vec<_>>(),
        "uses": here.uses.iter().map(place).collect::<Vec<_>>(),
    });
    if let Some(merged) = &here.merged {
        all["value"] = json!(merged);
    }
    all
}

fn json(found: &Doc) -> Value {
    match found {
        Doc::Kind(schema) => json!({
            "kind": schema.kind,
            "implemented": schema.is_implemented(),
            "doc": schema.doc,
            "params": schema.params.iter().map(|param| {
                json!({
                    "name": param.name,
                    "type": param.ty.to_string(),
                    "optional": param.optional,
                    "default": param.default,
                    "doc": param.doc,
                })
            }).collect::<Vec<_>>(),
            "meta": doc::meta_parameters().iter().map(|meta| {
                json!({"name": meta.name, "type": meta.ty.to_string(), "default": default_text(meta), "doc": meta.doc})
            }).collect::<Vec<_>>(),
            "sends": schema.sends.iter().map(|(name, ty)| {
                json!({"name": name, "type": ty.to_string()})
            }).collect::<Vec<_>>(),
            "receives": schema.receives,
            "refresh": schema.refresh,
            "example": doc::example(schema.kind),
        }),
        Doc::Function(function) => json!({
            "function": function.name,
            "signatures": function.signatures,
            "doc": function.doc,
            "examples": function.examples.iter().map(|(call, gives)| json!({"call": call, "gives": gives})).collect::<Vec<_>>(),
        }),
        Doc::Variable(variable) => json!({"variable": variable.name, "type": variable.ty, "doc": variable.doc}),
        Doc::Declared(kind) => declared_json(kind),
        Doc::Module(module, names) => json!({"module": module, "functions": names}),
    }
}

/// The default of a meta parameter, in mcl syntax.
fn default_text(meta: &MetaParameter) -> String {
    match meta.default {
        MetaDefault::Bool(value) => value.to_string(),
        MetaDefault::Int(value) => value.to_string(),
        MetaDefault::Float(value) if value.is_infinite() => "no limit".to_string(),
        MetaDefault::Float(value) => value.to_string(),
        MetaDefault::EmptyList => "[]".to_string(),
    }
}

fn list(face: &mut Face, wanted: Option<LanguageName>) -> io::Result<Exit> {
    writeln!(face.out, "{}", face.paint.role(Role::Title, "Resource kinds"))?;
    let width = doc::kinds().iter().map(|schema| schema.kind.len()).max().unwrap_or_default();
    for schema in doc::kinds() {
        let about = first_sentence(schema.doc);
        let missing = if schema.is_implemented() { "" } else { " (no implementation here)" };
        writeln!(face.out, "  {:width$}  {about}{}", schema.kind, face.paint.role(Role::Quiet, missing))?;
    }
    let types = wanted.map(doc::types).unwrap_or_default();
    if !types.is_empty() {
        writeln!(face.out, "\n{}", face.paint.role(Role::Title, "Types of the language"))?;
        let width = types.iter().map(|ty| ty.name.len()).max().unwrap_or_default();
        for ty in &types {
            writeln!(face.out, "  {:width$}  {}", ty.name, first_sentence(&ty.doc))?;
        }
    }
    writeln!(face.out, "\n{}", face.paint.role(Role::Title, "Functions"))?;
    let rows: Vec<_> = doc::functions(wanted).map(|f| (f.name, first_sentence(&f.doc).to_owned())).collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, about) in &rows {
        writeln!(face.out, "  {name:width$}  {about}")?;
    }
    face.out.flush()?;
    let missing = doc::kinds().iter().filter(|schema| !schema.is_implemented()).count();
    let kinds = count(doc::kinds().len(), "kind");
    face.note(format!("{kinds}, {missing} of them without an implementation here; {}", count(rows.len(), "function")));
    Ok(Exit::Done)
}

/// The list as JSON; a single name gives more detail.
fn list_json(face: &mut Face, wanted: Option<LanguageName>) -> io::Result<Exit> {
    let row = |name: &str, about: &str| json!({ "name": name, "doc": first_sentence(about) });
    let kind = |schema: &Schema| {
        let mut row = row(schema.kind, schema.doc);
        row["implemented"] = schema.is_implemented().into();
        row
    };
    let kinds: Vec<Value> = doc::kinds().iter().map(kind).collect();
    let functions: Vec<Value> = doc::functions(wanted).map(|f| row(&f.name, &f.doc)).collect();
    writeln!(face.out, "{}", json!({ "kinds": kinds, "functions": functions }))?;
    Ok(Exit::Done)
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |at| &text[..=at]).lines().next().unwrap_or_default()
}

fn kind(face: &mut Face, schema: &Schema) -> io::Result<()> {
    writeln!(face.out, "{}  {}\n", face.paint.role(Role::Name, schema.kind), schema.about())?;
    let ty = |param: &Parameter| match param.default {
        Some(value) => format!("{} = {value}", param.ty),
        None => param.ty.to_string(),
    };
    let rows: Vec<_> = schema.params.iter().map(|p| (p.name, ty(p), p.doc)).collect();
    table(face, "Parameters", &rows)?;
    let sends: Vec<_> = schema.sends.iter().map(|(name, ty)| (*name, ty.to_string(), "")).collect();
    table(face, "Sends", &sends)?;
    let abilities = [
        (schema.receives, "parameters can receive values"),
        (schema.refresh, "reacts to a refresh"),
        (schema.autoedge, "has automatic dependencies"),
        (schema.autogroup, "can be grouped"),
        (schema.reverse, "can be reversed"),
    ];
    let words: Vec<_> = abilities.iter().filter(|(has, _)| *has).map(|(_, words)| *words).collect();
    if !words.is_empty() {
        writeln!(face.out, "{}\n", face.paint.role(Role::Quiet, words.join("; ")))?;
    }
    let ty = |meta: &MetaParameter| format!("{} = {}", short(&meta.ty), default_text(meta));
    let meta: Vec<_> = doc::meta_parameters().iter().map(|meta| (meta.name, ty(meta), meta.doc)).collect();
    table(face, "Meta parameters, as in Meta:noop => true", &meta)?;
    let Some(program) = doc::example(schema.kind) else { return Ok(()) };
    writeln!(face.out, "{}", face.paint.role(Role::Title, "Example"))?;
    program.lines().try_for_each(|line| writeln!(face.out, "  {line}"))
}

fn declared_kind(face: &mut Face, kind: &DeclaredKind, format: DocFormat) -> io::Result<()> {
    if format == DocFormat::Json {
        return writeln!(face.out, "{}", declared_json(kind));
    }
    let name = face.paint.role(Role::Name, printable(&kind.name));
    writeln!(face.out, "{name}  {}\n", printable_lines(&kind.doc))?;
    let safe = |text: &str| printable(text).to_string();
    let ty = |param: &DeclaredParam| safe(&param.ty) + if param.is_required { ", required" } else { "" };
    let rows: Vec<_> = kind.params.iter().map(|param| (safe(&param.name), ty(param), safe(&param.doc))).collect();
    let rows: Vec<_> = rows.iter().map(|(name, ty, doc)| (&**name, ty.clone(), &**doc)).collect();
    table(face, "Parameters", &rows)?;
    kind.source.as_ref().map_or(Ok(()), |place| writeln!(face.out, "declared at {}", printable(&place.to_string())))
}

fn declared_json(kind: &DeclaredKind) -> Value {
    let param = |param: &DeclaredParam| json!({"name": &*param.name, "type": param.ty, "optional": !param.is_required, "doc": param.doc});
    let params: Vec<Value> = kind.params.iter().map(param).collect();
    let place = kind.source.as_ref();
    let source = place.map(|place| json!({"file": &*place.file, "line": place.line, "column": place.column}));
    json!({"kind": &*kind.name, "doc": kind.doc, "params": params, "source": source})
}

/// A type without the bounds of its numbers.
fn short(ty: &FieldType) -> String {
    match ty {
        FieldType::Int { .. } => "int".to_string(),
        ty => ty.to_string(),
    }
}

fn table(face: &mut Face, title: &str, rows: &[(&str, String, &str)]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let names = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let types = rows.iter().map(|(_, ty, _)| ty.len().min(24)).max().unwrap_or_default();
    writeln!(face.out, "{}", face.paint.role(Role::Title, title))?;
    for (name, ty, about) in rows {
        writeln!(face.out, "{}", format!("  {name:names$}  {ty:types$}  {about}").trim_end())?;
    }
    writeln!(face.out)
}
