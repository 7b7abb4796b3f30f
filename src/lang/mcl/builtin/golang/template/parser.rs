//! Parses tokens to trees: texts, actions and blocks, with their functions.
//!
//! Source: Go's documentation of `text/template`, and the behaviour of Go 1.19 to 1.25.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::data::{Data, Width};
use super::functions::Callee;
use super::lexer::{Kind, Problem, Token, tokens};
use crate::lang::mcl::builtin::golang::strconv;

/// Far deeper than people nest, far less than a thread's stack allows.
const DEPTH: usize = 100;

/// A part of a template.
#[derive(Debug)]
pub enum Node<'a> {
    Text(&'a str),
    Action(Pipe<'a>),
    /// `if` or `with`: the first branch whose condition holds.
    Either {
        moves_dot: bool,
        arms: Vec<(Pipe<'a>, List<'a>)>,
        else_part: List<'a>,
    },
    Range {
        pipe: Pipe<'a>,
        body: List<'a>,
        else_part: List<'a>,
    },
    Template {
        name: Rc<str>,
        pipe: Option<Pipe<'a>>,
        at: usize,
    },
    Break,
    Continue,
}

/// A sequence of texts, actions and blocks.
pub type List<'a> = Vec<Node<'a>>;

/// Commands, each of which passes its value to the next, and the variables for the last one's value.
#[derive(Debug)]
pub struct Pipe<'a> {
    pub variables: Vec<&'a str>,
    /// Whether the variables exist already.
    pub assigns: bool,
    pub commands: Vec<Command<'a>>,
}

/// A term with its arguments.
#[derive(Debug)]
pub struct Command<'a> {
    pub terms: Vec<Term<'a>>,
}

/// A single operand or function of a command, with its byte offset in the template and its text.
#[derive(Debug)]
pub struct Term<'a> {
    pub kind: TermKind<'a>,
    pub at: usize,
    pub text: &'a str,
}

/// The form of a term.
#[derive(Debug)]
pub enum TermKind<'a> {
    Dot,
    Nil,
    Constant(Data),
    Fields(Vec<&'a str>),
    Variable(&'a str, Vec<&'a str>),
    Function(Callee),
    Pipe(Box<Pipe<'a>>),
    /// Fields of the value of a pipe in parentheses.
    Chain(Box<Pipe<'a>>, Vec<&'a str>),
}

/// A template and those that it defines.
#[derive(Debug)]
pub struct Tree<'a> {
    pub root: List<'a>,
    pub named: FxHashMap<Rc<str>, List<'a>>,
}

/// Parses a template.
pub fn parse(source: &str) -> Result<Tree<'_>, Problem> {
    let tokens = tokens(source)?;
    let (named, variables) = (FxHashMap::default(), vec!["$"]);
    let mut parser = Parser { source, tokens, next: 0, variables, named, loops: 0, depth: 0 };
    let root = parser.file()?;
    Ok(Tree { root, named: parser.named })
}

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    variables: Vec<&'a str>,
    named: FxHashMap<Rc<str>, List<'a>>,
    /// How many loops are around this.
    loops: usize,
    depth: usize,
}

/// What ended a list of nodes.
enum Ending<'a> {
    End,
    /// The token after `else`.
    Else(Token<'a>),
    File(usize),
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        // The last token is the end, which is never skipped.
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn skip_space(&mut self) {
        while self.peek().kind == Kind::Space {
            self.next += 1;
        }
    }

    /// The next token that is not a space.
    fn solid(&mut self) -> Token<'a> {
        self.skip_space();
        self.take()
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth >= DEPTH {
            return Err(Problem::new(self.peek().at, "nested too deep"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn file(&mut self) -> Result<List<'a>, Problem> {
        let (root, ending) = self.list(true)?;
        let token = self.tokens[self.next.saturating_sub(1)];
        match ending {
            Ending::File(_) => Ok(root),
            Ending::End => Err(Problem::new(token.at, "`end` without a block")),
            Ending::Else(_) => Err(Problem::new(token.at, "`else` without a block")),
        }
    }

    /// Nodes up to `end`, `else` or the end of the text.
    fn list(&mut self, top: bool) -> Result<(List<'a>, Ending<'a>), Problem> {
        let mut nodes = Vec::new();
        loop {
            let token = self.take();
            match token.kind {
                Kind::Text => nodes.push(Node::Text(token.text)),
                Kind::End => return Ok((nodes, Ending::File(token.at))),
                _ => {
                    self.skip_space();
                    let word = self.peek();
                    let is_keyword = word.kind == Kind::Word;
                    match word.text {
                        "end" if is_keyword => {
                            self.next += 1;
                            self.close("end")?;
                            return Ok((nodes, Ending::End));
                        }
                        "else" if is_keyword => {
                            self.next += 1;
                            self.skip_space();
                            return Ok((nodes, Ending::Else(self.peek())));
                        }
                        "define" if is_keyword && top => {
                            self.next += 1;
                            self.define()?;
                        }
                        _ => nodes.push(self.action(word)?),
                    }
                }
            }
        }
    }

    /// An action between braces.
    fn action(&mut self, word: Token<'a>) -> Result<Node<'a>, Problem> {
        let keyword = if word.kind == Kind::Word { word.text } else { "" };
        match keyword {
            "if" | "with" | "range" | "block" | "template" | "break" | "continue" => self.next += 1,
            "define" => return Err(Problem::new(word.at, "`define` inside another block")),
            _ => {}
        }
        match keyword {
            "if" => self.deeper(|this| this.either("if")),
            "with" => self.deeper(|this| this.either("with")),
            "range" => self.deeper(Self::range),
            "block" => self.deeper(Self::block),
            "template" => self.template(word.at),
            "break" | "continue" => {
                self.close(keyword)?;
                if self.loops == 0 {
                    return Err(Problem::new(word.at, format!("`{keyword}` outside `range`")));
                }
                Ok(if keyword == "break" { Node::Break } else { Node::Continue })
            }
            _ => {
                let pipe = self.pipe("an action", Kind::Close)?;
                Ok(Node::Action(pipe))
            }
        }
    }

    /// `if` and `with`, with all alternatives.
    fn either(&mut self, word: &'static str) -> Result<Node<'a>, Problem> {
        let variables = self.variables.len();
        let mut arms = Vec::new();
        let mut else_part = Vec::new();
        loop {
            let pipe = self.pipe(word, Kind::Close)?;
            let (body, ending) = self.list(false)?;
            arms.push((pipe, body));
            match ending {
                Ending::Else(next) if next.kind == Kind::Word && next.text == word => {
                    self.next += 1;
                    continue;
                }
                Ending::Else(_) => else_part = self.last_part()?,
                ending => self.ended(ending)?,
            }
            self.variables.truncate(variables);
            return Ok(Node::Either { moves_dot: word == "with", arms, else_part });
        }
    }

    fn range(&mut self) -> Result<Node<'a>, Problem> {
        let variables = self.variables.len();
        let pipe = self.pipe("range", Kind::Close)?;
        self.loops += 1;
        let inner = self.list(false);
        self.loops -= 1;
        let (body, ending) = inner?;
        let else_part = match ending {
            Ending::Else(_) => self.last_part()?,
            ending => {
                self.ended(ending)?;
                Vec::new()
            }
        };
        self.variables.truncate(variables);
        Ok(Node::Range { pipe, body, else_part })
    }

    /// The part after a plain `else`.
    fn last_part(&mut self) -> Result<List<'a>, Problem> {
        self.close("else")?;
        let (list, ending) = self.list(false)?;
        self.ended(ending)?;
        Ok(list)
    }

    fn ended(&self, ending: Ending<'a>) -> Result<(), Problem> {
        match ending {
            Ending::End => Ok(()),
            Ending::Else(token) => Err(Problem::new(token.at, "`end` is expected, there is an `else` already")),
            Ending::File(at) => Err(Problem::new(at, "`{{ end }}` is missing")),
        }
    }

    /// The body of a named template, which sees no outer variables.
    fn named(&mut self, name: Rc<str>, at: usize) -> Result<(), Problem> {
        let around = std::mem::replace(&mut self.variables, vec!["$"]);
        let loops = std::mem::take(&mut self.loops);
        let (list, ending) = self.list(false)?;
        self.ended(ending)?;
        (self.variables, self.loops) = (around, loops);
        let is_empty = |list: &List| list.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()));
        match self.named.get(&name) {
            Some(before) if !is_empty(before) && !is_empty(&list) => {
                return Err(Problem::new(at, format!("the template \"{name}\" is defined twice")));
            }
            Some(before) if !is_empty(before) => {}
            _ => drop(self.named.insert(name, list)),
        }
        Ok(())
    }

    fn define(&mut self) -> Result<(), Problem> {
        let (name, at) = self.name("define")?;
        self.close("define")?;
        self.deeper(|this| this.named(name, at))
    }

    fn block(&mut self) -> Result<Node<'a>, Problem> {
        let (name, at) = self.name("block")?;
        let pipe = self.pipe("block", Kind::Close)?;
        self.named(name.clone(), at)?;
        Ok(Node::Template { name, pipe: Some(pipe), at })
    }

    fn template(&mut self, at: usize) -> Result<Node<'a>, Problem> {
        let (name, _) = self.name("template")?;
        self.skip_space();
        if self.peek().kind == Kind::Close {
            self.next += 1;
            return Ok(Node::Template { name, pipe: None, at });
        }
        let pipe = self.pipe("template", Kind::Close)?;
        Ok(Node::Template { name, pipe: Some(pipe), at })
    }

    /// A quoted name.
    fn name(&mut self, what: &str) -> Result<(Rc<str>, usize), Problem> {
        let token = self.solid();
        let name = (token.kind == Kind::Quoted && !token.text.starts_with('\''))
            .then(|| unquoted(token.text))
            .flatten()
            .ok_or_else(|| Problem::new(token.at, format!("`{what}` needs a name in quotes")))?;
        Ok((name.into(), token.at))
    }

    fn close(&mut self, what: &str) -> Result<(), Problem> {
        let token = self.solid();
        let closes = token.kind == Kind::Close;
        closes.then_some(()).ok_or_else(|| Problem::new(token.at, format!("`}}}}` is expected after `{what}`")))
    }

    /// A pipe with the token that ends it.
    fn pipe(&mut self, what: &str, end: Kind) -> Result<Pipe<'a>, Problem> {
        let (variables, assigns) = self.declared(what)?;
        let mut commands = Vec::new();
        loop {
            let token = self.solid();
            if token.kind == end {
                let missing = || Problem::new(token.at, format!("a value is missing for {what}"));
                let stage = commands.iter().skip(1).find(|command: &&Command<'a>| !command.terms[0].may_be_called());
                if let Some(command) = stage {
                    let term = &command.terms[0];
                    return Err(Problem::new(term.at, format!("`{}` can take no value", term.text)));
                }
                return if commands.is_empty() { Err(missing()) } else { Ok(Pipe { variables, assigns, commands }) };
            }
            self.next -= 1;
            commands.push(self.command(what)?);
        }
    }

    /// The variables before `:=` or `=`.
    fn declared(&mut self, what: &str) -> Result<(Vec<&'a str>, bool), Problem> {
        let mut variables = Vec::new();
        let start = self.next;
        loop {
            let variable = self.solid();
            let sign = if variable.kind == Kind::Variable { self.solid() } else { variable };
            match sign.kind {
                Kind::Declare | Kind::Assign => {
                    variables.push(variable.text);
                    if sign.kind == Kind::Declare {
                        self.variables.extend(&variables);
                    } else if let Some(unknown) = variables.iter().find(|name| !self.variables.contains(*name)) {
                        return Err(Problem::new(variable.at, format!("the variable {unknown} is not defined")));
                    }
                    return Ok((variables, sign.kind == Kind::Assign));
                }
                Kind::Sign if sign.text == "," && variable.kind == Kind::Variable => {
                    variables.push(variable.text);
                    if what != "range" || variables.len() > 1 {
                        return Err(Problem::new(sign.at, format!("too many variables for {what}")));
                    }
                }
                _ if variables.is_empty() => {
                    self.next = start;
                    return Ok((variables, false));
                }
                _ => return Err(Problem::new(variable.at, "`range` can only set variables")),
            }
        }
    }

    fn command(&mut self, what: &str) -> Result<Command<'a>, Problem> {
        let mut terms = Vec::new();
        loop {
            self.skip_space();
            if let Some(term) = self.operand()? {
                terms.push(term);
            }
            let token = self.take();
            match token.kind {
                Kind::Space if !terms.is_empty() => continue,
                Kind::Close | Kind::CloseParen => self.next -= 1,
                Kind::Pipe => {}
                _ => {
                    let signs = ["==", "!=", ">=", "<=", "&&", "||"];
                    let sign = signs.into_iter().find(|sign| self.source[token.at..].starts_with(*sign));
                    let text = sign.unwrap_or(token.text);
                    return Err(Problem::new(token.at, format!("`{text}` is not allowed in {what}")));
                }
            }
            return match terms.is_empty() {
                true => Err(Problem::new(token.at, format!("a value is missing in {what}"))),
                false => Ok(Command { terms }),
            };
        }
    }

    /// A term with the fields after it.
    fn operand(&mut self) -> Result<Option<Term<'a>>, Problem> {
        let Some(mut term) = self.term()? else { return Ok(None) };
        let mut fields = Vec::new();
        while self.peek().kind == Kind::Field {
            fields.push(&self.take().text[1..]);
        }
        if fields.is_empty() {
            return Ok(Some(term));
        }
        term.text = &self.source[term.at..self.tokens[self.next - 1].at + self.tokens[self.next - 1].text.len()];
        term.kind = match term.kind {
            TermKind::Fields(first) => TermKind::Fields([first, fields].concat()),
            TermKind::Variable(name, _) => TermKind::Variable(name, fields),
            TermKind::Pipe(pipe) => TermKind::Chain(pipe, fields),
            _ => return Err(Problem::new(term.at, "this has no fields")),
        };
        Ok(Some(term))
    }

    fn term(&mut self) -> Result<Option<Term<'a>>, Problem> {
        let token = self.take();
        let kind = match token.kind {
            Kind::Word => match token.text {
                "true" | "false" => TermKind::Constant(Data::Bool(token.text == "true")),
                "nil" => TermKind::Nil,
                name => TermKind::Function(
                    Callee::named(name)
                        .ok_or_else(|| Problem::new(token.at, format!("no function `{name}` in templates")))?,
                ),
            },
            Kind::Dot => TermKind::Dot,
            Kind::Field => TermKind::Fields(vec![&token.text[1..]]),
            Kind::Variable if self.variables.contains(&token.text) => TermKind::Variable(token.text, Vec::new()),
            Kind::Variable => {
                return Err(Problem::new(token.at, format!("the variable {} is not defined", token.text)));
            }
            Kind::Number => TermKind::Constant(number(token)?),
            Kind::Quoted => TermKind::Constant(quoted(token)?),
            Kind::OpenParen => {
                TermKind::Pipe(Box::new(self.deeper(|this| this.pipe("parentheses", Kind::CloseParen))?))
            }
            _ => {
                self.next -= 1;
                return Ok(None);
            }
        };
        let end = self.tokens[self.next - 1];
        Ok(Some(Term { kind, at: token.at, text: &self.source[token.at..end.at + end.text.len()] }))
    }
}

impl Term<'_> {
    /// Whether it can take the value of the command before.
    fn may_be_called(&self) -> bool {
        !matches!(self.kind, TermKind::Constant(_) | TermKind::Dot | TermKind::Nil)
    }
}

fn quoted(token: Token) -> Result<Data, Problem> {
    let wrong = || Problem::new(token.at, "it has an escape that is unknown");
    let text = unquoted(token.text).ok_or_else(wrong)?;
    match token.text.starts_with('\'') {
        true => Ok(Data::Int(text.chars().next().map_or(0, |c| i64::from(u32::from(c))), Width::Int)),
        false => Ok(Data::Str(text.into())),
    }
}

fn number(token: Token) -> Result<Data, Problem> {
    let wrong = || Problem::new(token.at, format!("`{}` is not a number", token.text));
    let (negative, digits) = match token.text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, token.text.strip_prefix('+').unwrap_or(token.text)),
    };
    let is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    if !is_hex && digits.contains(['.', 'e', 'E']) {
        let plain: String = token.text.chars().filter(|c| *c != '_').collect();
        let is_plain = plain.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
        return plain.parse().ok().filter(|_| is_plain).map(Data::Float).ok_or_else(wrong);
    }
    let (radix, digits) = match digits.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    let signed = if negative { format!("-{digits}") } else { digits };
    i64::from_str_radix(&signed, radix).map(|value| Data::Int(value, Width::Int)).map_err(|_| wrong())
}

/// The text in quotes; templates contain only UTF-8.
fn unquoted(quoted: &str) -> Option<String> {
    strconv::unquote(quoted).and_then(|(text, _)| String::from_utf8(text).ok())
}
