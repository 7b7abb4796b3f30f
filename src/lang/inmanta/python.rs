//! What a Python file says about its plugins and resources, without running it.

/// A resource type that a module declares in Python: its entity, the path to the agent, and the attribute of its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceClass {
    pub entity: String,
    pub agent: String,
    pub id: String,
}

/// The names of the functions that `@plugin` marks, each with the line of its `def`.
pub fn plugin_names(text: &str) -> Vec<(String, u32)> {
    let mut names = Vec::new();
    let mut marked: Option<Option<String>> = None;
    for (line, number) in text.lines().zip(1..) {
        let is_plugin = line.strip_prefix("@plugin").or_else(|| line.strip_prefix("@plugins.plugin"));
        if let Some(rest) = is_plugin
            && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
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

/// The signature at the start of a text, up to the colon before the body, without comments.
fn signature(text: &str) -> Option<String> {
    let (mut head, mut depth, mut quote, mut is_comment) = (String::new(), 0, None, false);
    for c in text.chars() {
        match (quote, c) {
            _ if is_comment => is_comment = c != '\n',
            (Some(open), _) => quote = (c != open).then_some(open),
            (None, '#') => is_comment = true,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ':') if depth == 0 => return Some(head),
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
            let Some((text, after)) = quoted[1..].split_once(&quoted[..1]) else { break };
            let before = before.trim_end();
            if before.ends_with(':') || before.ends_with("->") {
                found.push((text.to_owned(), number));
            }
            rest = after;
        }
    }
    found
}

/// The resource types that `@resource` marks, where their arguments are plain texts.
pub fn resource_classes(text: &str) -> Vec<ResourceClass> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("@resource(").or_else(|| rest.find("@resources.resource(")) {
        let is_first = rest[..at].is_empty() || rest[..at].ends_with('\n');
        rest = rest[at..].split_once('(').map_or("", |(_, rest)| rest);
        let end = rest.find(')').unwrap_or(rest.len());
        if is_first && let Some(class) = class_of(&rest[..end]) {
            found.push(class);
        }
    }
    found
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
    Some(ResourceClass { entity, agent: agent.or_else(|| places.next())?, id })
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
        let class = |entity: &str, agent: &str, id: &str| ResourceClass {
            entity: entity.into(),
            agent: agent.into(),
            id: id.into(),
        };
        let wanted = [class("a::B", "host.name", "path"), class("a::C", "host.name", "name")];
        assert_eq!(super::resource_classes(text), wanted);
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
        let text =
            "@plugin\ndef a(x: int) -> int:\n    pass\n\n@plugin(\"b\")\ndef c():\n    pass\n\ndef d():\n    pass\n";
        assert_eq!(super::plugin_names(text), [("a".to_string(), 2), ("b".to_string(), 6)]);
    }
}
