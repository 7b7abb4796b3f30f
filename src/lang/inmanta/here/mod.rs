//! What a place of a model is: an entity, an attribute, a relation, a plugin, a type or a variable; its type, its
//! documentation, its definition and its uses.

mod words;

use ::std::path::Path;

use super::ast::{NsId, Top};
use super::define::{AttributeId, Named, Program};
use super::load::{self, Options};
use super::plugin::Body;
use super::{Input, Question, std};
use crate::lang::Here;
use crate::lang::shared::words::{comment_above, offset, smallest};
use crate::source::{Sources, Span};
use words::{Reader, Symbol, Word};

/// How many steps the type of a word may take.
const STEPS: u32 = 100;

/// What is at a line and column, both from 1. Definitions with errors do not matter; files have to be readable.
pub fn here(
    input: Input,
    question: &Question,
    sources: &mut Sources,
    file: Option<&Path>,
    place: (u32, u32),
) -> Option<Here> {
    let project = input.project().ok()?;
    let options =
        Options { edition: question.edition, with_std: question.with_std, also: Vec::new(), built_in: std::built_in() };
    let loaded = load::load(input.entry, input.files, &project, &options, sources).ok()?;
    let files: Vec<(NsId, Vec<Top>)> = loaded.files.iter().map(|file| (file.ns, file.tops.clone())).collect();
    let (program, _) = Program::define_anyway(loaded, std::call_direct);
    // The entry's text is there twice: as it was read, and as it is compiled.
    let file = match file {
        Some(path) if sources.file(input.entry).path.as_deref() != Some(path) => sources.by_path(path)?,
        Some(_) | None => input.entry,
    };
    let at = offset(sources.file(file), place)?;
    let reader = Reader::read(&program, sources, &files);
    let found = smallest(reader.words.iter(), |word| word.span, file, at)?;
    Some(describe(&reader, &files, sources, *found))
}

fn describe(reader: &Reader, files: &[(NsId, Vec<Top>)], sources: &Sources, word: Word) -> Here {
    let program = reader.program;
    let alike = |defines: bool| {
        reader.words.iter().filter(move |other| other.defines == defines && other.symbol == word.symbol)
    };
    let defined = alike(true).next().map(|other| other.span).or_else(|| definition(program, word.symbol));
    let (what, name) = named(program, word.symbol);
    let own = reader.type_of_symbol(word.symbol, STEPS).map(|ty| program.type_text(&ty));
    let uses = alike(false).map(|other| other.span);
    Here {
        ty: own.or_else(|| heading(program, word.symbol)),
        doc: doc(program, files, sources, word.symbol, defined),
        undefined: match word.symbol {
            Symbol::Undefined("attribute", _) => None,
            Symbol::Undefined(..) => Some(format!("nothing here defines `{name}`")),
            _ => None,
        },
        ..Here::of(what, name, word.span, defined, uses, sources)
    }
}

/// The definition of what no word of the files defines.
fn definition(program: &Program, symbol: Symbol) -> Option<Span> {
    match symbol {
        Symbol::Named(Named::Plugin(id)) => program.plugins.get(id as usize).and_then(|plugin| plugin.place),
        _ => None,
    }
}

/// The language's word for a symbol, and its name.
fn named(program: &Program, symbol: Symbol) -> (&'static str, String) {
    match symbol {
        Symbol::Named(Named::Entity(id)) => ("entity", program.entity_name(id)),
        Symbol::Named(Named::Implementation(id)) => {
            let found = &program.implementations[id.0 as usize];
            ("implementation", format!("{}::{}", program.ns(found.ns).name, program.text(found.name)))
        }
        Symbol::Named(Named::Typedef(id)) => ("type", program.type_text(&super::types::Ty::Typedef(id))),
        Symbol::Named(Named::Plugin(id)) => ("plugin", program.plugin_name(id)),
        Symbol::Attribute(id) => {
            let attribute = program.attribute(id);
            let what = if attribute.relation.is_some() { "relation" } else { "attribute" };
            (what, format!("{}.{}", program.entity_name(attribute.entity), program.text(attribute.name)))
        }
        Symbol::Variable(_, name) => ("variable", program.text(name).to_string()),
        Symbol::Module(ns) => ("module", program.ns(ns).name.clone()),
        Symbol::Primitive(name) => ("type", program.text(name).to_string()),
        Symbol::Undefined(what, name) => (what, program.text(name).to_string()),
    }
}

/// What there is to show in place of a type.
fn heading(program: &Program, symbol: Symbol) -> Option<String> {
    match symbol {
        Symbol::Named(Named::Entity(id)) => {
            let parents: Vec<String> =
                program.entity(id).parents.iter().map(|parent| program.entity_name(*parent)).collect();
            (!parents.is_empty()).then(|| format!("extends {}", parents.join(", ")))
        }
        Symbol::Named(Named::Implementation(id)) => {
            let entity = program.implementations[id.0 as usize].entity?;
            Some(format!("for {}", program.entity_name(entity)))
        }
        Symbol::Named(Named::Typedef(id)) => {
            let typedef = program.typedefs.get(id.0 as usize)?;
            Some(format!("as {}", program.type_text(&typedef.base)))
        }
        Symbol::Named(Named::Plugin(id)) => match program.plugins.get(id as usize)?.body {
            Body::Native(built_in) => Some(std::native(built_in).signature()),
            Body::Python(at) => program.signatures.get(at? as usize).map(|signature| signature.text(program)),
        },
        _ => None,
    }
}

/// What the program or the language states about a symbol.
fn doc(
    program: &Program,
    files: &[(NsId, Vec<Top>)],
    sources: &Sources,
    symbol: Symbol,
    defined: Option<Span>,
) -> String {
    if let Symbol::Named(Named::Plugin(id)) = symbol
        && let Some(Body::Native(built_in)) = program.plugins.get(id as usize).map(|plugin| plugin.body)
    {
        return std::native(built_in).doc().to_string();
    }
    let Some(defined) = defined else { return String::new() };
    let written = files.iter().flat_map(|(_, tops)| tops).find_map(|top| match top {
        Top::Entity(def) if def.name.span == defined => Some(&def.doc),
        Top::Implementation(def) if def.name.span == defined => Some(&def.doc),
        Top::Typedef(def) if def.name.span == defined => Some(&def.doc),
        Top::Relation(def) => {
            let sides = [&def.left, &def.right].into_iter().filter_map(|side| side.attribute);
            sides.into_iter().any(|(name, _)| name.span == defined).then_some(&def.doc)
        }
        _ => None,
    });
    let mut doc = match written {
        Some(Some(text)) => plain(text),
        _ => comment_above(sources.file(defined.file), defined),
    };
    if let Symbol::Attribute(id) = symbol {
        let facts = facts(program, id);
        doc = [doc, facts].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    }
    doc
}

/// How many values a relation has, and its other side.
fn facts(program: &Program, id: AttributeId) -> String {
    let Some(relation) = &program.attribute(id).relation else { return String::new() };
    let (low, high) = (relation.bounds.low, relation.bounds.high);
    let count = match high {
        Some(high) if high == low => format!("Exactly {low}"),
        Some(high) => format!("{low} to {high}"),
        None => format!("{low} or more"),
    };
    match relation.end.map(|end| program.attribute(end)) {
        Some(end) => {
            format!("{count}. The other side is {}.{}.", program.entity_name(end.entity), program.text(end.name))
        }
        None => format!("{count}."),
    }
}

/// A text without the indentation that its lines share with the code around it.
fn plain(text: &str) -> String {
    // `:attr name: text` documents an attribute.
    let line = |line: &str| line.trim().strip_prefix(":attr ").unwrap_or(line.trim()).to_string();
    text.trim().lines().map(line).collect::<Vec<_>>().join("\n")
}
