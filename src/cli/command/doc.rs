//! `workbench doc`: what a resource kind takes, what a function does.

use std::io::{self, Write};

use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::paint::Role;
use crate::session::doc::{self, Doc, FieldType, Schema};
use crate::source::printable;

/// Say what a resource kind's parameters or a function's arguments are
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench doc file\n  workbench doc strings.to_lower\n  workbench doc '$hostname'\n  workbench doc"
)]
pub struct DocCommand {
    /// A kind, a function, a module of functions, or a variable; nothing lists all of them
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

impl DocCommand {
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let Some(name) = &self.name else { return list(face) };
        match doc::doc(name) {
            Some(Doc::Kind(schema)) => kind(face, schema)?,
            Some(Doc::Function(function)) => {
                for signature in function.signatures {
                    let signature = signature.strip_prefix("func").unwrap_or(signature);
                    writeln!(face.out, "{}{signature}", face.paint.role(Role::Name, doc::full_name(function)))?;
                }
                writeln!(face.out, "\n{}", function.doc)?;
                for (call, gives) in function.examples {
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
                let help = doc::near_doc(name).map_or("`workbench doc` lists all kinds and functions".into(), |near| {
                    format!("did you mean `{near}`?")
                });
                let message = format!("`{}` is neither a kind nor a function", printable(name));
                return Ok(face.refuse(&message, &help));
            }
        }
        Ok(Exit::Done)
    }
}

fn list(face: &mut Face) -> io::Result<Exit> {
    writeln!(face.out, "{}", face.paint.role(Role::Title, "Kinds of resources"))?;
    let width = doc::kinds().iter().map(|schema| schema.kind.len()).max().unwrap_or_default();
    for schema in doc::kinds() {
        writeln!(face.out, "  {:width$}  {}", schema.kind, first_sentence(schema.doc))?;
    }
    writeln!(face.out, "\n{}", face.paint.role(Role::Title, "Functions"))?;
    let rows: Vec<_> = doc::functions().map(|f| (doc::full_name(f), first_sentence(f.doc))).collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, about) in &rows {
        writeln!(face.out, "  {name:width$}  {about}")?;
    }
    face.out.flush()?;
    face.say(format!("{}, {}", count(doc::kinds().len(), "kind"), count(rows.len(), "function")));
    Ok(Exit::Done)
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |at| &text[..=at]).lines().next().unwrap_or_default()
}

fn kind(face: &mut Face, schema: &Schema) -> io::Result<()> {
    writeln!(face.out, "{}  {}\n", face.paint.role(Role::Name, schema.kind), schema.doc)?;
    let rows: Vec<_> = schema.params.iter().map(|p| (p.name, type_text(&p.ty), p.doc)).collect();
    table(face, "Parameters", &rows)?;
    let sends: Vec<_> = schema.sends.iter().map(|(name, ty)| (*name, type_text(ty), "")).collect();
    table(face, "Sends", &sends)?;
    let abilities = [
        (schema.receives, "its parameters may receive"),
        (schema.refresh, "acts on a refresh"),
        (schema.autoedge, "is ordered by what it stands for"),
        (schema.autogroup, "may be grouped"),
        (schema.reverse, "can be reversed"),
    ];
    let words: Vec<_> = abilities.iter().filter(|(has, _)| *has).map(|(_, words)| *words).collect();
    if !words.is_empty() {
        writeln!(face.out, "{}\n", face.paint.role(Role::Quiet, words.join("; ")))?;
    }
    let meta: Vec<_> = doc::meta_parameters().iter().map(|meta| meta.name).collect();
    writeln!(face.out, "{}", face.paint.role(Role::Quiet, format!("Every kind has Meta: {}", meta.join(", "))))
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

/// A type in mcl's words.
fn type_text(ty: &FieldType) -> String {
    match ty {
        FieldType::Bool => "bool".into(),
        FieldType::Str => "str".into(),
        FieldType::Int { min, max } if (*min, *max) == (i64::MIN, i64::MAX as u64) => "int".into(),
        FieldType::Int { min, max } => format!("int {min}..{max}"),
        FieldType::Float => "float".into(),
        FieldType::List(item) => format!("[]{}", type_text(item)),
        FieldType::Map(key, value) => format!("map{{{}: {}}}", type_text(key), type_text(value)),
        FieldType::Struct(fields) => {
            let fields: Vec<_> = fields.iter().map(|(name, ty)| format!("{name} {}", type_text(ty))).collect();
            format!("struct{{{}}}", fields.join("; "))
        }
        FieldType::Func(args, result) => {
            let args: Vec<_> = args.iter().map(type_text).collect();
            format!("func({}) {}", args.join(", "), type_text(result))
        }
        FieldType::Any => "any".into(),
    }
}
