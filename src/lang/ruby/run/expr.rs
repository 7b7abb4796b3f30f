//! Expressions and statements.

use std::sync::Arc;

use super::value::{Ruby, Table};
use super::{Frame, Halt, Machine, Ran};
use crate::lang::ruby::Text;
use crate::lang::ruby::ast::{Call, Expr, Kind, Lambda, Param};
use crate::lang::ruby::regexp::Regexp;

/// Whether a constant is a value and no class, as its capitals show.
fn is_value(name: &str) -> bool {
    const CLASSES: [&str; 9] = ["CGI", "ERB", "HMAC", "JSON", "KDF", "MD5", "SHA1", "SHA256", "YAML"];
    let last = name.rsplit("::").next().unwrap_or(name);
    last.len() > 1 && !last.contains(|c: char| c.is_lowercase()) && !CLASSES.contains(&last)
}

/// A block that a method calls.
#[derive(Clone, Debug)]
pub enum Block {
    Code(Arc<Lambda>, usize),
    /// `&:name`
    Method(Text),
}

/// Whether a global variable has no value: Ruby itself sets only few with such names.
fn is_unset(name: &str) -> bool {
    !matches!(name, "stdin" | "stdout" | "stderr" | "_") && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

impl Machine<'_> {
    /// Evaluates an expression or statement.
    pub fn eval(&mut self, expr: &Expr) -> Ran {
        self.step()?;
        match &expr.kind {
            Kind::Nil => Ok(Ruby::Nil),
            Kind::Bool(value) => Ok(Ruby::Bool(*value)),
            Kind::Int(value) => Ok(Ruby::Int(*value)),
            Kind::Float(value) => Ok(Ruby::Float(*value)),
            Kind::Myself => Ok(Ruby::Myself),
            Kind::Str(text) => self.string(&**text),
            Kind::Symbol(name) => Ok(Ruby::Symbol(name.clone())),
            Kind::Interpolated(parts) => {
                let text = self.joined(parts)?;
                self.string(text)
            }
            Kind::SymbolOf(parts) => Ok(Ruby::Symbol(self.joined(parts)?.into())),
            Kind::Regexp(parts, flags) => self.regexp(parts, flags),
            Kind::Array(items) => {
                let list = self.args(items)?;
                self.heap.array(list)
            }
            Kind::Hash(pairs) => self.hash(pairs),
            Kind::Range { from, to, excludes_end } => {
                self.range(expr.line, from.as_deref(), to.as_deref(), *excludes_end)
            }
            Kind::Name(name) => match self.local(name) {
                Some(value) => Ok(value),
                None => self.own(expr.line, name, &[], None),
            },
            Kind::Ivar(name) => self.ivar(name),
            Kind::Gvar(name) => self.global(expr.line, name),
            Kind::Const(name) if is_value(name) => self.outside(expr.line, format!("the constant `{name}`")),
            Kind::Const(name) => Ok(Ruby::Const(name.clone())),
            Kind::Assign(place, value) => {
                let value = self.eval(value)?;
                self.assign(place, value)
            }
            Kind::Change(op, place, value) => self.change(op, place, value),
            Kind::Spread(places, value) => self.spread(places, value),
            Kind::Call(call) => self.call_expr(expr.line, call),
            Kind::Not(value) => Ok(Ruby::Bool(!self.eval(value)?.is_true())),
            Kind::And(a, b) => match self.eval(a)? {
                value if value.is_true() => self.eval(b),
                value => Ok(value),
            },
            Kind::Or(a, b) => match self.eval(a)? {
                value if value.is_true() => Ok(value),
                _ => self.eval(b),
            },
            Kind::Defined(value) => self.defined(value),
            Kind::If(condition, yes, no) => {
                let (taken, other) = if self.eval(condition)?.is_true() { (yes, no) } else { (no, yes) };
                // A variable that only the other branch assigns is nil.
                if let Kind::Assign(place, _) = &other.kind
                    && let Kind::Name(name) = &place.kind
                    && self.local(name).is_none()
                {
                    self.set_local(name, Ruby::Nil);
                }
                self.eval(taken)
            }
            Kind::While(condition, body, until) => self.repeat(condition, body, *until),
            Kind::Case(subject, arms, other) => self.case(expr.line, subject.as_deref(), arms, other),
            Kind::Rescue(body, handler) => {
                let open = self.files.len();
                match self.eval(body) {
                    Err(Halt::Fail(..)) => {
                        self.files.truncate(open);
                        self.eval(handler)
                    }
                    done => done,
                }
            }
            Kind::For(params, list, body) => self.each_of(expr.line, params, list, body),
            Kind::Block(list) => list.iter().try_fold(Ruby::Nil, |_, statement| self.eval(statement)),
            Kind::Splat(_) => self.outside(expr.line, "`*` at this place"),
            Kind::Lambda(lambda) => {
                self.keeps_frames = true;
                Ok(Ruby::Proc(lambda.clone(), self.frame))
            }
            Kind::Break(value) => Err(Halt::Break(self.optional(value.as_deref())?)),
            Kind::Next(value) => Err(Halt::Next(self.optional(value.as_deref())?)),
            Kind::Return(value) => Err(Halt::Return(self.optional(value.as_deref())?)),
            Kind::Text(text) => {
                self.heap.use_up(text.len())?;
                self.out.push_str(text);
                Ok(Ruby::Nil)
            }
            Kind::Output(value) => {
                let value = self.eval(value)?;
                let text = self.heap.shown(&value);
                self.heap.use_up(text.len())?;
                self.out.push_str(&text);
                Ok(Ruby::Nil)
            }
            Kind::Unread(what) => self.outside(expr.line, what.as_str()),
            Kind::Def(name, lambda) => {
                self.methods.insert(name.clone(), lambda.clone());
                Ok(Ruby::Symbol(name.clone()))
            }
            Kind::TitlePatterns(_) => self.outside(expr.line, "`def`"),
        }
    }

    fn optional(&mut self, value: Option<&Expr>) -> Ran {
        value.map_or(Ok(Ruby::Nil), |value| self.eval(value))
    }

    /// Evaluates the parts of a text with interpolation, and joins them.
    pub fn joined(&mut self, parts: &[Expr]) -> Ran<String> {
        let mut text = String::new();
        for part in parts {
            match &part.kind {
                Kind::Str(piece) => text.push_str(piece),
                _ => {
                    let value = self.eval(part)?;
                    text.push_str(&self.heap.shown(&value));
                    self.heap.has_room(text.len())?;
                }
            }
        }
        Ok(text)
    }

    fn regexp(&mut self, parts: &[Expr], flags: &str) -> Ran {
        let mut source = String::new();
        let flags: String = flags.chars().filter(|c| matches!(c, 'i' | 'm' | 'x')).collect();
        if !flags.is_empty() {
            source.push_str(&format!("(?{flags})"));
        }
        for part in parts {
            match &part.kind {
                Kind::Str(piece) => source.push_str(piece),
                _ => {
                    let value = self.eval(part)?;
                    source.push_str(&self.heap.shown(&value));
                }
            }
        }
        Ok(Ruby::Regexp(Arc::new(Regexp::new(source))))
    }

    fn hash(&mut self, pairs: &[(Expr, Expr)]) -> Ran {
        let mut table = Table::default();
        for (key, value) in pairs {
            let (key, value) = (self.eval(key)?, self.eval(value)?);
            table.insert(self.heap.key(&key), (key, value));
        }
        self.heap.hash(table)
    }

    fn range(&mut self, line: u32, from: Option<&Expr>, to: Option<&Expr>, excludes_end: bool) -> Ran {
        let from = from.map_or(Ok(Ruby::Int(0)), |from| self.eval(from))?;
        // Without an end, of a list and a text the last one counts.
        let to = to.map_or(Ok(Ruby::Int(-1)), |to| self.eval(to))?;
        match (from, to) {
            (Ruby::Int(from), Ruby::Int(to)) => {
                Ok(Ruby::Range(from, if excludes_end { to.saturating_sub(1) } else { to }))
            }
            (Ruby::Str(from), Ruby::Str(to)) => {
                let letter = |text: &str| text.chars().next().filter(|c| c.is_ascii() && text.len() == 1);
                let ends = letter(self.heap.text(from)).zip(letter(self.heap.text(to)));
                let Some((from, to)) = ends else { return self.outside(line, "a range of texts") };
                let letters = (from..=to).filter(|c| !excludes_end || *c != to);
                self.strings(letters.map(String::from).collect::<Vec<_>>())
            }
            _ => self.outside(line, "a range of other values than integers and letters"),
        }
    }

    /// Values of arguments or elements, where `*` is followed.
    pub fn args(&mut self, exprs: &[Expr]) -> Ran<Vec<Ruby>> {
        let mut out = Vec::with_capacity(exprs.len());
        for expr in exprs {
            match &expr.kind {
                Kind::Splat(list) => {
                    let list = self.eval(list)?;
                    let items = self.items(expr.line, &list)?;
                    out.extend(items);
                }
                _ => out.push(self.eval(expr)?),
            }
        }
        Ok(out)
    }

    /// Returns a local variable of the current frame or an enclosing one.
    pub fn local(&self, name: &str) -> Option<Ruby> {
        self.visible_frames().find_map(|frame| frame.names.get(name)).cloned()
    }

    /// The current frame and those around it, the innermost first.
    pub(super) fn visible_frames(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(self.frames.get(self.frame), |frame| self.frames.get(frame.outer?))
    }

    /// The local variable that was probably meant by a name that is none, and no method of every object.
    pub fn near_local(&self, name: &str) -> Option<String> {
        const METHODS: [&str; 24] = [
            "binding", "caller", "class", "clone", "display", "dup", "exit", "freeze", "gets", "hash", "inspect",
            "itself", "method", "methods", "open", "print", "puts", "rand", "select", "send", "sleep", "system",
            "test", "warn",
        ];
        if METHODS.contains(&name) {
            return None;
        }
        self.visible_frames().find_map(|frame| {
            let mut names: Vec<&str> = frame.names.keys().map(|name| &**name).collect();
            names.sort_unstable();
            crate::diag::nearest(name, names).map(str::to_owned)
        })
    }

    /// Gives a local variable a value: in the block that knows it, else in this one.
    pub fn set_local(&mut self, name: &Text, value: Ruby) {
        let mut at = Some(self.frame);
        while let Some(index) = at {
            let Some(frame) = self.frames.get_mut(index) else { break };
            if let Some(have) = frame.names.get_mut(name) {
                *have = value;
                return;
            }
            at = frame.outer;
        }
        if let Some(frame) = self.frames.get_mut(self.frame) {
            frame.names.insert(name.clone(), value);
        }
    }

    fn global(&mut self, line: u32, name: &str) -> Ran {
        if let Some(value) = self.globals.get(name) {
            return Ok(value.clone());
        }
        match (name, &self.found) {
            ("~", Some(found)) => {
                let found = found.clone();
                self.heap.found(found)
            }
            ("~", None) => Ok(Ruby::Nil),
            (number, found) => match number.parse::<usize>() {
                Ok(number) => {
                    let group = found.as_ref().and_then(|found| found.groups.get(number).cloned().flatten());
                    group.map_or(Ok(Ruby::Nil), |text| self.string(text))
                }
                // Ruby itself sets none of these names.
                Err(_) if is_unset(name) => {
                    let file = self.files.last().cloned().unwrap_or_default();
                    self.host.warn(format!(
                        "{file}:{line}: `${name}` is a global variable of Ruby, which has no value: write `@{name}` for the \
                         variable of Puppet"
                    ));
                    Ok(Ruby::Nil)
                }
                Err(_) => self.outside(line, format!("the variable `${name}`")),
            },
        }
    }

    /// Assigns a value to a variable or an element, and returns the value. Fails for any other place.
    pub fn assign(&mut self, place: &Expr, value: Ruby) -> Ran {
        match &place.kind {
            Kind::Name(name) => self.set_local(name, value.clone()),
            Kind::Ivar(name) => {
                self.ivars.insert(name.clone(), value.clone());
            }
            Kind::Call(call) if &*call.name == "[]" => {
                let Some(receiver) = &call.receiver else { return self.outside(place.line, "this assignment") };
                let receiver = self.eval(receiver)?;
                let mut args = self.args(&call.args)?;
                args.push(value.clone());
                self.method(place.line, &receiver, "[]=", &args, None)?;
            }
            Kind::Gvar(name) if is_unset(name) => {
                self.globals.insert(name.clone(), value.clone());
            }
            Kind::Call(call) => return self.outside(place.line, format!("the assignment to `.{}`", call.name)),
            _ => return self.outside(place.line, "the assignment to a constant or global variable"),
        }
        Ok(value)
    }

    /// `a += 1`, `a ||= 1`
    fn change(&mut self, op: &str, place: &Expr, value: &Expr) -> Ran {
        let (line, kind) = (place.line, &place.kind);
        // The receiver and the index are evaluated once.
        if let Kind::Call(call) = kind
            && &*call.name == "[]"
            && let Some(receiver) = &call.receiver
        {
            let receiver = self.eval(receiver)?;
            let mut args = self.args(&call.args)?;
            let have = self.method(line, &receiver, "[]", &args, None)?;
            let Some(made) = self.value_after(op, line, &have, value)? else { return Ok(have) };
            args.push(made.clone());
            self.method(line, &receiver, "[]=", &args, None)?;
            return Ok(made);
        }
        let have = match kind {
            Kind::Name(name) => self.local(name).unwrap_or(Ruby::Nil),
            _ => self.eval(place)?,
        };
        match self.value_after(op, line, &have, value)? {
            Some(made) => self.assign(place, made),
            None => Ok(have),
        }
    }

    /// Returns the new value of `a OP= value`; `None` if `a` stays as it is.
    fn value_after(&mut self, op: &str, line: u32, have: &Ruby, value: &Expr) -> Ran<Option<Ruby>> {
        match op {
            "||" if have.is_true() => return Ok(None),
            "&&" if !have.is_true() => return Ok(None),
            _ => {}
        }
        let value = self.eval(value)?;
        match op {
            "||" | "&&" => Ok(Some(value)),
            op => self.method(line, have, op, &[value], None).map(Some),
        }
    }

    fn spread(&mut self, places: &[Expr], value: &Expr) -> Ran {
        let value = self.eval(value)?;
        let items = self.heap.elements(&value).to_vec();
        for (at, place) in places.iter().enumerate() {
            self.assign(place, items.get(at).cloned().unwrap_or(Ruby::Nil))?;
        }
        Ok(value)
    }

    fn call_expr(&mut self, line: u32, call: &Call) -> Ran {
        if let Some(done) = self.with_index(line, call)? {
            return Ok(done);
        }
        if let Some(done) = self.path_form(line, call)? {
            return Ok(done);
        }
        let receiver = call.receiver.as_ref().map(|receiver| self.eval(receiver)).transpose()?;
        if call.is_safe && matches!(receiver, Some(Ruby::Nil)) {
            return Ok(Ruby::Nil);
        }
        let args = self.args(&call.args)?;
        let block = match &call.block {
            None => None,
            Some(block) => self.block(line, block)?,
        };
        let done = match &receiver {
            Some(receiver) => self.method(line, receiver, &call.name, &args, block.as_ref()),
            None => self.own(line, &call.name, &args, block.as_ref()),
        };
        match done {
            Err(Halt::Break(value)) if matches!(block, Some(Block::Code(..))) => Ok(value),
            done => done,
        }
    }

    /// Converts the block of a call to one that can run; `None` for `&nil`.
    pub fn block(&mut self, line: u32, block: &crate::lang::ruby::ast::Block) -> Ran<Option<Block>> {
        use crate::lang::ruby::ast::Block as Written;
        Ok(Some(match block {
            Written::Code(lambda) => Block::Code(lambda.clone(), self.frame),
            Written::Pass(value) => match self.eval(value)? {
                Ruby::Symbol(name) => Block::Method(name),
                Ruby::Proc(lambda, frame) => Block::Code(lambda, frame),
                Ruby::Nil => return Ok(None),
                other => return self.outside(line, format!("a {} as a block", other.class())),
            },
        }))
    }

    /// Calls a block with arguments; `next` is its value.
    pub fn yields(&mut self, line: u32, block: &Block, args: &[Ruby]) -> Ran {
        let (lambda, outer) = match block {
            Block::Code(lambda, outer) => (lambda.clone(), *outer),
            Block::Method(name) => {
                let Some((receiver, rest)) = args.split_first() else { return self.fail(line, "no receiver given") };
                return self.method(line, receiver, name, rest, None);
            }
        };
        self.deeper(|m| {
            let frame = Frame { outer: Some(outer), ..Frame::default() };
            match m.in_frame(frame, |m| m.bind(&lambda.params, args).and_then(|()| m.eval(&lambda.body))) {
                Err(Halt::Next(value)) => Ok(value),
                done => done,
            }
        })
    }

    /// Runs code in a frame of its own.
    fn in_frame(&mut self, frame: Frame, run: impl FnOnce(&mut Self) -> Ran) -> Ran {
        let before = std::mem::replace(&mut self.frame, self.frames.len());
        self.frames.push(frame);
        let done = run(self);
        if !self.keeps_frames {
            self.frames.pop();
        }
        self.frame = before;
        done
    }

    /// Gives parameters their values. One list is spread over several parameters.
    fn bind(&mut self, params: &[Param], args: &[Ruby]) -> Ran<()> {
        let items = match (args, params) {
            ([Ruby::Array(id)], [_, _, ..] | [Param::Group(_)]) if !matches!(params, [Param::Group(_)]) => {
                self.heap.list(*id).to_vec()
            }
            _ => args.to_vec(),
        };
        self.bind_each(params, &items)
    }

    /// Calls what `def` defined. It sees no variables around it.
    pub fn call_defined(&mut self, line: u32, lambda: &Lambda, args: &[Ruby], block: Option<&Block>) -> Ran {
        self.check_count(line, &lambda.params, args.len())?;
        let run = |m: &mut Self| {
            let bound = m.bind_each(&lambda.params, args);
            if let Some(Param::Block(name)) = lambda.params.last() {
                let value = match block {
                    Some(Block::Code(lambda, frame)) => {
                        m.keeps_frames = true;
                        Ruby::Proc(lambda.clone(), *frame)
                    }
                    Some(Block::Method(name)) => Ruby::Symbol(name.clone()),
                    None => Ruby::Nil,
                };
                m.set_own(name, value);
            }
            bound.and_then(|()| m.eval(&lambda.body))
        };
        let frame = Frame { has_block: block.is_some(), ..Frame::default() };
        match self.deeper(|m| m.in_frame(frame, run)) {
            Err(Halt::Return(value)) => Ok(value),
            done => done,
        }
    }

    /// Refuses a number of arguments that a method does not take.
    fn check_count(&self, line: u32, params: &[Param], count: usize) -> Ran<()> {
        let is_needed = |param: &&Param| matches!(param, Param::Name(_) | Param::Group(_));
        let is_optional = |param: &&Param| matches!(param, Param::Optional(..));
        let least = params.iter().filter(is_needed).count();
        let most = least + params.iter().filter(is_optional).count();
        let takes_rest = params.iter().any(|param| matches!(param, Param::Rest(_)));
        if count < least || count > most && !takes_rest {
            let expected = match (takes_rest, least == most) {
                (true, _) => format!("{least}+"),
                (false, true) => least.to_string(),
                (false, false) => format!("{least}..{most}"),
            };
            return self.fail(line, format!("wrong number of arguments (given {count}, expected {expected})"));
        }
        if count < most && params.iter().skip_while(|param| !is_optional(param)).any(|param| is_needed(&param)) {
            return self.outside(line, "a parameter with a default before one without");
        }
        Ok(())
    }

    fn bind_each(&mut self, params: &[Param], items: &[Ruby]) -> Ran<()> {
        let is_plain = |param: &&Param| !matches!(param, Param::Block(_));
        let after_rest =
            params.iter().filter(is_plain).rev().take_while(|param| !matches!(param, Param::Rest(_))).count();
        let is_needed = |param: &Param| matches!(param, Param::Name(_) | Param::Group(_));
        let mut at = 0;
        for (index, param) in params.iter().enumerate() {
            match param {
                Param::Rest(name) => {
                    let behind = params.iter().skip(index + 1).filter(is_plain).count();
                    let end = items.len().saturating_sub(behind.min(after_rest)).max(at);
                    let rest = self.heap.array(items.get(at..end).unwrap_or_default().to_vec())?;
                    at = end;
                    self.set_own(name, rest);
                    continue;
                }
                Param::Block(_) => continue,
                Param::Name(name) => {
                    let value = items.get(at).cloned().unwrap_or(Ruby::Nil);
                    self.set_own(name, value);
                }
                Param::Optional(name, default) => {
                    // Parameters without a default are served first.
                    let needed = params.iter().skip(index + 1).filter(|param| is_needed(param)).count();
                    match items.get(at).filter(|_| at + needed < items.len()) {
                        Some(value) => self.set_own(name, value.clone()),
                        None => {
                            let value = self.eval(default)?;
                            self.set_own(name, value);
                            continue;
                        }
                    }
                }
                Param::Group(inner) => {
                    let value = items.get(at).cloned().unwrap_or(Ruby::Nil);
                    let parts = self.heap.elements(&value).to_vec();
                    self.deeper(|m| m.bind(inner, &parts))?;
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// A parameter hides what is outside of its block.
    fn set_own(&mut self, name: &Text, value: Ruby) {
        if let Some(frame) = self.frames.get_mut(self.frame) {
            frame.names.insert(name.clone(), value);
        }
    }

    fn defined(&mut self, value: &Expr) -> Ran {
        let word = match &value.kind {
            Kind::Ivar(name) => match self.ivar(name)? {
                Ruby::Nil => return Ok(Ruby::Nil),
                _ => "instance-variable",
            },
            Kind::Name(name) if self.local(name).is_some() => "local-variable",
            Kind::Name(name) if matches!(&**name, "scope" | "file") => "method",
            Kind::Name(_) => return Ok(Ruby::Nil),
            Kind::Nil | Kind::Str(_) | Kind::Int(_) | Kind::Bool(_) => "expression",
            // `defined?(@a) && b` reads the whole as its argument.
            Kind::And(a, b) => match self.defined(a)? {
                Ruby::Nil => return Ok(Ruby::Nil),
                _ => return self.eval(b),
            },
            Kind::Call(call) if &*call.name == "[]" => match self.eval(value) {
                Ok(_) => "method",
                Err(Halt::Fail(..)) => return Ok(Ruby::Nil),
                Err(halt) => return Err(halt),
            },
            _ => return self.outside(value.line, "`defined?` of this"),
        };
        self.string(word)
    }

    fn repeat(&mut self, condition: &Expr, body: &Expr, until: bool) -> Ran {
        while self.eval(condition)?.is_true() != until {
            match self.eval(body) {
                Ok(_) | Err(Halt::Next(_)) => {}
                Err(Halt::Break(value)) => return Ok(value),
                Err(halt) => return Err(halt),
            }
        }
        Ok(Ruby::Nil)
    }

    fn each_of(&mut self, line: u32, params: &[Param], list: &Expr, body: &Expr) -> Ran {
        let list = self.eval(list)?;
        for item in self.items(line, &list)? {
            let parts = match (&item, params) {
                (Ruby::Array(id), [_, _, ..]) => self.heap.list(*id).to_vec(),
                _ => vec![item.clone()],
            };
            for (at, param) in params.iter().enumerate() {
                if let Param::Name(name) = param {
                    self.set_local(name, parts.get(at).cloned().unwrap_or(Ruby::Nil));
                }
            }
            match self.eval(body) {
                Ok(_) | Err(Halt::Next(_)) => {}
                Err(Halt::Break(value)) => return Ok(value),
                Err(halt) => return Err(halt),
            }
        }
        Ok(list)
    }

    fn case(&mut self, line: u32, subject: Option<&Expr>, arms: &[(Vec<Expr>, Expr)], other: &Expr) -> Ran {
        let subject = subject.map(|subject| self.eval(subject)).transpose()?;
        for (values, body) in arms {
            for value in self.args(values)? {
                let fits = match &subject {
                    Some(subject) => self.fits(line, &value, subject)?,
                    None => value.is_true(),
                };
                if fits {
                    return self.eval(body);
                }
            }
        }
        self.eval(other)
    }

    /// `pattern === value`
    pub fn fits(&mut self, line: u32, pattern: &Ruby, value: &Ruby) -> Ran<bool> {
        Ok(match pattern {
            Ruby::Regexp(regexp) => match self.heap.as_text(value).map(str::to_owned) {
                Some(text) => self.find(line, &regexp.clone(), &text)?.is_some(),
                None => false,
            },
            Ruby::Const(class) => match value.is_a(class) {
                Some(is) => is,
                None => return self.outside(line, format!("the class `{class}`")),
            },
            Ruby::Range(from, to) => match value {
                Ruby::Int(number) => from <= number && number <= to,
                _ => false,
            },
            Ruby::Proc(lambda, frame) => {
                let block = Block::Code(lambda.clone(), *frame);
                self.yields(line, &block, std::slice::from_ref(value))?.is_true()
            }
            other => self.heap.is_equal(other, value),
        })
    }
}
