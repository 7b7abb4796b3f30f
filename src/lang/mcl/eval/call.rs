//! Calls in the machine: of functions by name, of function values, and of built-ins, which may call back.

use std::path::Path;
use std::rc::Rc;

use super::closure::FrameId;
use super::frame::Cell;
use super::machine::{Machine, Task, weight};
use super::{Fault, Spot};
use crate::diag::Code;
use crate::lang::mcl::ast::{ExprId, ExprKind, StmtKind};
use crate::lang::mcl::builtin::{Call, Cells, Failure, Function};
use crate::lang::mcl::scope::CallTarget;
use crate::lang::mcl::unify::Site;
use crate::lang::mcl::value::Value;
use crate::lang::{Budget, Spent};
use crate::source::Span;
use crate::world::{PathKind, Read, Sample};

/// Whether a function does not visit the elements of its arguments, or pays for each.
fn glances(function: &Function) -> bool {
    matches!(
        (function.module, function.name),
        ("", "len" | "contains" | "list_lookup" | "map_lookup")
            | ("list" | "map", "lookup")
            | ("iter", "map" | "filter")
    )
}

/// Spends the steps of reading an argument, without the parts of its parts.
fn read(budget: &Budget, arg: &Value, function: &Function) -> Result<(), Spent> {
    match arg {
        Value::Str(text) => budget.text(text.len()),
        Value::Bytes(bytes) => budget.text(bytes.len()),
        Value::List(_) | Value::Map(_) if glances(function) => Ok(()),
        Value::List(items) => budget.items(items.len()),
        Value::Map(pairs) => budget.items(pairs.len()),
        _ => Ok(()),
    }
}

impl<'a> Machine<'a> {
    pub(super) fn start_call(&mut self, expr: ExprId, args: &[ExprId], frame: FrameId) -> Result<(), Fault> {
        match self.program.scopes.calls.get(expr) {
            Some(CallTarget::Builtin(function)) => {
                self.then(Task::Builtin(expr, function, frame), args.iter().copied(), frame);
                Ok(())
            }
            Some(CallTarget::Func { hops, func }) => {
                let outer = self.walk(frame, hops)?;
                let (Some(scope), StmtKind::Func { body, .. }) =
                    (self.program.scopes.of_func.get(*func), &self.program.ast.stmts[*func].kind)
                else {
                    return Err(self.lost(expr));
                };
                let (instance, spot) =
                    (self.instance(frame, Site::Call(expr)), self.frames.get(frame).spot.within(expr));
                let inner = self.add_frame(*scope, Some(outer), instance, spot);
                self.charge(0, None)?;
                self.fill_params(*scope, inner, |at| args.get(at).map(|arg| Cell::Waiting(*arg, frame)));
                self.tasks.push(Task::Eval(*body, inner));
                Ok(())
            }
            None => Err(self.lost(expr)),
        }
    }

    /// Calls the function value on top with the arguments of the call.
    pub(super) fn enter(&mut self, expr: ExprId, frame: FrameId) -> Result<(), Fault> {
        let function = self.pop();
        let (ExprKind::CallVar { args, .. } | ExprKind::CallLambda { args, .. }) = &self.expr(expr).kind else {
            return Err(self.lost(expr));
        };
        let spot = self.frames.get(frame).spot.within(expr);
        let (body, inner) =
            self.lambda_frame(&function, spot, |at| args.get(at).map(|arg| Cell::Waiting(*arg, frame)))?;
        self.tasks.push(Task::Eval(body, inner));
        Ok(())
    }

    /// The body of a function value and a new frame for it.
    pub(super) fn lambda_frame(
        &mut self,
        function: &Value,
        spot: Spot,
        given: impl Fn(usize) -> Option<Cell>,
    ) -> Result<(ExprId, FrameId), Fault> {
        let not_callable = |machine: &Self| machine.limit(Code::FunctionFailed, None, "not a function");
        let Value::Func(closure) = function else { return Err(not_callable(self)) };
        let (Some(scope), ExprKind::Lambda { body, .. }) =
            (self.program.scopes.of_lambda.get(closure.lambda), &self.expr(closure.lambda).kind)
        else {
            return Err(not_callable(self));
        };
        let instance = self.frames.get(closure.frame).instance;
        let frame = self.add_frame(*scope, Some(closure.frame), instance, spot);
        self.charge(0, None)?;
        self.fill_params(*scope, frame, given);
        Ok((*body, frame))
    }

    pub(super) fn call_builtin(
        &mut self,
        expr: ExprId,
        function: &'static Function,
        frame: FrameId,
    ) -> Result<(), Fault> {
        let ExprKind::Call { args, .. } = &self.expr(expr).kind else { return Err(self.lost(expr)) };
        let args = self.take(args.len());
        let span = self.span(expr);
        let world = self.world;
        let result = self.types.results.get(&(self.frames.get(frame).instance, expr)).map(|ty| &**ty);
        let spot = self.frames.get(frame).spot.within(expr);
        let (folder, root) = (self.folder(span), self.folder_of(0));
        // A function that calls back may lead to others with state; but none of those with a callback has its own
        // state.
        let calls_back = args.iter().any(|arg| matches!(arg, Value::Func(_)));
        // A function may read its arguments to their ends, however short its answer.
        for arg in &args {
            self.paid(read(&self.budget, arg, function), Some(span))?;
        }
        let budget = Rc::clone(&self.budget);
        let mut cells = if calls_back { Cells::default() } else { std::mem::take(&mut self.remembered) };
        let answer = {
            let mut turn = 0;
            let mut apply = |function: &Value, args: &[Value]| {
                turn += 1;
                // The reads so far belong to the built-in; later ones may belong to a cell.
                self.note_reads(expr);
                self.apply(function, args, spot.nth(turn))
            };
            let (apply, cells, budget) = (&mut apply, &mut cells, &*budget);
            (function.call)(&mut Call { args: &args, result, world, spot, folder, root, apply, cells, budget })
        };
        if !calls_back {
            self.remembered = cells;
        }
        self.note_reads(expr);
        let passing = self.passing.take();
        match answer {
            Ok(value) => {
                self.paid(self.budget.text(weight(&value)), Some(span))?;
                self.charge(weight(&value), Some(span))?;
                self.values.push(value);
                Ok(())
            }
            Err(failure) => Err(match passing {
                Some(fault) if fault.message == failure.message => fault,
                _ if failure.spent => self.limit(Code::EvaluationLimit, Some(span), failure.message),
                _ if failure.catchable => Fault::catchable(Code::FunctionFailed, span, failure.message),
                _ => {
                    let name = function.full_name();
                    let path = failure.message.strip_suffix(": not found").map(Path::new);
                    let code = match (&*name, path) {
                        (_, Some(_)) => Code::UnknownFile,
                        ("golang.template", _) => Code::TemplateFailed,
                        _ => Code::FunctionFailed,
                    };
                    let relative = failure.message.strip_prefix("the path \"");
                    let relative = relative.and_then(|rest| rest.strip_suffix("\" must begin with a slash"));
                    let help = match (failure.help, path.and_then(|path| self.near_file(path))) {
                        (Some(help), _) => help.to_owned(),
                        (None, Some(near)) => format!("did you mean `{near}`?"),
                        (None, None) if relative.is_some() => {
                            format!("write `\"/{}\"`", relative.unwrap_or_default())
                        }
                        (None, None) if code == Code::UnknownFile => "write the file, or correct the path".into(),
                        (None, None) if code == Code::TemplateFailed => {
                            "change the template there, or the fields that it gets".into()
                        }
                        (None, None) => format!("`workbench doc {name}` lists the allowed arguments"),
                    };
                    Fault::fatal(code, span, failure.message).help(help)
                }
            }),
        }
    }

    /// The file beside a missing one that was probably meant.
    fn near_file(&self, path: &Path) -> Option<String> {
        let folder = path.parent()?;
        let names = match self.world.read(&Read::Folder(folder.into())) {
            Ok(Sample::Names(names)) => names,
            _ => Default::default(),
        };
        let name = path.file_name()?.to_str()?;
        // The files of a module are named from its folder.
        if !path.is_absolute() && self.world.kind(&folder.join("files").join(name)) == PathKind::File {
            return Some(format!("/files/{name}"));
        }
        if let Some(near) = crate::diag::nearest(name, names.iter().map(String::as_str)) {
            return Some(folder.join(near).display().to_string());
        }
        // The folder has nearly that name.
        let above = folder.parent()?;
        let top = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        let Ok(Sample::Names(folders)) = self.world.read(&Read::Folder(top.into())) else { return None };
        let near = crate::diag::nearest(folder.file_name()?.to_str()?, folders.iter().map(String::as_str))?;
        let path = above.join(near).join(name);
        (self.world.kind(&path) == PathKind::File).then(|| path.display().to_string())
    }

    /// Calls a function value for a built-in: runs the machine recursively.
    pub(super) fn apply(&mut self, function: &Value, args: &[Value], spot: Spot) -> Result<Value, Failure> {
        let answer = if self.calls >= self.limits.calls {
            let message = format!("functions call each other more than {} deep", self.limits.calls);
            Err(self.limit(Code::EvaluationLimit, None, message))
        } else {
            self.calls += 1;
            let answer = self
                .lambda_frame(function, spot, |at| args.get(at).cloned().map(Cell::Ready))
                .and_then(|(body, frame)| self.eval(body, frame));
            self.calls -= 1;
            answer
        };
        answer.map_err(|fault| {
            let message = fault.message.clone();
            let failure = Failure { message, catchable: fault.catchable, spent: false, help: None };
            self.passing = Some(fault);
            failure
        })
    }

    /// The folder of the module of a place.
    pub(super) fn folder(&self, span: Span) -> &'a Path {
        let files = &self.program.files;
        self.folder_of(files.iter().position(|file| file.tree.file == span.file).unwrap_or_default())
    }

    pub(super) fn folder_of(&self, file: usize) -> &'a Path {
        self.program.files.get(file).map_or(Path::new(""), |file| &file.base)
    }
}
