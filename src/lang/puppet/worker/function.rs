//! Functions of modules in Ruby: which of their dispatches takes the arguments, and the call.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::super::ast::Text;
use super::super::call::{Block, Call};
use super::super::eval::Evaluator;
use super::super::foreign::{Called, Described, Dispatch, From};
use super::super::parser;
use super::super::program::RubyFile;
use super::super::stop::{Problem, Run, fail};
use super::super::types;
use super::super::value::Value;
use super::{Answer, sent};
use crate::lang::puppet::issue::IssueName;
use crate::source::Span;

impl Evaluator<'_> {
    /// Calls a function of a module. One of the third form has all arguments as one list.
    pub fn function_in_worker(&mut self, name: &str, file: &RubyFile, call: &Call, args: &[Value]) -> Run<Called> {
        let from = From { scope: call.scope, span: call.span, block: call.block.as_ref() };
        let path = place(file);
        let described = match self.described_function(name, file, from)? {
            Ok(described) => described,
            Err(what) => return Ok(Called::Outside(what)),
        };
        let (dispatch, returns) = match file.is_old {
            true => (0, None),
            false => match self.dispatch(name, &described, call, args)? {
                Ok(at) => (at, described.dispatches.get(at).and_then(|one| one.returns.as_deref())),
                Err(why) => return self.mismatched(name, file, &described, call, args, why),
            },
        };
        let mut held = Vec::new();
        let sent = args.iter().map(|arg| sent::to_json(arg, &mut held)).collect::<Option<Vec<_>>>();
        let Some(sent) = sent else { return Ok(Called::Value(Value::Unknown(None))) };
        let block = call.block.as_ref().map(|block| json!({ "arity": arity(block) }));
        let request = json!({
            "do": "call", "name": name, "file": path, "old": file.is_old, "dispatch": dispatch, "args": sent, "block": block,
        });
        match self.ask_worker(request, from, &mut held)? {
            Answer::Unknown => Ok(Called::Value(Value::Unknown(None))),
            Answer::Outside(what) => Ok(Called::Outside(what)),
            Answer::Done(answer) if answer.contains_key("nothing") => Ok(Called::Nothing),
            Answer::Done(answer) => {
                let value = self.value_of(answer.get("value"), &held, call.span)?;
                if let Some(returns) = returns {
                    let ty = self.type_from_text(returns, call.span)?;
                    if !types::is_instance(&ty, &value) {
                        let got = types::describe_mismatch(&ty, &value);
                        return call.wrong_type(format!("value returned from function '{name}' has wrong type, {got}"));
                    }
                }
                Ok(Called::Value(value))
            }
        }
    }

    /// Calls a block that Ruby has passed to a function of the language.
    pub fn block_in_worker(&mut self, outer: &Json, block: &Block, args: &[Value], span: Span) -> Run {
        let mut held = Vec::new();
        let sent = args.iter().map(|arg| sent::to_json(arg, &mut held)).collect::<Option<Vec<_>>>();
        let Some(sent) = sent else { return Ok(Value::Unknown(None)) };
        let request = json!({ "do": "yield", "of": outer, "args": sent });
        let from = From { scope: block.scope, span, block: None };
        match self.ask_worker(request, from, &mut held)? {
            Answer::Done(answer) => self.value_of(answer.get("value"), &held, span),
            Answer::Unknown => Ok(Value::Unknown(None)),
            Answer::Outside(what) => {
                self.output.warn_once(format!("a block in Ruby needs {what}, which is not available to Ruby here"));
                self.output.has_unknown = true;
                self.worker.has_lost_block = true;
                Ok(Value::Unknown(None))
            }
        }
    }

    fn described_function(
        &mut self,
        name: &str,
        file: &RubyFile,
        from: From<'_>,
    ) -> Run<Result<Arc<Described>, String>> {
        if let Some(described) = self.worker.functions.get(name) {
            return Ok(Ok(Arc::clone(described)));
        }
        let path = place(file);
        let request = json!({ "do": "describe", "name": name, "file": path, "old": file.is_old });
        let described = match self.ask_worker(request, from, &mut Vec::new())? {
            Answer::Outside(what) => return Ok(Err(what)),
            Answer::Done(mut answer) => answer.remove("function").unwrap_or(Json::Null),
            Answer::Unknown => Json::Null,
        };
        let Ok(described) = serde_json::from_value::<Described>(described) else {
            return fail(from.span, IssueName::RuntimeError, "the worker describes a function in an unknown way");
        };
        for text in &described.types {
            let text = format!("type {text}");
            let id = self.inputs.sources.add(file.path.to_string_lossy(), None, text.as_str());
            if let Ok(program) = parser::parse(id, &text, false, &mut Vec::new()) {
                self.loader().define(&program)?;
            }
        }
        let described = Arc::new(described);
        self.worker.functions.insert(Text::from(name), Arc::clone(&described));
        Ok(Ok(described))
    }

    /// The dispatch that takes the arguments, or why none does.
    fn dispatch(
        &mut self,
        name: &str,
        described: &Described,
        call: &Call,
        args: &[Value],
    ) -> Run<Result<usize, Problem>> {
        let mut mismatch = None;
        for (at, dispatch) in described.dispatches.iter().enumerate() {
            match self.refusal(name, dispatch, call, args)? {
                None => return Ok(Ok(at)),
                Some(why) => mismatch = mismatch.or(Some(why)),
            }
        }
        Ok(Err(mismatch.unwrap_or_else(|| Problem::wrong_count(format!("'{name}' takes no arguments")))))
    }

    /// The message of a mismatch, which the function itself may give.
    fn mismatched(
        &mut self,
        name: &str,
        file: &RubyFile,
        described: &Described,
        call: &Call,
        args: &[Value],
        why: Problem,
    ) -> Run<Called> {
        let mut own = None;
        for (at, dispatch) in described.mismatches.iter().enumerate() {
            if self.refusal(name, dispatch, call, args)?.is_none() {
                own = Some(described.dispatches.len() + at);
                break;
            }
        }
        let mut held = Vec::new();
        let sent: Option<Vec<Json>> = args.iter().map(|arg| sent::to_json(arg, &mut held)).collect();
        if let (Some(at), Some(sent)) = (own, sent) {
            let path = place(file);
            let request = json!({ "do": "call", "name": name, "file": path, "dispatch": at, "args": sent });
            let from = From { scope: call.scope, span: call.span, block: None };
            if let Answer::Done(answer) = self.ask_worker(request, from, &mut held)? {
                let text = answer.get("value").and_then(Json::as_str).unwrap_or_default();
                return call.wrong_type(format!("'{name}' {text}"));
            }
        }
        Err(why.at(call.span))
    }

    /// Why a dispatch does not take the arguments.
    fn refusal(&mut self, name: &str, dispatch: &Dispatch, call: &Call, args: &[Value]) -> Run<Option<Problem>> {
        let params = &dispatch.params;
        let least = params.iter().filter(|param| !param.optional).count();
        let rest = params.last().filter(|param| param.repeated);
        let most = if rest.is_some() { usize::MAX } else { params.len() };
        if !(least..=most).contains(&args.len()) {
            let count = types::count_mismatch(least, most, args.len());
            return Ok(Some(Problem::wrong_count(format!("'{name}' {count}"))));
        }
        for (at, value) in args.iter().enumerate() {
            let Some(param) = params.get(at).or(rest) else { break };
            if param.ty == "Any" {
                continue;
            }
            let ty = self.type_from_text(&param.ty, call.span)?;
            if !types::is_instance(&ty, value) {
                let got = types::describe_mismatch(&ty, value);
                let message = format!("'{name}' parameter '{}' {got}", param.name);
                return Ok(Some(Problem::new(IssueName::of_argument(value), message)));
            }
        }
        Ok(match (&call.block, &dispatch.block) {
            (None, None) => None,
            (Some(_), None) => Some(Problem::wrong_count(format!("'{name}' does not expect a block"))),
            (None, Some(wanted)) if wanted.optional => None,
            (None, Some(_)) => Some(Problem::wrong_type(format!("'{name}' expects a block"))),
            (Some(block), Some(wanted)) if takes(block, &wanted.ty) => None,
            (Some(_), Some(wanted)) => {
                Some(Problem::wrong_type(format!("'{name}' expects a block of the type {}", wanted.ty)))
            }
        })
    }
}

/// The module of a file and its path there: folders differ between machines.
fn place(file: &RubyFile) -> Json {
    let path = file.path.to_string_lossy();
    let inner = path.rfind("/lib/puppet/").map_or(&*path, |at| &path[at + 1..]);
    json!([file.module, inner])
}

/// The arity of a lambda as Ruby counts it.
fn arity(block: &Block) -> i64 {
    let (least, most) = block.arity();
    let least = i64::try_from(least).unwrap_or(0);
    if usize::try_from(least) == Ok(most) { least } else { -least - 1 }
}

/// Whether a lambda can be called as a type such as `Callable[2, 2]` says. Other types take every lambda.
fn takes(block: &Block, ty: &str) -> bool {
    let Some(inner) = ty.trim().strip_prefix("Callable[").and_then(|rest| rest.strip_suffix(']')) else { return true };
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    let numbers: Vec<usize> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    let (from, to) = match (&numbers[..], parts.len()) {
        ([from, to], 2) => (*from, *to),
        ([from], 1) => (*from, *from),
        ([], count) if !inner.contains(['[', '{']) => (count, count),
        _ => return true,
    };
    let (least, most) = block.arity();
    least <= from && (to <= most || most == usize::MAX)
}
