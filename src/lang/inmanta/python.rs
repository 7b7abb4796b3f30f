//! What a Python file says about its plugins and resources, without running it.

/// A resource type that a module declares in Python: its entity, the path to the agent, and the attribute of its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceClass {
    pub entity: String,
    pub agent: String,
    pub id: String,
    /// The name of its class.
    pub class: String,
    /// The fields of the class; `None` where they cannot be read.
    pub fields: Option<Vec<String>>,
    /// How the class computes fields. Others are attributes.
    pub getters: Vec<(String, Getter)>,
}

/// The names of the functions that `@plugin` marks, each with the line of its `def`.
pub fn plugin_names(text: &str) -> Vec<(String, u32)> {
    let mut names = Vec::new();
    let mut marked: Option<Option<String>> = None;
    // The quotes of the text over several lines that is open.
    let mut open: Option<&str> = None;
    for (line, number) in text.lines().zip(1..) {
        let is_text = open.is_some();
        open = open_text(line, open);
        if is_text {
            continue;
        }
        let decorator = line.strip_prefix('@').map(|rest| {
            rest.split_at(rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len()))
        });
        if let Some((name, rest)) = decorator
            && name.rsplit('.').next() == Some("plugin")
        {
            let quoted = rest.strip_prefix('(').map(str::trim_start).and_then(|rest| {
                let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                rest[1..].split(quote).next().map(str::to_string)
            });
            marked = Some(quoted);
        } else if let Some(rest) = line.strip_prefix("def ").or_else(|| line.strip_prefix("async def "))
            && let Some(name) = marked.take()
        {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            names.push((name.unwrap_or_else(|| rest[..end].to_string()), number));
        }
    }
    names
}

/// The three quotes that are open behind a line, of those that are open before it.
fn open_text<'q>(line: &str, open: Option<&'q str>) -> Option<&'q str> {
    let (mut open, mut rest, mut quote) = (open, line, None);
    while let Some(c) = rest.chars().next() {
        let step = match (open, quote) {
            _ if c == '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            (Some(quotes), _) if rest.starts_with(quotes) => {
                open = None;
                3
            }
            (Some(_), _) => c.len_utf8(),
            (None, Some(end)) => {
                quote = Some(end).filter(|end| *end != c);
                c.len_utf8()
            }
            (None, None) => match ["\"\"\"", "'''"].into_iter().find(|quotes| rest.starts_with(quotes)) {
                Some(quotes) => {
                    open = Some(quotes);
                    3
                }
                None if c == '#' => break,
                None => {
                    quote = Some(c).filter(|c| matches!(c, '"' | '\''));
                    c.len_utf8()
                }
            },
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    open
}

/// The text in quotes that a reader of Python is in.
#[derive(Default)]
pub struct Quote {
    open: Option<char>,
    is_escaped: bool,
}

impl Quote {
    /// Goes on by a character. Returns whether it belongs to a text in quotes; the quotes do.
    pub fn covers(&mut self, c: char) -> bool {
        match (self.open, c) {
            (Some(_), _) if self.is_escaped => self.is_escaped = false,
            (Some(_), '\\') => self.is_escaped = true,
            (Some(open), _) => self.open = (c != open).then_some(open),
            (None, '"' | '\'') => self.open = Some(c),
            (None, _) => return false,
        }
        true
    }
}

/// The signature at the start of a text, up to the colon before the body, without comments.
pub fn signature(text: &str) -> Option<String> {
    let (mut head, mut depth, mut quote, mut is_comment) = (String::new(), 0, Quote::default(), false);
    for c in text.chars() {
        match c {
            _ if is_comment => is_comment = c != '\n',
            _ if quote.covers(c) => {}
            '#' => is_comment = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' if depth == 0 => return Some(head),
            _ => {}
        }
        if !is_comment {
            head.push(c);
        }
    }
    None
}

/// The types in quotes in the signatures of plugins, each with the line of its `def`.
pub fn quoted_types(text: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    for (_, number) in plugin_names(text) {
        let start = starts.get((number as usize).saturating_sub(1));
        let Some(head) = start.and_then(|start| signature(text.get(*start..)?)) else { continue };
        // An annotation is behind `:` or `->`, a default behind `=`.
        let mut rest = head.as_str();
        while let Some(at) = rest.find(['"', '\'']) {
            let (before, quoted) = rest.split_at(at);
            let mut quote = Quote::default();
            let Some(end) = quoted.char_indices().find(|(_, c)| quote.covers(*c) && quote.open.is_none()) else {
                break;
            };
            let (text, after) = (&quoted[1..end.0], &quoted[end.0 + 1..]);
            let before = before.trim_end();
            if before.ends_with(':') || before.ends_with("->") {
                found.push((text.to_owned(), number));
            }
            rest = after;
        }
    }
    found
}

/// A class of a Python file, as far as it says how a resource is made of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonClass {
    pub name: String,
    /// The last part of the name of each base.
    pub bases: Vec<String>,
    /// `None` if they are not plain texts.
    pub fields: Option<Vec<String>>,
    pub getters: Vec<(String, Getter)>,
}

/// How a class computes a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Getter {
    /// It returns what is at the end of a path of attributes.
    Path(Vec<String>),
    /// It raises `IgnoreResourceException` in any case: the resource is never exported.
    Ignore,
    /// Python computes it, and does not run.
    Code,
    /// The worker computes it.
    Worker,
}

/// Fields that every resource has.
const BASE: &[&str] = &["send_event", "receive_events", "report_only"];

/// As many bases as are followed.
const MOST_BASES: usize = 100;

impl ResourceClass {
    /// Returns the method that computes a field, if the class has one.
    pub fn getter(&self, field: &str) -> Option<&Getter> {
        self.getters.iter().find(|(name, _)| name == field).map(|(_, getter)| getter)
    }

    /// Finds the fields of the class and of its bases among the classes of all modules.
    pub fn resolve(&mut self, classes: &[PythonClass]) {
        let mut fields = Some(Vec::new());
        let mut next = vec![self.class.as_str()];
        let mut seen: Vec<&str> = Vec::new();
        while let Some(name) = next.pop() {
            if seen.contains(&name) || seen.len() > MOST_BASES {
                continue;
            }
            let own = classes.iter().find(|class| class.name == name);
            let own_fields: Option<Vec<String>> = match (own, name) {
                (Some(class), _) => class.fields.clone(),
                (None, "Resource" | "DiscoveryResource") => Some(texts(BASE)),
                (None, "PurgeableResource") => Some(texts(&["purged", "purge_on_delete"])),
                (None, "ManagedResource") => Some(texts(&["managed"])),
                (None, "object" | "ABC" | "Generic" | "Protocol") => Some(Vec::new()),
                (None, _) => None,
            };
            fields = fields.zip(own_fields).map(|(mut all, own)| {
                all.extend(own);
                all
            });
            if let Some(class) = own {
                seen.push(&class.name);
                next.extend(class.bases.iter().rev().map(String::as_str));
                let new = class.getters.iter().filter(|(name, _)| !self.getters.iter().any(|(other, _)| other == name));
                let new: Vec<_> = new.cloned().collect();
                self.getters.extend(new);
            }
        }
        self.fields = fields;
    }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The classes of a file, and the resource types that `@resource` marks, where their arguments are plain texts.
pub fn classes(text: &str) -> (Vec<PythonClass>, Vec<ResourceClass>) {
    let (mut found, mut marked, mut pending) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = text;
    loop {
        if let Some(decorator) = rest.strip_prefix('@') {
            let name = decorator.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).next();
            let name = name.unwrap_or_default();
            if name.rsplit('.').next() == Some("resource")
                && let Some((arguments, after)) = bracketed(&decorator[name.len()..])
            {
                pending.extend(class_of(arguments));
                rest = after;
            }
        } else if let Some(class) = rest.strip_prefix("class ") {
            let end = class.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(class.len());
            let name = class[..end].to_owned();
            for mut one in pending.drain(..) {
                one.class.clone_from(&name);
                marked.push(one);
            }
            // Type parameters may come first.
            let head = match bracketed(&class[end..]) {
                Some((_, after)) if class[end..].starts_with('[') => after,
                _ => &class[end..],
            };
            let (bases, body) = match bracketed(head) {
                Some((bases, after)) if head.starts_with('(') => (bases, after),
                _ => ("", head),
            };
            let bases = bases.split(',').filter(|base| !base.contains('=')).filter_map(|base| {
                let name = base.split('[').next()?.trim();
                name.rsplit('.').next().filter(|name| !name.is_empty()).map(str::to_owned)
            });
            found.push(class_body(name, bases.collect(), body));
        }
        match rest.split_once('\n') {
            Some((_, after)) => rest = after,
            None => return (found, marked),
        }
    }
}

/// The text within the brackets at the start, and the text behind them.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut quote, mut is_comment) = (0, Quote::default(), false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_comment => is_comment = c != '\n',
            _ if quote.covers(c) => {}
            '#' => is_comment = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some((&text[1..at], &text[at + c.len_utf8()..]));
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The body of a class: its lines are indented.
fn class_body(name: String, bases: Vec<String>, text: &str) -> PythonClass {
    let mut class = PythonClass { name, bases, fields: Some(Vec::new()), getters: Vec::new() };
    let mut indent = None;
    let mut rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let content = line.trim_start();
        let depth = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            rest = after;
            continue;
        }
        if depth == 0 && !content.starts_with([')', ']', '}', '"', '\'']) {
            break;
        }
        if *indent.get_or_insert(depth) == depth {
            let here = &rest[depth..];
            if let Some(value) = assigned(here, "fields") {
                class.fields = bracketed(value).and_then(|(items, after)| {
                    let is_whole = after.lines().next().is_none_or(|line| line.trim().is_empty() || line.contains('#'));
                    texts_of(items).filter(|_| is_whole)
                });
            } else if let Some((items, _)) = assigned(here, "map").and_then(bracketed) {
                class.getters.extend(mapped(items));
            } else if let Some(function) = here.strip_prefix("def get_") {
                let end = function.find('(').unwrap_or(function.len());
                class.getters.push((function[..end].to_owned(), returned(&function[end..], depth)));
            }
        }
        rest = after;
    }
    class
}

/// The value behind `name =`, perhaps with a type.
fn assigned<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let line = text.lines().next()?;
    let rest = line.strip_prefix(name)?;
    let at = rest.find('=')?;
    let before = rest[..at].trim();
    (before.is_empty() || before.starts_with(':')).then(|| text[name.len() + at + 1..].trim_start())
}

/// The items of a tuple or list of texts.
fn texts_of(items: &str) -> Option<Vec<String>> {
    let lines = items.lines().map(|line| line.split('#').next().unwrap_or_default());
    let plain: String = lines.collect();
    plain.split(',').map(str::trim).filter(|item| !item.is_empty()).map(quoted).collect()
}

/// The fields of a `map`, each with its function.
fn mapped(items: &str) -> Vec<(String, Getter)> {
    let entry = |line: &str| {
        let (name, function) = line.trim().split_once(':')?;
        let path = function.trim().strip_prefix("lambda ").and_then(|lambda| {
            let (parameters, value) = lambda.split_once(':')?;
            path_of(value.trim().trim_end_matches(','), parameters.split(',').nth(1)?.trim())
        });
        Some((quoted(name.trim())?, path.map_or(Getter::Code, Getter::Path)))
    };
    items.lines().filter_map(entry).collect()
}

/// What a function returns: its text from the parameters on, and the depth of its `def`.
fn returned(text: &str, depth: usize) -> Getter {
    let path = || {
        let (parameters, after) = bracketed(text)?;
        let object = parameters.split(',').nth(1)?.split(':').next()?.trim();
        let (_, body) = after.split_once('\n')?;
        let mut lines =
            body.lines().take_while(|line| line.trim().is_empty() || line.len() - line.trim_start().len() > depth);
        let mut lines = lines.by_ref().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut first = lines.next()?;
        if let Some(quote) = ["\"\"\"", "'''"].into_iter().find(|quote| first.starts_with(quote)) {
            if first.len() < 6 || !first.ends_with(quote) {
                lines.by_ref().find(|line| line.ends_with(quote))?;
            }
            first = lines.next()?;
        }
        let path = path_of(first.strip_prefix("return ")?.trim(), object)?;
        lines.next().is_none().then_some(path)
    };
    match path() {
        Some(path) => Getter::Path(path),
        None if ignores(text, depth) => Getter::Ignore,
        None => Getter::Code,
    }
}

/// Whether the last statement of a function without `return` raises `IgnoreResourceException`.
fn ignores(text: &str, depth: usize) -> bool {
    let Some((_, body)) = bracketed(text).and_then(|(_, after)| after.split_once('\n')) else { return false };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = body
        .lines()
        .take_while(|line| line.trim().is_empty() || indent(line) > depth)
        .filter(|line| !line.trim().is_empty())
        .collect();
    let first = lines.first().map_or(0, |line| indent(line));
    let leaves = |line: &&str| ["return", "yield", "while "].iter().any(|word| line.trim().starts_with(word));
    let raises = |line: &&str| indent(line) == first && line.trim().starts_with("raise ");
    !lines.iter().any(leaves)
        && lines.last().is_some_and(|line| raises(line) && line.contains("IgnoreResourceException"))
}

/// The attributes of `object.a.b`.
fn path_of(expression: &str, object: &str) -> Option<Vec<String>> {
    let path = expression.strip_prefix(object)?.strip_prefix('.')?;
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    path.split('.').all(is_name).then(|| path.split('.').map(str::to_owned).collect())
}

fn class_of(arguments: &str) -> Option<ResourceClass> {
    let (mut places, mut agent, mut id) = (Vec::new(), None, None);
    for argument in arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        match argument.split_once('=') {
            Some((name, value)) => match name.trim() {
                "agent" => agent = Some(quoted(value.trim())?),
                "id_attribute" => id = Some(quoted(value.trim())?),
                "name" => places.insert(0, quoted(value.trim())?),
                _ => {}
            },
            None => places.push(quoted(argument)?),
        }
    }
    let mut places = places.into_iter();
    let entity = places.next()?;
    let id = id.or_else(|| places.next())?;
    Some(ResourceClass {
        entity,
        agent: agent.or_else(|| places.next())?,
        id,
        class: String::new(),
        fields: None,
        getters: Vec::new(),
    })
}

/// The text of a literal.
fn quoted(literal: &str) -> Option<String> {
    let quote = literal.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    literal.strip_prefix(quote)?.strip_suffix(quote).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::ResourceClass;

    #[test]
    fn resource_types_are_found() {
        let text = "@resource(\"a::B\", agent=\"host.name\", id_attribute=\"path\")\nclass B(Resource):\n    pass\n\n\
            @resource(\n    'a::C',\n    id_attribute='name',\n    agent='host.name',\n)\nclass C: pass\n\
            @resource(NAME, agent=\"x\", id_attribute=\"y\")\nclass D: pass\n";
        let class = |entity: &str, agent: &str, id: &str, class: &str| ResourceClass {
            entity: entity.into(),
            agent: agent.into(),
            id: id.into(),
            class: class.into(),
            fields: None,
            getters: Vec::new(),
        };
        let wanted = [class("a::B", "host.name", "path", "B"), class("a::C", "host.name", "name", "C")];
        assert_eq!(super::classes(text).1, wanted);
    }

    #[test]
    fn fields_of_classes_are_found() {
        let text = "@x.resource(\"a::B\", agent=\"h\", id_attribute=\"i\")\nclass B(x.Base[T], Other, metaclass=M):\n    \
            \"\"\" Text. \"\"\"\n\n    fields = (\n        \"a\",  # one\n        'b',\n    )\n    a: str\n    map = {\n        \
            \"b\": lambda _, o: o.c.d,\n    }\n\n    @staticmethod\n    def get_a(_, obj: \"X\") -> str:\n        \"\"\"\n        \
            Gets it.\n        \"\"\"\n        return obj.host.name\n\n    @staticmethod\n    def get_e(_, obj):\n        \
            x = 1\n        return obj.x\n\nclass C(B):\n    fields = B.fields + (\"z\",)\n";
        let (classes, _) = super::classes(text);
        let path = |parts: &[&str]| super::Getter::Path(parts.iter().map(|part| (*part).to_owned()).collect());
        assert_eq!(classes[0].bases, ["Base", "Other"]);
        assert_eq!(classes[0].fields.as_deref(), Some(&["a".to_owned(), "b".to_owned()][..]));
        let getters = [("b", path(&["c", "d"])), ("a", path(&["host", "name"])), ("e", super::Getter::Code)];
        assert_eq!(classes[0].getters, getters.map(|(name, getter)| (name.to_owned(), getter)));
        assert_eq!((classes[1].name.as_str(), &classes[1].fields), ("C", &None));
    }

    #[test]
    fn quoted_types_are_found() {
        let text = "@plugin\ndef a(x: \"a::B\", y: str = \"z\",\n      z: 'int[]' = 1) -> \"string\":\n    return f(x: \"no\")\n";
        let types: Vec<(String, u32)> = ["a::B", "int[]", "string"].map(|ty| (ty.to_owned(), 2)).into();
        assert_eq!(super::quoted_types(text), types);
        let text = "@plugin\ndef a(x: \"string\", # isn't a type: \n y: \"number\") -> \"bool\": return {\"k\": \"v\"}\nif 1:\n";
        let types: Vec<String> = super::quoted_types(text).into_iter().map(|(ty, _)| ty).collect();
        assert_eq!(types, ["string", "number", "bool"]);
    }

    #[test]
    fn marked_functions_are_found() {
        let text = "@plugin\ndef a(x: int) -> int:\n    pass\n\n@inmanta.plugins.plugin(\"b\")\ndef c():\n    pass\n\ndef d():\n    pass\n";
        assert_eq!(super::plugin_names(text), [("a".to_string(), 2), ("b".to_string(), 6)]);
    }
}
