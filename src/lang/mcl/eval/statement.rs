//! The statement machine: walks blocks, branches, loops and included classes in the order of the file.
//!
//! Like the expression machine it has its own stack, because classes may include each other in long chains. A failed
//! statement is reported and the next one is tried, so that one run shows several mistakes; a limit ends everything.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::closure::FrameId;
use super::machine::weight;
use super::{Fault, Machine, operator, resource};
use crate::diag::{Code, Diagnostics};
use crate::lang::mcl::ast::{BlockId, EdgeHalf, ExprId, StmtId, StmtKind};
use crate::lang::mcl::builtin::native;
use crate::lang::mcl::graph::{Declared, Link, public_name};
use crate::lang::mcl::value::Value;
use crate::source::Span;

/// The containers around a statement, outermost first.
pub type Container = Rc<Vec<Arc<str>>>;

/// How deep classes may include each other.
const INCLUDE_DEPTH: usize = 1_000;

/// More failures than this are not reported.
const FAILURES: usize = 100;

/// The rest of a block or a loop.
pub(super) enum Work {
    Block { block: BlockId, next: usize, frame: FrameId, container: Container },
    Loop { body: BlockId, items: Items, frame: FrameId, container: Container },
}

/// Pairs for the two names of a loop.
pub(super) type Items = Box<dyn Iterator<Item = [Value; 2]>>;

/// Runs the statements of the entry file.
pub struct Executor<'m, 'a> {
    pub(super) machine: &'m mut Machine<'a>,
    pub(super) declared: Declared,
    /// How many resources and edges other executors declared.
    elsewhere: usize,
    work: Vec<Work>,
}

impl<'m, 'a> Executor<'m, 'a> {
    /// Makes an executor that has declared nothing yet.
    pub fn new(machine: &'m mut Machine<'a>) -> Self {
        Self::beside(machine, Declared::default(), 0)
    }

    /// One of several executors for the same program; they share words.
    pub(super) fn beside(machine: &'m mut Machine<'a>, declared: Declared, elsewhere: usize) -> Self {
        Self { machine, declared, elsewhere, work: Vec::new() }
    }

    /// Runs one statement by itself. Returns its declarations, and the block or loop that it opens.
    pub(super) fn single(
        mut self,
        stmt: StmtId,
        frame: FrameId,
        container: Container,
    ) -> (Declared, Result<Option<Work>, Fault>) {
        let done = self.statement(stmt, frame, container);
        (self.declared, done.map(|()| self.work.pop()))
    }

    /// All declarations of the program; with errors, as far as they are known.
    pub fn run(mut self, diags: &mut Diagnostics) -> Declared {
        if let Some((block, frame)) = self.machine.entry() {
            self.work.push(Work::Block { block, next: 0, frame, container: Container::default() });
        }
        // A failed value fails again for each statement that uses it.
        let mut seen = FxHashSet::default();
        while let Err(fault) = self.walk() {
            let over = fault.is_cut_off();
            if seen.insert((fault.span, fault.message.clone())) {
                diags.push(fault.into_diagnostic());
            }
            if over || seen.len() >= FAILURES {
                break;
            }
        }
        self.declared
    }

    /// Walks until everything is done or a statement fails; the next walk continues with the following statement.
    fn walk(&mut self) -> Result<(), Fault> {
        while let Some(work) = self.work.last_mut() {
            match work {
                Work::Block { block, next, frame, container } => {
                    let Some(stmt) = self.machine.program.ast.blocks[*block].stmts.get(*next) else {
                        self.work.pop();
                        continue;
                    };
                    *next += 1;
                    let (frame, container) = (*frame, container.clone());
                    self.statement(*stmt, frame, container)?;
                }
                Work::Loop { body, items, frame, container } => {
                    let (body, frame, container) = (*body, *frame, container.clone());
                    match items.next() {
                        Some(given) => self.enter_block(body, frame, &given, container)?,
                        None => {
                            self.work.pop();
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn statement(&mut self, stmt: StmtId, frame: FrameId, container: Container) -> Result<(), Fault> {
        let statement = &self.machine.program.ast.stmts[stmt];
        let span = statement.span;
        self.machine.tick(Some(span))?;
        self.machine.world.note_at(&self.machine.program.sources, span);
        match &statement.kind {
            // Names, which are evaluated on use.
            StmtKind::Bind { .. } | StmtKind::Func { .. } | StmtKind::Class { .. } | StmtKind::Import { .. } => {}
            StmtKind::If { condition, then, else_part } => {
                let holds = operator::truth(&self.machine.eval(*condition, frame)?);
                if let Some(block) = if holds { Some(*then) } else { *else_part } {
                    self.enter_block(block, frame, &[], container)?;
                }
            }
            StmtKind::For { list, body, .. } => {
                if let Value::List(list) = self.machine.eval(*list, frame)? {
                    let items = (0..list.len()).map(move |at| [Value::Int(at as i64), list[at].clone()]);
                    self.work.push(Work::Loop { body: *body, items: Box::new(items), frame, container });
                }
            }
            StmtKind::ForKv { map, body, .. } => {
                if let Value::Map(map) = self.machine.eval(*map, frame)? {
                    let pairs: Vec<[Value; 2]> = map.iter().map(|(k, v)| [k.clone(), v.clone()]).collect();
                    let items = Box::new(pairs.into_iter());
                    self.work.push(Work::Loop { body: *body, items, frame, container });
                }
            }
            StmtKind::Include { .. } => self.include(stmt, frame, &container)?,
            StmtKind::Panic { args } => self.panic(args, frame, span)?,
            StmtKind::Resource(declared) => resource::declare(self, declared, span, frame, &container)?,
            StmtKind::Collect(collected) => resource::collect(self, collected, span, frame, &container)?,
            StmtKind::Edge { halves } => self.edges(halves, frame, span)?,
        }
        Ok(())
    }

    fn enter_block(
        &mut self,
        block: BlockId,
        frame: FrameId,
        given: &[Value],
        container: Container,
    ) -> Result<(), Fault> {
        let program = self.machine.program;
        if let Some(scope) = program.scopes.of_block.get(block) {
            let frame = self.machine.block_frame(*scope, frame, given);
            self.machine.tick(program.ast.blocks[block].stmts.first().map(|stmt| program.ast.stmts[*stmt].span))?;
            self.machine.charge(0, None)?;
            self.work.push(Work::Block { block, next: 0, frame, container });
        }
        Ok(())
    }

    /// Runs the body of a class; its declarations are contained in the class.
    fn include(&mut self, include: StmtId, frame: FrameId, container: &Container) -> Result<(), Fault> {
        let program = self.machine.program;
        let held = self.machine.include_frame(include, frame)?;
        let Some(target) = program.scopes.includes.get(include) else { return Ok(()) };
        let StmtKind::Class { path, body, .. } = &program.ast.stmts[target.class].kind else { return Ok(()) };
        if container.len() >= INCLUDE_DEPTH {
            let message = format!("classes include each other more than {INCLUDE_DEPTH} deep");
            return Err(Fault::fatal(Code::EvaluationLimit, program.ast.stmts[include].span, message));
        }
        let mut inner = (**container).clone();
        let name = path.last().map_or("", |name| &name.text);
        if let Some(why) = native::absent(&program.sources.file(program.ast.blocks[*body].span.file).name, name) {
            let (span, help) = (program.ast.stmts[include].span, "remove one of these includes");
            return Err(Fault::fatal(Code::Misplaced, span, why).help(help));
        }
        inner.push(self.declared.intern(&format!("class {name}")));
        self.work.push(Work::Block { block: *body, next: 0, frame: held, container: Rc::new(inner) });
        Ok(())
    }

    /// `panic(text)` fires unless the text is empty, `panic(flag)` and `panic(flag, text)` if the flag is true.
    fn panic(&mut self, args: &[ExprId], frame: FrameId, span: Span) -> Result<(), Fault> {
        let args = args.iter().map(|arg| self.machine.eval(*arg, frame)).collect::<Result<Vec<_>, _>>()?;
        let message = match args.as_slice() {
            [Value::Str(text)] if !text.is_empty() => text.to_string(),
            [Value::Bool(true), Value::Str(text)] if !text.is_empty() => text.to_string(),
            [text @ Value::Bytes(_)] | [Value::Bool(true), text @ Value::Bytes(_)] => text.to_string(),
            [Value::Bool(true), ..] => "the condition is true".to_owned(),
            _ => return Ok(()),
        };
        Err(Fault::fatal(Code::Panicked, span, message)
            .help("the program stops here on purpose: its condition is true or its text is not empty; change what they depend on"))
    }

    /// Orders each half before the next one; with lists of names, every one before every other.
    fn edges(&mut self, halves: &[EdgeHalf], frame: FrameId, span: Span) -> Result<(), Fault> {
        let mut names = Vec::with_capacity(halves.len());
        for half in halves {
            names.push(self.names(&half.kind.text, half.name, frame)?);
        }
        for (pair, ends) in halves.windows(2).zip(names.windows(2)) {
            let send = match (&pair[0].field, &pair[1].field) {
                (Some(send), Some(recv)) => Some((self.declared.intern(&send.text), self.declared.intern(&recv.text))),
                _ => None,
            };
            let kinds = [self.declared.intern(&pair[0].kind.text), self.declared.intern(&pair[1].kind.text)];
            for from in &ends[0] {
                for to in &ends[1] {
                    let (from, to) = ((kinds[0].clone(), from.clone()), (kinds[1].clone(), to.clone()));
                    self.link(Link { from, to, notify: false, send: send.clone(), span })?;
                }
            }
        }
        Ok(())
    }

    /// Records an edge.
    pub(super) fn link(&mut self, link: Link) -> Result<(), Fault> {
        self.room(link.span)?;
        self.declared.links.push(link);
        Ok(())
    }

    /// Checks the limit for one more resource or edge.
    pub(super) fn room(&mut self, span: Span) -> Result<(), Fault> {
        self.machine.tick(Some(span))?;
        if self.elsewhere + self.declared.len() >= self.machine.limits.declared {
            let message = format!("more than {} resources and edges", self.machine.limits.declared);
            return Err(Fault::fatal(Code::EvaluationLimit, span, message));
        }
        Ok(())
    }

    /// Spends the bytes of copied names.
    fn charge_names(&mut self, value: &Value, expr: ExprId) -> Result<(), Fault> {
        let Value::List(names) = value else { return Ok(()) };
        let span = self.machine.span(expr);
        self.machine.charge(weight(value), Some(span))?;
        names.iter().try_for_each(|name| self.machine.charge(weight(name), Some(span)))
    }

    /// The names of a resource or half an edge: a text or a list of texts.
    pub(super) fn names(&mut self, kind: &str, expr: ExprId, frame: FrameId) -> Result<Vec<Arc<str>>, Fault> {
        let value = self.machine.eval(expr, frame)?;
        self.charge_names(&value, expr)?;
        let span = self.machine.span(expr);
        let name = |value: &Value| match value {
            Value::Str(name) => Ok(public_name(kind, name)),
            other => {
                let what = format!("a name must be UTF-8, which {other} is not");
                Err(Fault::fatal(Code::InvalidName, span, what).help("name it with text in UTF-8"))
            }
        };
        match &value {
            Value::List(names) => names.iter().map(name).collect(),
            one => Ok(vec![name(one)?]),
        }
    }
}
