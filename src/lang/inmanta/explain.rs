//! Explains why a list froze: the history of one list, and the changes with which the model compiles.

use super::ast::{BlockId, Kind, NodeId};
use super::define::AttributeId;
use super::error::Raise;
use super::pystr::Instances;
use super::run::{Machine, VarId};
use super::trace::{Event, What, Why};
use super::value::InstanceId;
use super::walk;
use crate::graph::ResourceId;
use crate::source::Span;

/// Where a late value comes from.
enum Origin {
    Implementation { name: String, place: Span },
    Nested { word: &'static str, place: Span },
    Top,
}

impl Machine<'_> {
    /// The attribute of a list as `namespace::Entity.attribute`.
    fn list_name(&self, attribute: AttributeId) -> String {
        let found = self.program.attribute(attribute);
        format!("{}.{}", self.program.entity_name(found.entity), self.program.text(found.name))
    }

    /// Adds to an error about a late value who closed the list, where the value comes from, and what to do.
    pub fn explain_late(&self, var: VarId, place: Span, is_inverse: bool, raise: &mut Raise) {
        let Some(attribute) = self.attribute_of(var) else { return };
        let name = self.list_name(attribute);
        let frozen = self.trace.of(var).find(|event| matches!(event.what, What::Freeze(_)));
        let full = matches!(frozen, Some(Event { what: What::Freeze(Why::Full), .. }));
        let filled = self.trace.of(var).filter(|event| event.what == What::Set).last().and_then(|event| event.place);
        if full && let Some(filled) = filled {
            raise
                .related
                .push((filled, format!("this closed `{name}`: it was set to null, or got all that it may hold")));
        } else if let Some(Event { what: What::Freeze(why), place: Some(reader), .. }) = frozen {
            let reason = match why {
                Why::Waiter => format!(
                    "this reads all of `{name}`, so the list was closed for it: nothing known could still add a value"
                ),
                Why::Cycle => format!(
                    "this reads all of `{name}`; statements waited for one another, and this list was closed first"
                ),
                Why::Leftover => {
                    format!("nothing waited for `{name}` any more, so it was closed before this was reached")
                }
                Why::Full => format!("`{name}` got all that it may hold here"),
            };
            raise.related.push((*reader, reason));
        } else if let Some(Event { what: What::Freeze(_), .. }) = frozen {
            let defined = self.program.attribute(attribute).span;
            raise
                .related
                .push((defined, format!("nothing waited for `{name}`, so it was closed when nothing else was left")));
        }
        raise.related.push((place, "this value comes after that".to_string()));
        let advice = match self.origin(place) {
            _ if full => "set it once, with all its values".to_string(),
            _ if is_inverse => {
                let end = self.program.attribute(attribute).relation.as_ref().and_then(|relation| relation.end);
                if let Some(end) = end {
                    let other = self.list_name(end);
                    let message = format!(
                        "the value is set through the other side, `{other}`: that promises nothing to `{name}`"
                    );
                    raise.related.push((self.program.attribute(end).span, message));
                }
                let short = self.program.text(self.program.attribute(attribute).name);
                let sign = if self.is_multi(var) { "+=" } else { "=" };
                format!("set it on this side instead, `x.{short} {sign} value`, where that is seen before it is read")
            }
            Origin::Implementation { name: implementation, place } => {
                let message = format!(
                    "the value is set in the implementation `{implementation}`: until it runs nothing promises a value to `{name}`"
                );
                raise.related.push((place, message));
                "set the value outside of the implementation, or read the list with `for` or a relation, which take values as they come".to_string()
            }
            Origin::Nested { word, place } => {
                raise.related.push((
                    place,
                    format!("the value is set under this `{word}`, for an instance that is found there"),
                ));
                "read the list with `for` or a relation, which take values as they come".to_string()
            }
            Origin::Top => "read the list with `for` or a relation, which take values as they come".to_string(),
        };
        raise.help = Some(advice);
    }

    /// The block that a place is in.
    fn origin(&self, place: Span) -> Origin {
        let program = self.program;
        for implementation in &program.implementations {
            if self.block_holds(implementation.body, place) {
                let name = program.text(implementation.name).to_string();
                return Origin::Implementation { name, place: implementation.span };
            }
        }
        for block in &program.blocks {
            for statement in &program.ast.block(*block).statements {
                let (word, blocks) = match program.ast.kind(*statement) {
                    Kind::For { body, .. } => ("for", vec![*body]),
                    Kind::If { yes, no, .. } => ("if", vec![*yes, *no]),
                    _ => continue,
                };
                if blocks.iter().any(|block| self.block_holds(*block, place)) {
                    return Origin::Nested { word, place: program.ast.span(*statement) };
                }
            }
        }
        Origin::Top
    }

    fn block_holds(&self, block: BlockId, place: Span) -> bool {
        let ast = &self.program.ast;
        let mut open: Vec<NodeId> = ast.block(block).statements.clone();
        while let Some(node) = open.pop() {
            if ast.span(node) == place {
                return true;
            }
            let kind = ast.kind(node);
            open.extend(walk::children(kind));
            match kind {
                Kind::For { body, .. } => open.extend(&ast.block(*body).statements),
                Kind::If { yes, no, .. } => {
                    open.extend(&ast.block(*yes).statements);
                    open.extend(&ast.block(*no).statements);
                }
                _ => {}
            }
        }
        false
    }

    /// Attributes that would have to freeze before a list for the late value to be there in time, the likeliest first.
    pub fn freeze_first(&self, late: AttributeId) -> Vec<AttributeId> {
        let mut found = Vec::new();
        for event in self.trace.events.iter().rev() {
            if !matches!(event.what, What::Freeze(_)) {
                continue;
            }
            let Some(attribute) = self.attribute_of(event.var) else { continue };
            if attribute != late && !found.contains(&attribute) {
                found.push(attribute);
            }
        }
        found.truncate(16);
        found
    }

    /// A rule for `relation_precedence_policy`.
    pub fn rule(&self, first: AttributeId, then: AttributeId) -> String {
        format!("{} before {}", self.list_name(first), self.list_name(then))
    }

    /// The history of every list of an attribute: `attribute`, or `namespace::Entity.attribute`.
    pub fn history(&self, written: &str) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        for (instance, var) in self.lists_of(written)? {
            let (_, name) = titled(written);
            lines.push(format!("`{name}` of {}:", self.long(instance)));
            for event in self.trace.of(var) {
                let place = event.place.map_or("-".to_string(), |place| self.place(place));
                lines.push(format!("    {place}: {}", words(event.what)));
            }
        }
        Ok(lines)
    }

    /// What happened to the lists of an instance, or to every list of an attribute that the id names; nothing where there
    /// are none.
    pub fn why(&self, of: &ResourceId, instance: Option<InstanceId>) -> Vec<(Option<Span>, String)> {
        let lists: Vec<(String, VarId)> = match instance {
            Some(id) => {
                let instance = &self.instances[id.0 as usize];
                let names = self.program.entity(instance.entity).all.iter().map(|(name, _)| *name);
                let list = |name| Some((self.program.text(name).to_string(), self.attribute_var(id, name).ok()?));
                names.filter_map(list).filter(|(_, var)| self.is_delayed(*var)).collect()
            }
            None => {
                let lists = self.lists_of(&of.0).unwrap_or_default();
                let (_, name) = titled(&of.0);
                lists.into_iter().map(|(id, var)| (format!("{name} of {}", self.long(id)), var)).collect()
            }
        };
        // What happens several times in a row, as where a loop adds values, is one row.
        let mut rows: Vec<((Option<Span>, String), usize)> = Vec::new();
        for (name, var) in lists {
            // A list without any assignment was only closed.
            if self.trace.of(var).all(|event| matches!(event.what, What::Freeze(_))) {
                continue;
            }
            for event in self.trace.of(var) {
                let row = (event.place, format!("{name}: {}", words(event.what)));
                let is_full = rows.len() >= MOST_ROWS;
                match rows.last_mut() {
                    Some((last, times)) if *last == row => *times += 1,
                    _ if is_full => break,
                    _ => rows.push((row, 1)),
                }
            }
        }
        let counted = |((place, words), times): ((Option<Span>, String), usize)| match times {
            1 => (place, words),
            _ => (place, format!("{words}, {times} times")),
        };
        rows.into_iter().map(counted).collect()
    }

    fn lists_of(&self, written: &str) -> Result<Vec<(InstanceId, VarId)>, String> {
        let (entity, name) = titled(written);
        let entity = match entity {
            Some(entity) => {
                Some(self.program.find_entity(entity).ok_or_else(|| format!("there is no entity `{entity}`"))?)
            }
            None => None,
        };
        let lists = self.program.names.find(name).map(|name| self.relations_named(entity, name)).unwrap_or_default();
        if lists.is_empty() { Err(format!("no instance has a list `{name}`")) } else { Ok(lists) }
    }
}

/// An attribute as it is written: its entity, if one is named, and its name.
fn titled(written: &str) -> (Option<&str>, &str) {
    written.rsplit_once('.').map_or((None, written), |(entity, name)| (Some(entity), name))
}

/// More rows than this are not read by people.
const MOST_ROWS: usize = 200;

fn words(what: What) -> &'static str {
    match what {
        What::Set => "adds a value",
        What::Wait => "waits for the whole list",
        What::Listen => "takes values as they come",
        What::Promise => "promises to set it",
        What::Fulfil => "keeps its promise",
        What::Freeze(Why::Full) => "closes it: it holds all that it may",
        What::Freeze(Why::Waiter) => "closes it: this waits, and nothing known could still add a value",
        What::Freeze(Why::Cycle) => "closes it: statements waited for one another",
        What::Freeze(Why::Leftover) => "closes it: nothing else was left to do",
    }
}

#[cfg(test)]
mod tests {
    use ::std::path::PathBuf;

    use crate::graph::ResourceId;
    use crate::lang::{Choices, CompileOptions, Language, RunLimits};
    use crate::module::{EntryPoint, LanguageName};
    use crate::world::Memory;

    /// The lists of a resource, and those of an attribute, each with who did what to them.
    #[test]
    fn why_a_list_is_as_it_is() {
        let text = "import fs\nhere = std::Host(name=\"localhost\", os=std::linux)\n\
                    a = fs::Directory(host=here, path=\"/a\", mode=755)\n\
                    b = fs::File(host=here, path=\"/b\", content=\"\", mode=644)\nb.requires += a\n";
        let entry = EntryPoint {
            language: LanguageName::Inmanta,
            code: Some(("<argument>".to_string(), text.into())),
            base: PathBuf::from("/"),
            ..EntryPoint::default()
        };
        let run = RunLimits::until(crate::diag::Stage::Eval);
        let options = CompileOptions { module_path: Vec::new(), choices: Choices::default(), run };
        let rows = |id: &str| {
            let why = super::super::Inmanta.explain(&Memory::default(), &entry, &options, &ResourceId(id.into()));
            let why = why.unwrap_or_else(|report| panic!("{:?}", report.diagnostics));
            why.into_iter().map(|(place, words)| (place.map(|place| place.line), words)).collect::<Vec<_>>()
        };
        let adds = (Some(5), "requires: adds a value".to_string());
        assert!(rows("fs::File[localhost,path=/b]").contains(&adds), "{:?}", rows("fs::File[localhost,path=/b]"));
        assert!(rows("requires").iter().any(|(line, words)| *line == Some(5) && words.ends_with("adds a value")));
        assert_eq!(rows("fs::File[localhost,path=/unknown]"), []);
    }
}
