//! Functions that modules have in Ruby: which of their methods takes the arguments, and its value.

use std::sync::Arc;

use super::expr::Block as Passed;
use super::value::Ruby;
use super::{Halt, Machine, Ran};
use crate::lang::ruby::Text;
use crate::lang::ruby::ast::{Block, Call, Expr, Kind, Lambda, Param as Taken};
use crate::lang::ruby::host::Host;
use crate::lang::ruby::{lexer, parser};

/// A function as its file defines it.
#[derive(Debug)]
pub struct Function(Expr);

impl Function {
    /// Whether it has the form of the third version of Puppet.
    pub fn is_old(&self) -> bool {
        definitions(&self.0).first().is_some_and(|call| &*call.name == "newfunction")
    }

    /// Reads a file; nothing where its Ruby is not known.
    pub fn read(text: &str) -> Option<Self> {
        let tokens = lexer::tokens(text, 1).ok()?;
        parser::program(&tokens, false).ok().map(Self)
    }
}

/// A parameter of a dispatch: its type, whether it may be missing, and whether it takes all that follow.
struct Param<'t> {
    ty: &'t str,
    name: &'t str,
    is_optional: bool,
    is_repeated: bool,
}

struct Dispatch<'t> {
    method: &'t str,
    params: Vec<Param<'t>>,
    takes_scope: bool,
}

/// Calls a function with the arguments that the host has. An old one has all of them as one list.
///
/// The host takes its value.
pub fn call_function(host: &mut dyn Host, name: &str, function: &Function) -> Ran<()> {
    let mut machine = Machine::new(host);
    let all = definitions(&function.0);
    let is_named = |call: &&&Call| call.args.first().and_then(Expr::literal).is_some_and(|text| &**text == name);
    let definition = match &all[..] {
        [] => return Err(Halt::Limit("a file without a function")),
        [one] => *one,
        _ => match all.iter().find(is_named) {
            Some(one) => *one,
            None => return Err(Halt::Limit("a file with other functions")),
        },
    };
    for call in all.iter().filter(|call| &*call.name == "newfunction") {
        if let (Some(name), Some(Block::Code(lambda))) = (call.args.first().and_then(Expr::literal), &call.block) {
            machine.siblings.insert(name.clone(), lambda.clone());
        }
    }
    let done = match &definition.block {
        Some(Block::Code(lambda)) if &*definition.name == "newfunction" => machine.old(lambda),
        Some(Block::Code(lambda)) => machine.dispatched(name, &lambda.body),
        _ => machine.outside(0, "a function without a block"),
    };
    let done = done.and_then(|value| {
        machine.check_bytes()?;
        machine.host.give_back(&mut machine.heap)?;
        machine.host.accept(&machine.heap, &value)
    });
    machine.close();
    done
}

/// Each `Puppet::Functions.create_function(:name) do … end`, or the older `newfunction`.
fn definitions(program: &Expr) -> Vec<&Call> {
    let found = program.statements().iter().map(|statement| match &statement.kind {
        Kind::Call(call) if matches!(&*call.name, "create_function" | "newfunction") => vec![&**call],
        Kind::Block(_) => definitions(statement),
        _ => Vec::new(),
    });
    found.flatten().collect()
}

fn dispatch(call: &Call) -> Option<Dispatch<'_>> {
    let method = call.args.first()?.literal()?;
    let Some(Block::Code(lambda)) = &call.block else { return None };
    let mut made = Dispatch { method, params: Vec::new(), takes_scope: false };
    for statement in lambda.body.statements() {
        let call = match &statement.kind {
            Kind::Call(call) => call,
            Kind::Name(name) if &**name == "scope_param" => {
                made.takes_scope = true;
                continue;
            }
            _ => return None,
        };
        let mut literals = call.args.iter().map(|arg| arg.literal().map(|text| &**text));
        let (is_optional, is_repeated) = match &*call.name {
            "param" | "required_param" => (false, false),
            "optional_param" => (true, false),
            "repeated_param" | "optional_repeated_param" => (true, true),
            "required_repeated_param" => (false, true),
            "scope_param" => {
                made.takes_scope = true;
                continue;
            }
            "return_type" | "argument_mismatch" => continue,
            _ => return None,
        };
        let (ty, name) = (literals.next()??, literals.next()??);
        made.params.push(Param { ty, name, is_optional, is_repeated });
    }
    Some(made)
}

/// `local_types do type 'Name = Type' end`
fn local_types(call: &Call) -> Option<Vec<(&str, &str)>> {
    let Some(Block::Code(lambda)) = &call.block else { return None };
    let each = lambda.body.statements().iter().map(|statement| match &statement.kind {
        Kind::Call(call) if &*call.name == "type" => {
            let (name, ty) = call.args.first()?.literal()?.split_once('=')?;
            Some((name.trim(), ty.trim()))
        }
        _ => None,
    });
    each.collect()
}

/// Whether a method `call` only passes its scope and its arguments to the dispatches:
/// `def call(scope, *args)` with `self.class.dispatcher.dispatch(self, scope, [scope] + args)`.
fn passes_scope(lambda: &Lambda) -> bool {
    let [Taken::Name(scope), Taken::Rest(args)] = &lambda.params[..] else { return false };
    let is = |expr: &Expr, name: &Text| matches!(&expr.kind, Kind::Name(it) if it == name);
    let is_joined = |expr: &Expr| match &expr.kind {
        Kind::Call(call) if &*call.name == "+" => {
            let first = call.receiver.as_ref().map(|receiver| &receiver.kind);
            matches!(first, Some(Kind::Array(list)) if matches!(&list[..], [one] if is(one, scope)))
                && matches!(&call.args[..], [one] if is(one, args))
        }
        _ => false,
    };
    let (last, joined) = match lambda.body.statements() {
        [Expr { kind: Kind::Assign(place, value), .. }, last] if is_joined(value) => (last, Some(&**place)),
        [last] => (last, None),
        _ => return false,
    };
    let Kind::Call(call) = &last.kind else { return false };
    let [this, first, list] = &call.args[..] else { return false };
    let passes = match (joined.map(|place| &place.kind), &list.kind) {
        (Some(Kind::Name(place)), Kind::Name(list)) => place == list,
        _ => is_joined(list),
    };
    &*call.name == "dispatch" && matches!(this.kind, Kind::Myself) && is(first, scope) && passes
}

impl Machine<'_> {
    fn old(&mut self, lambda: &Arc<Lambda>) -> Ran {
        let args = self.host.arguments(&mut self.heap)?;
        self.is_old = true;
        self.old_with(lambda, args)
    }

    /// Calls a function of the older form: its arguments are one list.
    pub fn old_with(&mut self, lambda: &Arc<Lambda>, args: Vec<Ruby>) -> Ran {
        let list = self.heap.array(args)?;
        match self.yields(0, &Passed::Code(lambda.clone(), self.frame), &[list]) {
            Err(Halt::Return(value)) => Ok(value),
            done => done,
        }
    }

    fn dispatched(&mut self, name: &str, body: &Expr) -> Ran {
        let mut args = self.host.arguments(&mut self.heap)?;
        let mut dispatches = Vec::new();
        let mut types: Vec<(&str, &str)> = Vec::new();
        for statement in body.statements() {
            match &statement.kind {
                Kind::Def(name, lambda) => {
                    self.methods.insert(name.clone(), lambda.clone());
                }
                Kind::Call(call) if &*call.name == "dispatch" => match dispatch(call) {
                    Some(dispatch) => dispatches.push(dispatch),
                    None => return self.outside(statement.line, "this `dispatch`"),
                },
                Kind::Call(call) if &*call.name == "local_types" => match local_types(call) {
                    Some(list) => types.extend(list),
                    None => return self.outside(statement.line, "these `local_types`"),
                },
                Kind::Call(call) if &*call.name == "require" => {}
                Kind::Name(name) if matches!(&**name, "private" | "protected" | "public") => {}
                _ => return self.outside(statement.line, "this statement of a function"),
            }
        }
        if dispatches.is_empty() {
            let method = name.rsplit("::").next().unwrap_or(name);
            dispatches.push(Dispatch {
                method,
                params: vec![Param { ty: "Any", name: "args", is_optional: true, is_repeated: true }],
                takes_scope: false,
            });
        }
        if types.iter().any(|(_, ty)| types.iter().any(|(name, _)| ty.contains(name))) {
            return self.outside(0, "types that name each other");
        }
        for param in dispatches.iter_mut().flat_map(|dispatch| &mut dispatch.params) {
            match types.iter().find(|(name, _)| *name == param.ty) {
                Some((_, ty)) => param.ty = ty,
                None if types.iter().any(|(name, _)| param.ty.contains(name)) => {
                    return self.outside(0, format!("the type `{}`", param.ty));
                }
                None => {}
            }
        }
        // Stdlib passes the scope of the caller as the first argument, so that a message names its place.
        if self.methods.get("call").is_some_and(|lambda| passes_scope(lambda)) {
            for dispatch in &mut dispatches {
                let takes_any = dispatch.params.first().is_some_and(|param| param.ty == "Any" && !param.is_repeated);
                if dispatch.takes_scope || !takes_any {
                    return self.outside(0, "a method `call` of a function");
                }
                dispatch.params.remove(0);
                dispatch.takes_scope = true;
            }
        } else if self.methods.contains_key("call") && dispatches.iter().all(|dispatch| dispatch.method != "call") {
            return self.outside(0, "a method `call` of a function");
        }
        let mut mismatch = None;
        for dispatch in &dispatches {
            match self.refusal(name, &dispatch.params, args.len())? {
                None => {
                    let Some(lambda) = self.methods.get(dispatch.method).cloned() else {
                        return self.outside(0, format!("a function without its method `{}`", dispatch.method));
                    };
                    if dispatch.takes_scope {
                        args.insert(0, Ruby::Scope);
                    } else {
                        self.host.leave_scope();
                    }
                    return self.call_defined(0, &lambda, &args, None);
                }
                Some(why) => mismatch = mismatch.or(Some(why)),
            }
        }
        Err(mismatch.unwrap_or_else(|| Halt::WrongCount(String::new())))
    }

    /// Why the parameters do not take the arguments.
    fn refusal(&mut self, name: &str, params: &[Param<'_>], count: usize) -> Ran<Option<Halt>> {
        let least = params.iter().filter(|param| !param.is_optional).count();
        let rest = params.last().filter(|param| param.is_repeated);
        if count < least || count > params.len() && rest.is_none() {
            let expected = match (least, params.len()) {
                (least, _) if rest.is_some() => format!("at least {least}"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("between {least} and {most}"),
            };
            let plural = if expected == "1" || expected == "at least 1" { "" } else { "s" };
            let message = format!("'{name}' expects {expected} argument{plural}, got {count}");
            return Ok(Some(Halt::WrongCount(message)));
        }
        for at in 0..count {
            let Some(param) = params.get(at).or(rest) else { break };
            match self.host.mismatch(at, param.ty) {
                Some(Ok(())) => {}
                Some(Err(got)) => {
                    return Ok(Some(Halt::WrongType(format!("'{name}' parameter '{}' {got}", param.name))));
                }
                None => return self.outside(0, format!("the type `{}`", param.ty)),
            }
        }
        Ok(None)
    }
}

/// Text in a query, as `CGI.escape` writes it: letters and digits stay, a blank is a plus.
pub fn form_escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => out.push(char::from(b)),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}
