//! Puppet's notation back into source text: what the code of a type can hold.

use std::fmt::Write;

use crate::lang::puppet::convert::{escape, quoted};

/// Lists inside of one another, at most.
const MAX_DEPTH: usize = 400;

/// A piece of the notation.
#[derive(Debug)]
enum Pn {
    Call(String, Vec<Pn>),
    List(Vec<Pn>),
    Map(Vec<(String, Pn)>),
    Text(String),
    /// A number, `true`, `false` or `nil`.
    Word(String),
}

/// An invariant as a statement, a lambda as it is, anything else as a block.
pub fn to_source(text: &str) -> Result<String, String> {
    let mut reader = Reader { text, at: 0 };
    let pn = reader.read(0)?;
    if !text[reader.at..].trim().is_empty() {
        return Err(format!("there is more behind the end of {text}"));
    }
    match &pn {
        Pn::Call(name, args) if name == "invariant" => {
            let map = args.first().ok_or("an invariant holds a check")?;
            let title = map.get("title").map(|title| print(title).map(|text| format!("{text} "))).transpose()?;
            let check = code(map.get("check").ok_or("an invariant holds a check")?)?;
            Ok(format!("invariant {}{check}", title.unwrap_or_default()))
        }
        other => code(other),
    }
}

fn code(pn: &Pn) -> Result<String, String> {
    match pn {
        Pn::Call(name, _) if name == "lambda" => print(pn),
        Pn::Call(name, list) if name == "block" => block(list),
        other => block(std::slice::from_ref(other)),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_whitespace() || "()[]{}\"".contains(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_string()
    }

    fn until(&mut self, close: char, depth: usize) -> Result<Vec<Pn>, String> {
        let mut list = Vec::new();
        loop {
            self.blank();
            match self.text[self.at..].chars().next() {
                None => return Err("the notation ends too early".into()),
                Some(c) if c == close => {
                    self.at += 1;
                    return Ok(list);
                }
                Some(_) => list.push(self.read(depth + 1)?),
            }
        }
    }

    fn read(&mut self, depth: usize) -> Result<Pn, String> {
        if depth > MAX_DEPTH {
            return Err(format!("nested more than {MAX_DEPTH} deep"));
        }
        self.blank();
        let first = self.text[self.at..].chars().next().ok_or("the notation ends too early")?;
        match first {
            '(' => {
                self.at += 1;
                let name = self.word();
                Ok(Pn::Call(name, self.until(')', depth)?))
            }
            '[' => {
                self.at += 1;
                self.until(']', depth).map(Pn::List)
            }
            '{' => {
                self.at += 1;
                let mut entries = Vec::new();
                let mut list = self.until('}', depth)?.into_iter();
                while let (Some(Pn::Word(key)), value) = (list.next(), list.next()) {
                    let value = value.ok_or("a key has no value")?;
                    entries.push((key.trim_start_matches(':').to_string(), value));
                }
                Ok(Pn::Map(entries))
            }
            '"' => self.quoted().map(Pn::Text),
            _ => match self.word() {
                word if word.is_empty() => Err(format!("`{first}` is unexpected")),
                word => Ok(Pn::Word(word)),
            },
        }
    }

    fn quoted(&mut self) -> Result<String, String> {
        let mut out = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += 1 + at + 1;
                    return Ok(out);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('r') => out.push('\r'),
                    Some('t') => out.push('\t'),
                    Some('o') => {
                        let digits: String = chars.by_ref().take(3).map(|(_, c)| c).collect();
                        let c = u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32);
                        out.push(c.ok_or("an escape is wrong")?);
                    }
                    Some(other) => out.push(other),
                    None => break,
                },
                other => out.push(other),
            }
        }
        Err("a text has no end".into())
    }
}

impl Pn {
    fn get(&self, key: &str) -> Option<&Pn> {
        match self {
            Pn::Map(entries) => entries.iter().find(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }

    fn list(&self) -> &[Pn] {
        match self {
            Pn::List(list) => list,
            _ => &[],
        }
    }

    fn text(&self) -> &str {
        match self {
            Pn::Text(text) | Pn::Word(text) => text,
            _ => "",
        }
    }
}

/// Expressions with something between them.
fn joined(list: &[Pn], between: &str) -> Result<String, String> {
    Ok(list.iter().map(print).collect::<Result<Vec<_>, _>>()?.join(between))
}

/// Statements in braces: on one line where one short statement is all.
fn block(list: &[Pn]) -> Result<String, String> {
    let mut lines = list.iter().map(print).collect::<Result<Vec<_>, _>>()?;
    lines.retain(|line| !line.is_empty());
    Ok(match &lines[..] {
        [] => "{ }".into(),
        [one] if one.len() < 80 && !one.contains('\n') => format!("{{ {one} }}"),
        lines => format!("{{\n  {}\n}}", lines.join("\n").replace('\n', "\n  ")),
    })
}

fn print(pn: &Pn) -> Result<String, String> {
    let (name, args) = match pn {
        Pn::Text(text) => return Ok(quoted(text)),
        Pn::Word(word) if word == "nil" => return Ok("undef".into()),
        Pn::Word(word) => return Ok(word.clone()),
        Pn::Call(name, args) => (name.as_str(), &args[..]),
        Pn::List(_) | Pn::Map(_) => return Err("an expression is expected".into()),
    };
    match (name, args) {
        ("nop", _) => Ok(String::new()),
        ("default", _) => Ok("default".into()),
        ("qn" | "qr" | "reserved", [name]) => Ok(name.text().into()),
        ("var", [name]) => Ok(format!("${}", name.text())),
        ("regexp", [source]) => Ok(format!("/{}/", source.text().replace('/', "\\/"))),
        ("int", [map]) => {
            let part = |key: &str| map.get(key).and_then(|part| part.text().parse::<i128>().ok());
            let value = part("value").ok_or("a number is expected")?;
            Ok(if part("radix") == Some(16) { format!("{value:#x}") } else { format!("0{value:o}") })
        }
        ("concat", parts) => concatenated(parts),
        ("heredoc", [map]) => print(map.get("text").ok_or("a text is expected")?),
        ("array", list) => Ok(format!("[{}]", joined(list, ", ")?)),
        ("hash", list) => Ok(format!("{{ {} }}", joined(list, ", ")?)),
        ("=>", [key, value]) => Ok(format!("{} => {}", print(key)?, print(value)?)),
        ("paren", [inner]) => Ok(format!("({})", print(inner)?)),
        ("!" | "-", [inner]) => Ok(format!("{name}{}", print(inner)?)),
        ("unfold", [inner]) => Ok(format!("*{}", print(inner)?)),
        ("access", [left, keys @ ..]) => Ok(format!("{}[{}]", print(left)?, joined(keys, ", ")?)),
        (".", [left, name]) => Ok(format!("{}.{}", print(left)?, print(name)?)),
        ("call" | "invoke" | "call-method", [map]) => call(map, name == "call-method"),
        ("?", [left, entries]) => Ok(format!("{} ? {{ {} }}", print(left)?, joined(entries.list(), ", ")?)),
        ("if" | "unless", [map]) => condition(name, map),
        ("case", [test, choices]) => case(test, choices.list()),
        ("block", list) => joined(list, "\n"),
        ("lambda", [map]) => lambda(map),
        (op, [left, right]) if is_operator(op) => Ok(format!("{} {op} {}", print(left)?, print(right)?)),
        _ => Err(format!("`{name}` is not part of the code of a type")),
    }
}

fn is_operator(name: &str) -> bool {
    const OPERATORS: [&str; 21] = [
        "and", "or", "in", "=~", "!~", "*", "/", "%", "+", "-", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "=",
        "+=", "-=",
    ];
    OPERATORS.contains(&name)
}

fn concatenated(parts: &[Pn]) -> Result<String, String> {
    let mut out = String::from("\"");
    for part in parts {
        match part {
            Pn::Call(name, args) if name == "str" => match args.first() {
                Some(Pn::Call(name, of)) if name == "var" => {
                    let _ = write!(out, "${{{}}}", of.first().map_or("", Pn::text));
                }
                Some(other) => {
                    let _ = write!(out, "${{{}}}", print(other)?);
                }
                None => {}
            },
            part => escape(&mut out, part.text()),
        }
    }
    out.push('"');
    Ok(out)
}

fn call(map: &Pn, is_method: bool) -> Result<String, String> {
    let functor = print(map.get("functor").ok_or("a function is expected")?)?;
    let args = map.get("args").map_or(&[][..], Pn::list);
    let mut out = functor;
    if !(is_method && args.is_empty()) {
        let _ = write!(out, "({})", joined(args, ", ")?);
    }
    if let Some(block) = map.get("block") {
        let _ = write!(out, " {}", print(block)?);
    }
    Ok(out)
}

fn condition(name: &str, map: &Pn) -> Result<String, String> {
    let test = print(map.get("test").ok_or("a condition is expected")?)?;
    let then = block(map.get("then").map_or(&[][..], Pn::list))?;
    let mut out = format!("{name} {test} {then}");
    if let Some(other) = map.get("else") {
        let _ = write!(out, " else {}", block(other.list())?);
    }
    Ok(out)
}

fn case(test: &Pn, choices: &[Pn]) -> Result<String, String> {
    let mut out = format!("case {} {{", print(test)?);
    for choice in choices {
        let when = joined(choice.get("when").map_or(&[][..], Pn::list), ", ")?;
        let then = block(choice.get("then").map_or(&[][..], Pn::list))?;
        let _ = write!(out, "\n  {when}: {}", then.replace('\n', "\n  "));
    }
    out.push_str("\n}");
    Ok(out)
}

fn lambda(map: &Pn) -> Result<String, String> {
    let mut params = Vec::new();
    if let Some(Pn::Map(entries)) = map.get("params") {
        for (name, spec) in entries {
            let mut param = String::new();
            if let Some(ty) = spec.get("type") {
                let _ = write!(param, "{} ", print(ty)?);
            }
            param.push_str(if spec.get("splat").is_some() { "*" } else { "" });
            let _ = write!(param, "${name}");
            if let Some(value) = spec.get("value") {
                let _ = write!(param, " = {}", print(value)?);
            }
            params.push(param);
        }
    }
    let returns = map.get("returns").map(print).transpose()?.map_or(String::new(), |ty| format!(">> {ty} "));
    let body = block(map.get("body").map_or(&[][..], Pn::list))?;
    Ok(format!("|{}| {returns}{body}", params.join(", ")))
}
