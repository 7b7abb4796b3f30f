//! XML elements with their attributes, as documents of models need them. Text between elements is ignored.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Elements inside of one another, at most.
const MAX_DEPTH: usize = 100;

/// An XML element.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
}

impl Element {
    /// Returns the value of an attribute by its name with prefix.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the direct children with this name.
    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Where reading ended and why.
pub type Problem = (usize, String);

/// Reads a document: its outermost element. A declaration of entities is refused, so that none ever expands.
pub fn read(text: &str) -> Result<Element, Problem> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = vec![Element::default()];
    loop {
        let at = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| (reader.error_position() as usize, error.to_string()))?;
        match event {
            Event::Start(_) if open.len() > MAX_DEPTH => {
                return Err((at, format!("nested more than {MAX_DEPTH} deep")));
            }
            Event::Start(tag) => open.push(element(&tag, at)?),
            Event::Empty(tag) => put(&mut open, element(&tag, at)?),
            Event::End(_) => {
                if let Some(done) = open.pop() {
                    put(&mut open, done);
                }
            }
            Event::DocType(_) => return Err((at, "a document type declaration is not allowed".into())),
            Event::Eof => break,
            _ => {}
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

fn element(tag: &BytesStart<'_>, at: usize) -> Result<Element, Problem> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| (at, error.to_string()))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| (at, error.to_string()))?;
        attributes.push((attribute.key.into_inner().to_string(), value.into_owned()));
    }
    Ok(Element { name: tag.name().into_inner().to_string(), attributes, children: Vec::new() })
}
