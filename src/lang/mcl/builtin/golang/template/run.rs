//! Renders a template's tree to text.

use std::fmt::Write;
use std::rc::Rc;

use super::data::{Data, Width};
use super::functions::{self, Callee};
use super::lexer::Problem;
use super::parser::{Command, List, Node, Pipe, Term, TermKind, Tree};
use super::pay;
use crate::lang::mcl::builtin::Function;
use crate::lang::mcl::builtin::call::{Call, Failure};
use crate::lang::mcl::builtin::golang::format;
use crate::lang::mcl::builtin::limits::Capped;
use crate::lang::mcl::eval::Spot;

/// The nesting limit for running blocks and named templates.
const DEPTH: u32 = 200;

/// How many bytes of text cost one step.
const TEXT_PER_STEP: usize = 32;

/// Renders a template.
pub fn run(tree: &Tree, data: Data, call: &mut Call) -> Result<String, Problem> {
    let variables = vec![("$", data.clone())];
    let mut run = Run { tree, out: Capped(String::new()), variables, call, depth: 0 };
    run.list(&tree.root, &data)?;
    Ok(run.out.0)
}

/// How a list of nodes ended.
#[derive(PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
}

struct Run<'r, 'a, 'c> {
    tree: &'r Tree<'a>,
    out: Capped,
    variables: Vec<(&'a str, Data)>,
    call: &'r mut Call<'c>,
    depth: u32,
}

/// A problem at a term.
fn at(term: &Term, message: impl AsRef<str>) -> Problem {
    Problem::new(term.at, format!("`{}`: {}", term.text, message.as_ref()))
}

impl<'a> Run<'_, 'a, '_> {
    fn list(&mut self, nodes: &List<'a>, dot: &Data) -> Result<Flow, Problem> {
        for node in nodes {
            match self.node(node, dot)? {
                Flow::On => {}
                ended => return Ok(ended),
            }
        }
        Ok(Flow::On)
    }

    fn node(&mut self, node: &Node<'a>, dot: &Data) -> Result<Flow, Problem> {
        self.spend(1, 0)?;
        match node {
            Node::Text(text) => {
                self.spend(text.len() / TEXT_PER_STEP, 0)?;
                self.out.write_str(text).map_err(|_| Problem::new(0, "its text is too long"))?;
            }
            Node::Action(pipe) => {
                let value = self.pipe(pipe, dot)?;
                if pipe.variables.is_empty() {
                    self.write(&value, pipe)?;
                }
            }
            Node::Either { moves_dot, arms, else_part } => {
                return self.deeper(|this| {
                    for (pipe, body) in arms {
                        let value = this.pipe(pipe, dot)?;
                        if value.truth() {
                            return this.list(body, if *moves_dot { &value } else { dot });
                        }
                    }
                    this.list(else_part, dot)
                });
            }
            Node::Range { pipe, body, else_part } => {
                return self.deeper(|this| this.range(pipe, body, else_part, dot));
            }
            Node::Template { name, pipe, at } => {
                let inner = pipe.as_ref().map_or(Ok(Data::Nil), |pipe| self.pipe(pipe, dot))?;
                let tree = self.tree;
                let Some(body) = tree.named.get(name) else {
                    return Err(Problem::new(*at, format!("no template \"{name}\"")));
                };
                let around = std::mem::replace(&mut self.variables, vec![("$", inner.clone())]);
                let done = self.deeper(|this| this.list(body, &inner));
                self.variables = around;
                done?;
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::On)
    }

    /// A block, with its own variables.
    fn deeper(&mut self, walk: impl FnOnce(&mut Self) -> Result<Flow, Problem>) -> Result<Flow, Problem> {
        if self.depth >= DEPTH {
            return Err(Problem::new(0, "its blocks and templates are nested too deep"));
        }
        self.depth += 1;
        let variables = self.variables.len();
        let done = walk(self);
        self.variables.truncate(variables);
        self.depth -= 1;
        done
    }

    fn range(&mut self, pipe: &Pipe<'a>, body: &List<'a>, else_part: &List<'a>, dot: &Data) -> Result<Flow, Problem> {
        let source = self.commands(pipe, dot)?;
        let numbered = |at: usize| Data::Int(at as i64, Width::Int);
        let pairs: Box<dyn Iterator<Item = (Data, Data)>> = match source {
            Data::Nil => Box::new(std::iter::empty()),
            Data::List(items) => Box::new((0..items.len()).map(move |at| (numbered(at), items[at].clone()))),
            Data::Map(map) => Box::new((0..map.pairs.len()).map(move |at| map.pairs[at].clone())),
            Data::Int(count, width) if pipe.variables.len() < 2 => {
                Box::new((0..count).map(move |at| (Data::Int(at, width), Data::Int(at, width))))
            }
            other => {
                let term = &pipe.commands[0].terms[0];
                return Err(at(term, format!("cannot loop over a {}", other.type_name())));
            }
        };
        let mut is_empty = true;
        for (key, item) in pairs {
            is_empty = false;
            self.spend(1, pipe.commands[0].terms[0].at)?;
            let variables = self.variables.len();
            match (&pipe.variables[..], pipe.assigns) {
                ([], _) => {}
                ([value], false) => self.variables.push((*value, item.clone())),
                ([value], true) => self.assign(value, &item),
                ([first, second, ..], false) => self.variables.extend([(*first, key), (*second, item.clone())]),
                ([first, second, ..], true) => {
                    self.assign(first, &key);
                    self.assign(second, &item);
                }
            }
            let flow = self.list(body, &item)?;
            self.variables.truncate(variables);
            if flow == Flow::Break {
                break;
            }
        }
        if is_empty { self.list(else_part, dot) } else { Ok(Flow::On) }
    }

    fn assign(&mut self, name: &str, value: &Data) {
        if let Some((_, held)) = self.variables.iter_mut().rev().find(|(known, _)| *known == name) {
            *held = value.clone();
        }
    }

    fn write(&mut self, value: &Data, pipe: &Pipe) -> Result<(), Problem> {
        let place = pipe.commands[0].terms[0].at;
        let before = self.out.0.len();
        let wrote = match value {
            Data::Nil => self.out.write_str("<no value>"),
            Data::Str(text) => self.out.write_str(text),
            value => format::print(&mut self.out, std::slice::from_ref(value)),
        };
        wrote.map_err(|_| Problem::new(place, "its text is too long"))?;
        let room = self.call.budget.has_room(self.out.0.len());
        room.map_err(|spent| Problem::new(place, spent.message()))?;
        self.spend((self.out.0.len() - before) / TEXT_PER_STEP, place)
    }

    fn spend(&mut self, steps: usize, place: usize) -> Result<(), Problem> {
        pay(self.call.budget, steps as u64).map_err(|failure| Problem::new(place, failure.message))
    }

    /// The value of a pipe, which its variables get.
    fn pipe(&mut self, pipe: &Pipe<'a>, dot: &Data) -> Result<Data, Problem> {
        let value = self.commands(pipe, dot)?;
        for name in &pipe.variables {
            match pipe.assigns {
                true => self.assign(name, &value),
                false => self.variables.push((*name, value.clone())),
            }
        }
        Ok(value)
    }

    fn commands(&mut self, pipe: &Pipe<'a>, dot: &Data) -> Result<Data, Problem> {
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(command, dot, value)?);
        }
        Ok(value.unwrap_or(Data::Nil))
    }

    /// The value of a command; `last` is the value of the command before.
    fn command(&mut self, command: &Command<'a>, dot: &Data, last: Option<Data>) -> Result<Data, Problem> {
        let (first, args) = (&command.terms[0], &command.terms[1..]);
        self.spend(1, first.at)?;
        if let TermKind::Function(callee) = first.kind {
            return self.function(first, callee, args, dot, last);
        }
        if !args.is_empty() || last.is_some() {
            return Err(at(first, "not a function, but it has arguments"));
        }
        match first.kind {
            TermKind::Nil => Err(at(first, "not allowed alone")),
            _ => self.term(first, dot),
        }
    }

    fn term(&mut self, term: &Term<'a>, dot: &Data) -> Result<Data, Problem> {
        match &term.kind {
            TermKind::Dot => Ok(dot.clone()),
            TermKind::Nil => Ok(Data::Nil),
            TermKind::Constant(value) => Ok(value.clone()),
            TermKind::Fields(fields) => self.fields(term, dot.clone(), fields),
            TermKind::Variable(name, fields) => {
                let held = self.variables.iter().rev().find(|(known, _)| known == name);
                let value = held.map_or(Data::Nil, |(_, value)| value.clone());
                self.fields(term, value, fields)
            }
            TermKind::Function(callee) => self.function(term, *callee, &[], dot, None),
            TermKind::Pipe(pipe) => self.pipe(pipe, dot),
            TermKind::Chain(pipe, fields) => {
                let value = self.pipe(pipe, dot)?;
                self.fields(term, value, fields)
            }
        }
    }

    fn fields(&self, term: &Term, value: Data, fields: &[&str]) -> Result<Data, Problem> {
        fields.iter().try_fold(value, |value, field| match &value {
            Data::Map(map) if map.by_name => {
                let missing = || at(term, format!("no field `{field}`{}", near(field, &map.pairs)));
                map.get(&Data::text(field)).cloned().ok_or_else(missing)
            }
            Data::Key(fields) => {
                let found = fields.iter().find(|(name, _)| **name == **field);
                found.map(|(_, value)| value.clone()).ok_or_else(|| at(term, format!("no field `{field}`")))
            }
            Data::Nil => Err(at(term, format!("no value that could have a field `{field}`"))),
            other => Err(at(term, format!("a {} has no fields, so no `{field}`", other.type_name()))),
        })
    }

    fn function(
        &mut self,
        term: &Term<'a>,
        callee: Callee,
        args: &[Term<'a>],
        dot: &Data,
        last: Option<Data>,
    ) -> Result<Data, Problem> {
        callee.counts(args.len() + usize::from(last.is_some())).map_err(|why| at(term, why))?;
        if let Callee::Own { name: name @ ("and" | "or"), .. } = callee {
            let mut value = Data::Nil;
            for arg in args {
                value = self.term(arg, dot)?;
                if value.truth() == (name == "or") {
                    return Ok(value);
                }
            }
            return Ok(last.unwrap_or(value));
        }
        let mut values = args.iter().map(|arg| self.term(arg, dot)).collect::<Result<Vec<_>, _>>()?;
        values.extend(last);
        let length = |data: &Data| if let Data::Str(text) = data { text.len() / TEXT_PER_STEP } else { 0 };
        self.spend(values.iter().map(length).sum(), term.at)?;
        let value = match callee {
            Callee::Own { name, .. } => functions::call(name, &values).map_err(|why| at(term, why))?,
            Callee::Language(function) => {
                self.language(function, &values).map_err(|failure| at(term, failure.message))?
            }
        };
        self.spend(length(&value), term.at)?;
        Ok(value)
    }

    /// Calls a function of the language.
    fn language(&mut self, function: &'static Function, args: &[Data]) -> Result<Data, Failure> {
        let types = functions::parameters(function.signatures[0]);
        let args = args.iter().zip(types).map(|(data, ty)| data.to_value(ty)).collect::<Result<Vec<_>, _>>()?;
        let value = (function.call)(&mut Call {
            args: &args,
            result: None,
            world: self.call.world,
            spot: Spot::default(),
            folder: self.call.folder,
            root: self.call.root,
            apply: &mut |_, _| Err(Failure::fatal("a template cannot call function values")),
            cells: &mut *self.call.cells,
            budget: self.call.budget,
        })?;
        Data::of(&value, &mut |parts| pay(self.call.budget, parts))
    }
}

/// The same name with another first letter: fields of structs start with a capital one, keys of maps are unchanged.
fn near(field: &str, pairs: &[(Data, Data)]) -> String {
    let alike = pairs.iter().find_map(|(key, _)| match key {
        Data::Str(name) if name.eq_ignore_ascii_case(field) => Some(Rc::clone(name)),
        _ => None,
    });
    let alike = alike.or_else(|| {
        let names = pairs.iter().filter_map(|(key, _)| if let Data::Str(name) = key { Some(name) } else { None });
        let near = crate::diag::nearest(field, names.clone().map(|name| &**name))?;
        names.into_iter().find(|name| &***name == near).map(Rc::clone)
    });
    if let Some(name) = alike {
        return format!(", but there is `{name}`");
    }
    let names = pairs.iter().filter_map(|(key, _)| if let Data::Str(name) = key { Some(name) } else { None });
    let names: Vec<String> = names.take(8).map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("; there {} {}", if names.len() == 1 { "is" } else { "are" }, names.join(", ")),
    }
}
