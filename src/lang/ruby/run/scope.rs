//! What a template or function calls without a receiver: names, variables of the scope, functions of the host.

use super::call::MethodResult;
use super::expr::Block;
use super::value::Ruby;
use super::{Machine, Ran, Used};
use crate::lang::ruby::Text;

/// Libraries of Ruby and Puppet whose classes the interpreter has.
const LIBRARIES: &str = "json yaml erb set pp ipaddr digest digest/md5 base64 cgi shellwords openssl puppet/util \
                         puppet/util/package";

impl Machine<'_> {
    /// `@name`: a variable of the scope, nil where there is none.
    pub fn ivar(&mut self, name: &Text) -> Ran {
        if self.has_resource {
            return self.outside(0, format!("`@{name}`"));
        }
        if let Some(value) = self.ivars.get(name) {
            return Ok(value.clone());
        }
        // The template has the variables that were set when it began.
        if self.set.contains(name) {
            return Ok(Ruby::Nil);
        }
        let value = self.host.variable(&mut self.heap, name)?.unwrap_or(Ruby::Nil);
        self.ivars.insert(name.clone(), value.clone());
        Ok(value)
    }

    /// The names of all variables that have a value.
    fn names(&self) -> Vec<String> {
        let mut seen = self.host.variables();
        for (name, value) in &self.ivars {
            seen.insert(name.to_string(), !matches!(value, Ruby::Nil));
        }
        seen.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect()
    }

    /// A call without a receiver: of the template itself.
    pub fn own(&mut self, line: u32, name: &str, args: &[Ruby], block: Option<&Block>) -> Ran {
        if let Some(lambda) = self.methods.get(name).cloned() {
            return self.call_defined(line, &lambda, args, block);
        }
        if self.has_resource {
            return self.of_resource(line, name, args);
        }
        match (name, args) {
            ("scope" | "closure_scope", []) => Ok(Ruby::Scope),
            ("call_function", [_, ..]) if block.is_some() => self.outside(line, "a block for a function"),
            ("call_function", [name, list @ Ruby::Array(_)])
                if self.is_old
                    && let Some(lambda) = self.sibling(name) =>
            {
                let args = self.items(line, list)?;
                self.deeper(|m| m.old_with(&lambda, args))
            }
            ("[]", [_]) if self.is_old => match self.scope_method(line, name, args)? {
                Some(value) => Ok(value),
                None => Ok(Ruby::Nil),
            },
            // There it is the method of a scope, and symbols in the list come back as they are.
            ("call_function", [_, Ruby::Array(_)]) if self.is_old => {
                self.outside(line, "a function with a list of arguments")
            }
            ("call_function", [name, rest @ ..]) => {
                let name = self.text(line, name)?;
                self.function(line, &name, rest)
            }
            ("_", [text]) => Ok(text.clone()),
            (name, [_]) if name == "lookupvar" || name.starts_with("function_") => {
                match self.scope_method(line, name, args)? {
                    Some(value) => Ok(value),
                    None => self.outside(line, format!("the name `{name}`")),
                }
            }
            ("has_variable?", [name]) => {
                let name = self.text(line, name)?;
                Ok(Ruby::Bool(!matches!(self.variable(line, &name, false)?, Ruby::Nil)))
            }
            ("instance_variables", []) => {
                let names = self.names().into_iter().map(|name| Ruby::Symbol(format!("@{name}").into())).collect();
                self.heap.array(names)
            }
            ("instance_variable_get", [name]) => {
                let name = self.text(line, name)?;
                self.ivar(&name.trim_start_matches('@').into())
            }
            ("file", []) => self.string(self.files.last().cloned().unwrap_or_default()),
            ("classes", []) => self.strings(self.host.classes()),
            ("Array", [value]) => match value {
                Ruby::Nil => self.heap.array(Vec::new()),
                Ruby::Array(_) => Ok(value.clone()),
                Ruby::Hash(_) | Ruby::Range(..) => {
                    let items = self.items(line, value)?;
                    self.heap.array(items)
                }
                other => self.heap.array(vec![other.clone()]),
            },
            ("String", [value]) => self.string(self.heap.shown(value)),
            ("Integer" | "Float", [value]) => self.number(line, name, value),
            ("format" | "sprintf", [text, values @ ..]) => {
                let text = self.text(line, text)?;
                let text = self.formatted(line, &text, values)?;
                self.string(text)
            }
            ("raise" | "fail", _) => {
                let words: Vec<String> = args.iter().map(|arg| self.heap.shown(arg)).collect();
                self.fail(line, words.last().cloned().unwrap_or_else(|| "unhandled exception".into()))
            }
            ("require", [library]) => {
                let library = self.text(line, library)?;
                match LIBRARIES.split(' ').any(|known| known == library) {
                    true => Ok(Ruby::Bool(true)),
                    false => self.outside(line, format!("the library `{library}`")),
                }
            }
            ("lambda" | "proc", []) => match block {
                Some(Block::Code(lambda, frame)) => {
                    self.keeps_frames = true;
                    Ok(Ruby::Proc(lambda.clone(), *frame))
                }
                _ => self.outside(line, format!("`{name}` without a block")),
            },
            ("loop", []) => {
                let Some(block) = block else { return self.outside(line, "`loop` without a block") };
                loop {
                    self.yields(line, block, &[])?;
                }
            }
            ("block_given?", []) => Ok(Ruby::Bool(self.has_block())),
            _ => {
                // A local that holds a lambda can be called like a method only with a dot.
                match self.local(name).filter(|_| args.is_empty()) {
                    Some(value) => Ok(value),
                    None => match self.near_local(name).filter(|_| args.is_empty() && block.is_none()) {
                        Some(near) => self
                            .fail(line, format!("undefined local variable or method `{name}'; did you mean `{near}`?")),
                        None if args.is_empty() && block.is_none() && self.names().iter().any(|own| &**own == name) => {
                            self.fail(
                                line,
                                format!("undefined local variable or method `{name}'; did you mean `@{name}`?"),
                            )
                        }
                        None => self.outside(line, format!("the name `{name}`")),
                    },
                }
            }
        }
    }

    /// A function in the file of this one.
    fn sibling(&self, name: &Ruby) -> Option<std::sync::Arc<crate::lang::ruby::ast::Lambda>> {
        self.siblings.get(self.heap.as_text(name)?).cloned()
    }

    /// Whether the call of the method around has a block.
    fn has_block(&self) -> bool {
        self.visible_frames().last().is_some_and(|frame| frame.has_block)
    }

    fn number(&mut self, line: u32, name: &str, value: &Ruby) -> Ran {
        let refused = |m: &Self| m.fail(line, format!("invalid value for {name}(): {}", m.heap.inspect(value)));
        match (name, value) {
            ("Integer", Ruby::Int(_)) | ("Float", Ruby::Float(_)) => Ok(value.clone()),
            ("Integer", Ruby::Float(number)) => self.whole(line, number.trunc()),
            ("Float", Ruby::Int(number)) => Ok(Ruby::Float(*number as f64)),
            ("Integer", Ruby::Str(id)) => {
                let text = self.heap.text(*id).trim().to_ascii_lowercase();
                let (sign, bare) = match text.strip_prefix('-') {
                    Some(rest) => (-1, rest),
                    None => (1, text.strip_prefix('+').unwrap_or(&text)),
                };
                let (radix, digits) = match bare.split_at_checked(2) {
                    Some(("0x", digits)) => (16, digits),
                    Some(("0b", digits)) => (2, digits),
                    Some(("0o", digits)) => (8, digits),
                    Some(("0d", digits)) => (10, digits),
                    _ if bare.len() > 1 && bare.starts_with('0') => (8, &bare[1..]),
                    _ => (10, bare),
                };
                let parts_well = !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
                let digits = digits.replace('_', "");
                if !parts_well || digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                    return refused(self);
                }
                let number = i128::from_str_radix(&digits, radix).ok().and_then(|n| i64::try_from(n * sign).ok());
                self.int_or_outside(line, number)
            }
            ("Float", Ruby::Str(id)) => self.heap.text(*id).trim().parse().map(Ruby::Float).or_else(|_| refused(self)),
            _ => self.fail(line, format!("can't convert {} into {name}", value.class())),
        }
    }

    /// A variable by its full or simple name. Without one it is nil, or an error where the host is strict.
    fn variable(&mut self, line: u32, name: &str, is_needed: bool) -> Ran {
        match self.host.variable(&mut self.heap, name)? {
            Some(value) => Ok(value),
            None if is_needed && self.host.is_strict() => self.fail(line, format!("Undefined variable '{name}'")),
            None => Ok(Ruby::Nil),
        }
    }

    /// Calls a method of the scope; `None` if it has no such method.
    pub fn scope_method(&mut self, line: u32, name: &str, args: &[Ruby]) -> MethodResult {
        let value = match (name, args) {
            ("[]" | "lookupvar", [name]) => {
                let name = self.text(line, name)?;
                self.variable(line, &name, true)?
            }
            ("setvar" | "[]=", [name, value]) => {
                let name = self.text(line, name)?;
                self.host.set_variable(&mut self.heap, line, &name, value)?;
                self.set.insert(name.into());
                value.clone()
            }
            ("include?" | "exist?" | "bound?" | "has_key?", [name]) => {
                let name = self.text(line, name)?;
                Ruby::Bool(!matches!(self.variable(line, &name, false)?, Ruby::Nil))
            }
            ("call_function", [name, rest @ ..]) => {
                let name = self.text(line, name)?;
                let args = match rest {
                    [list @ (Ruby::Array(_) | Ruby::Hash(_))] => self.items(line, list)?,
                    other => other.to_vec(),
                };
                self.function(line, &name, &args)?
            }
            ("to_hash", []) => {
                let mut table = super::value::Table::default();
                for name in self.names() {
                    let value = self.ivar(&name.as_str().into())?;
                    let key = self.string(name)?;
                    table.insert(self.heap.key(&key), (key, value));
                }
                self.heap.hash(table)?
            }
            (name, [list]) if name.starts_with("function_") => {
                let args = self.items(line, list)?;
                self.function(line, name, &args)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Calls a function of the host. A template inside of this one shares its values.
    pub fn function(&mut self, line: u32, name: &str, args: &[Ruby]) -> Ran {
        let bare = name.strip_prefix("function_").unwrap_or(name);
        if matches!(bare, "template" | "inline_template") {
            let mut out = String::new();
            for arg in args {
                let arg = self.text(line, arg)?;
                let (file, text) = match bare {
                    "inline_template" => ("inline template".to_owned(), arg),
                    _ => match self.host.template(&arg) {
                        Some(found) => found,
                        None => return self.fail(line, format!("Could not find template '{arg}'")),
                    },
                };
                out.push_str(&self.deeper(|m| m.template(&file, &text))?);
            }
            return self.string(out);
        }
        self.host.give_back(&mut self.heap)?;
        self.deeper(|m| {
            let mut used = Used { steps: m.steps, depth: m.depth, bytes: m.heap.used() };
            let done = m.host.call(&mut m.heap, line, name, args, &mut used);
            m.steps = used.steps;
            done
        })
    }
}
