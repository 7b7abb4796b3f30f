//! XML elements with their attributes: as much as documents of models need. Text between elements is passed over.

/// Elements inside of one another, at most.
const MAX_DEPTH: usize = 100;

#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
}

impl Element {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Where reading ended and why.
pub type Problem = (usize, String);

/// Reads a document: its outermost element.
pub fn read(text: &str) -> Result<Element, Problem> {
    let mut open: Vec<Element> = vec![Element::default()];
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        at += found;
        let rest = &text[at..];
        let skipped = [("<?", "?>"), ("<!--", "-->"), ("<![CDATA[", "]]>")];
        if let Some((_, end)) = skipped.iter().find(|(start, _)| rest.starts_with(start)) {
            at += rest.find(end).ok_or_else(|| (at, format!("`{end}` is missing")))? + end.len();
        } else if rest.starts_with("<!") {
            return Err((at, "declarations are not read".into()));
        } else if let Some(name) = rest.strip_prefix("</") {
            let end = name.find('>').ok_or_else(|| (at, "`>` is missing".to_string()))?;
            let Some(done) = (if open.len() > 1 { open.pop() } else { None }) else {
                return Err((at, "nothing is open here".into()));
            };
            if done.name != name[..end].trim() {
                return Err((at, format!("`{}` is open here", done.name)));
            }
            put(&mut open, done);
            at += 2 + end + 1;
        } else {
            let (element, is_closed, length) = tag(rest).map_err(|(inner, why)| (at + inner, why))?;
            at += length;
            if is_closed {
                put(&mut open, element);
            } else if open.len() > MAX_DEPTH {
                return Err((at, format!("nested more than {MAX_DEPTH} deep")));
            } else {
                open.push(element);
            }
        }
    }
    match (open.len(), open.pop().and_then(|mut root| root.children.pop())) {
        (1, Some(element)) => Ok(element),
        (1, None) => Err((0, "no element".into())),
        _ => Err((text.len(), "the document ends inside of an element".into())),
    }
}

fn put(open: &mut [Element], done: Element) {
    if let Some(outer) = open.last_mut() {
        outer.children.push(done);
    }
}

/// A start tag: the element, whether it is closed at once, how long the tag is.
fn tag(text: &str) -> Result<(Element, bool, usize), Problem> {
    let is_name = |c: char| c.is_alphanumeric() || "_:-.".contains(c);
    let length_of = |at: usize| text[at..].find(|c| !is_name(c)).unwrap_or(text.len() - at);
    let blank = |at: usize| text[at..].len() - text[at..].trim_start().len();
    let mut at = 1;
    let length = length_of(at);
    if length == 0 {
        return Err((at, "a name is missing".into()));
    }
    let mut element = Element { name: text[at..at + length].to_string(), ..Element::default() };
    at += length;
    loop {
        at += blank(at);
        let rest = &text[at..];
        if rest.starts_with("/>") {
            return Ok((element, true, at + 2));
        }
        if rest.starts_with('>') {
            return Ok((element, false, at + 1));
        }
        let length = length_of(at);
        let name = text[at..at + length].to_string();
        at += length;
        at += blank(at);
        if length == 0 || !text[at..].starts_with('=') {
            return Err((at, "an attribute has a name and a value".into()));
        }
        at += 1;
        at += blank(at);
        let quote = text[at..].chars().next().filter(|c| matches!(c, '"' | '\''));
        let end = quote.and_then(|quote| text[at + 1..].find(quote));
        let Some(end) = end else { return Err((at, "a value is in quotes".into())) };
        let value = unescaped(&text[at + 1..at + 1 + end]).map_err(|why| (at, why))?;
        element.attributes.push((name, value));
        at += end + 2;
    }
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(';').ok_or("`;` is missing behind `&`")?;
        let name = &rest[at + 1..at + end];
        let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        let c = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match (name.strip_prefix("#x"), name.strip_prefix('#')) {
                (Some(hex), _) => number(hex, 16),
                (_, Some(digits)) => number(digits, 10),
                _ => None,
            },
        };
        out.push(c.ok_or_else(|| format!("`&{name};` is not known"))?);
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_attributes_and_children() {
        let read = read("<?xml version='1.0'?><!-- x --><a b=\"1 &lt; &#x32;\"> text <c d='e'/></a>").unwrap();
        assert_eq!((read.name.as_str(), read.get("b")), ("a", Some("1 < 2")));
        assert_eq!(read.all("c").next().and_then(|c| c.get("d")), Some("e"));
    }

    #[test]
    fn what_is_broken_is_refused() {
        let deep = "<a>".repeat(1_000);
        let broken = [
            "",
            "<",
            "<a",
            "<a b>",
            "<a b='>",
            "<a>",
            "</a>",
            "<a></b>",
            "<a b='&x;'/>",
            "<!DOCTYPE a>",
            "<a/></a>",
            &deep,
        ];
        for text in broken {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
