//! What a place of a manifest is: a variable, a function, a class, a define, a resource type or a parameter.

use std::path::{Path, PathBuf};

use super::ast::{AttributeKind, Expr, Kind, Parameter, Program};
use super::catalog::kinds;
use super::{builtin, parser, types};
use crate::diag::{Diagnostics, Stage};
use crate::lang::Here;
use crate::lang::shared::words::{comment_above, offset, smallest};
use crate::module::load_text;
use crate::source::{FileId, Sources, Span};
use crate::world::World;

/// What a word is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    what: &'static str,
    name: String,
    span: Span,
    /// It gives the name its meaning.
    defines: bool,
    /// The resource type that a parameter belongs to.
    of: String,
}

/// One file, read for its words.
struct Reader<'s> {
    sources: &'s Sources,
    words: Vec<Word>,
}

/// A class and one of its parameters.
type ClassParameter = (String, String);

/// The word at a place of a file, and what it means in that file and in the files that its name leads to. Also the class
/// whose parameter it is.
pub fn here(
    world: &dyn World,
    file: &Path,
    module_path: &[PathBuf],
    place: (u32, u32),
) -> Option<(Here, Option<ClassParameter>)> {
    let (mut sources, mut unheard) = (Sources::default(), Diagnostics::new(Stage::Parse));
    let id = load_text(world, file, None, &mut sources, &mut unheard)?;
    let program = program(&sources, id)?;
    let words = words_of(&sources, &program);
    let at = offset(sources.file(id), place)?;
    let found = smallest(words.iter(), |word| word.span, id, at)?.clone();
    let alike = |word: &&Word| word.name == found.name && group(word.what) == group(found.what);
    let mut defined = words.iter().find(|word| word.defines && alike(word)).map(|word| word.span);
    let uses: Vec<Span> = words.iter().filter(|word| !word.defines && alike(word)).map(|word| word.span).collect();
    let mut doc = doc(&found);
    if defined.is_none() && matches!(found.what, "class" | "define" | "function" | "type") {
        defined = elsewhere(world, module_path, &found, &mut sources);
    }
    if defined.is_none() && found.what == "resource" {
        // A define, or a type with features.
        let ty = Word { what: "type", ..found.clone() };
        let here = words.iter().find(|word| word.defines && word.what == "type" && word.name == found.name);
        defined = here.map(|word| word.span);
        defined = defined.or_else(|| elsewhere(world, module_path, &found, &mut sources));
        defined = defined.or_else(|| elsewhere(world, module_path, &ty, &mut sources));
    }
    if let Some(span) = defined.filter(|_| doc.is_empty()) {
        doc = comment_above(sources.file(span.file), span);
    }
    let known = match found.what {
        "function" => builtin::find(&found.name).map(|function| function.signature.to_owned()),
        _ => None,
    };
    let is_found = defined.is_some() || known.is_some() || !matches!(found.what, "variable" | "class" | "function");
    let undefined = (!is_found && !is_given(&found.name)).then(|| format!("nothing here defines `{}`", found.name));
    let parameter = if found.what == "variable" { class_parameter(&program, at, &found.name) } else { None };
    let here = Here {
        ty: known,
        doc,
        undefined,
        ..Here::of(found.what, found.name, found.span, defined, uses.into_iter(), &sources)
    };
    Some((here, parameter))
}

/// The class around a place, if it has a parameter of this name.
fn class_parameter(program: &Program, at: usize, name: &str) -> Option<ClassParameter> {
    let mut found = None;
    for expr in program.body.all_inside() {
        if let Kind::Class(class) = &expr.kind
            && expr.span.range().contains(&at)
            && class.params.iter().any(|param| param.name.eq_ignore_ascii_case(name))
        {
            found = Some((class.name.trim_start_matches("::").to_lowercase(), name.to_owned()));
        }
    }
    found
}

/// Variables that come from outside of the program.
fn is_given(name: &str) -> bool {
    ["facts", "trusted", "title", "name", "environment", "module_name", "server_facts"].contains(&name)
        || name.contains("::")
}

/// Words of one group can stand for each other.
fn group(what: &'static str) -> &'static str {
    if what == "resource" { "define" } else { what }
}

fn program(sources: &Sources, file: FileId) -> Option<Program> {
    let source = sources.file(file);
    parser::parse(file, &source.text, source.name.ends_with(".epp"), &mut Vec::new()).ok()
}

fn words(sources: &Sources, file: FileId) -> Option<Vec<Word>> {
    program(sources, file).map(|program| words_of(sources, &program))
}

fn words_of(sources: &Sources, program: &Program) -> Vec<Word> {
    let mut reader = Reader { sources, words: Vec::new() };
    reader.read(program);
    reader.words
}

/// The definition in the file that a name leads to.
fn elsewhere(world: &dyn World, module_path: &[PathBuf], word: &Word, sources: &mut Sources) -> Option<Span> {
    let mut parts: Vec<&str> = word.name.split("::").collect();
    let module = parts.remove(0);
    let folder = match word.what {
        "function" => "functions",
        "type" => "types",
        _ => "manifests",
    };
    let file = if parts.is_empty() { "init".to_owned() } else { parts.join("/") };
    module_path.iter().find_map(|path| {
        let path = path.join(module).join(folder).join(format!("{file}.pp"));
        let id = load_text(world, &path, None, sources, &mut Diagnostics::new(Stage::Parse))?;
        let words = words(sources, id)?;
        words.iter().find(|there| there.defines && there.name == word.name).map(|there| there.span)
    })
}

fn doc(word: &Word) -> String {
    let name = &*word.name;
    let found = match word.what {
        "function" => builtin::find(name).map(|function| function.doc.to_owned()),
        "resource" => kinds::doc(name).map(|kind| {
            let params = kind.params.iter().map(|param| format!("\n{}: {}", param.name, param.doc));
            kind.doc + &params.collect::<String>()
        }),
        "type" => types::doc(name)
            .map(|(written, doc)| format!("{written}\n{doc}"))
            .or_else(|| kinds::doc(name).map(|kind| kind.doc)),
        "parameter" => kinds::doc(&word.of).and_then(|kind| {
            let param = kind.params.into_iter().find(|param| *param.name == *name)?;
            Some(param.doc).filter(|doc| !doc.is_empty())
        }),
        _ => None,
    };
    found.unwrap_or_default()
}

impl Reader<'_> {
    fn read(&mut self, program: &Program) {
        program.body.all_inside().for_each(|expr| self.word(expr));
        self.words.sort_by_key(|word| word.span.start);
    }

    fn add(&mut self, what: &'static str, name: &str, span: Span, defines: bool) {
        let name = name.trim_start_matches("::").to_lowercase();
        self.words.push(Word { what, name, span, defines, of: String::new() });
    }

    fn parameters(&mut self, params: &[Parameter]) {
        params.iter().for_each(|param| self.add("variable", &param.name, param.span, true));
    }

    /// A name as it is written inside of a span, which is larger.
    fn inside(&self, span: Span, name: &str) -> Span {
        let text = self.sources.file(span.file).text.get(span.range()).unwrap_or_default();
        let at = text.find(name).map(|at| span.range().start + at);
        at.map_or(span, |at| Span::new(span.file, at, at + name.len()))
    }

    fn word(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Var(name) => self.add("variable", name, expr.span, false),
            Kind::Assign(_, left, _) => {
                if let Kind::Var(name) = &left.kind {
                    self.add("variable", name, left.span, true);
                }
            }
            Kind::Class(class) => {
                self.add("class", &class.name, self.inside(expr.span, &class.name), true);
                self.parameters(&class.params);
            }
            Kind::Define(define) => {
                self.add("define", &define.name, self.inside(expr.span, &define.name), true);
                self.parameters(&define.params);
            }
            Kind::Function(function) => {
                self.add("function", &function.name, self.inside(expr.span, &function.name), true);
                self.parameters(&function.params);
            }
            Kind::ArmType(definition) => {
                self.add("type", &definition.name, definition.name_span, true);
                if let Some((parent, span)) = &definition.parent {
                    self.add("type", parent, *span, false);
                }
            }
            Kind::TypeAlias(alias) => self.add("type", &alias.name, self.inside(expr.span, &alias.name), true),
            Kind::Lambda(lambda) => self.parameters(&lambda.params),
            Kind::Ref(name) => self.add("type", name, expr.span, false),
            Kind::Call(call) => {
                if let Some(lambda) = &call.lambda {
                    self.parameters(&lambda.params);
                }
                let functor = match &call.functor.kind {
                    Kind::Member(_, name) => &**name,
                    _ => &call.functor,
                };
                if let Kind::Name(name) = &functor.kind {
                    self.add("function", name, functor.span, false);
                    if ["include", "contain", "require"].contains(&&**name) {
                        call.args.iter().for_each(|arg| self.class(arg));
                    }
                }
            }
            Kind::Resource(resource) => {
                if let Kind::Name(ty) = &resource.ty.kind {
                    let is_class = &**ty == "class";
                    self.add("resource", ty, resource.ty.span, false);
                    for body in &resource.bodies {
                        if is_class {
                            self.class(&body.title);
                        }
                        for op in &body.ops {
                            if let AttributeKind::Set(name) | AttributeKind::Append(name) = &op.kind {
                                self.add("parameter", name, self.inside(op.span, name), false);
                                if let Some(word) = self.words.last_mut() {
                                    word.of = ty.to_string();
                                }
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn class(&mut self, arg: &Expr) {
        match &arg.kind {
            Kind::Name(name) | Kind::Str(name) => self.add("class", name, arg.span, false),
            Kind::Array(list) => list.iter().for_each(|item| {
                if let Kind::Name(name) | Kind::Str(name) = &item.kind {
                    self.add("class", name, item.span, false);
                }
            }),
            _ => {}
        }
    }
}
