//! Code of a resource type that names other resources: it reads the attributes of its own resource.

use super::call::MethodResult;
use super::expr::Block;
use super::value::Ruby;
use super::{Halt, Machine, Ran};
use crate::lang::ruby::ast::{Call, Expr, Kind};
use crate::lang::ruby::describe::Relation;
use crate::lang::ruby::host::Host;

/// The titles that a relation of a type names for the resource of the host.
pub fn titles_of(host: &mut dyn Host, relation: &Relation) -> Ran<Vec<String>> {
    let mut machine = Machine::new(host);
    let Some(code) = &relation.code else { return machine.outside(relation.line, "a relation without a block") };
    machine.has_resource = true;
    let block = Block::Code(code.clone(), machine.frame);
    let done = machine.yields(relation.line, &block, &[]);
    let done = done.and_then(|value| machine.check_bytes().and_then(|()| machine.titles(relation.line, &value)));
    machine.close();
    done
}

/// A path without parts that Ruby would take away.
fn is_plain(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(|part| !matches!(part, "" | "." | "..")))
}

impl Machine<'_> {
    fn titles(&self, line: u32, value: &Ruby) -> Ran<Vec<String>> {
        let items = match value {
            Ruby::Nil | Ruby::Bool(false) => return Ok(Vec::new()),
            other => self.heap.elements(other),
        };
        let items = items.iter().filter(|item| !matches!(item, Ruby::Nil));
        let texts = items.map(|item| match self.heap.as_text(item) {
            Some(text) => Ok(text.to_owned()),
            None => Err(Halt::outside(line, format!("a {} as a title", item.class()))),
        });
        texts.collect()
    }

    /// A call without a receiver, or of `self`.
    pub fn of_resource(&mut self, line: u32, name: &str, args: &[Ruby]) -> Ran {
        match (name, args) {
            ("[]" | "value", [attribute]) => {
                let attribute = self.text(line, attribute)?;
                self.host.attribute(&mut self.heap, line, &attribute)
            }
            _ => self.outside(line, format!("`{name}` of a resource")),
        }
    }

    /// `Pathname.new(a).parent.to_s` and `Pathname.new(a).absolute?`; a path is read in these forms only.
    pub fn path_form(&mut self, line: u32, call: &Call) -> MethodResult {
        if !matches!(&*call.name, "to_s" | "absolute?") || !call.args.is_empty() {
            return Ok(None);
        }
        let (mut at, mut parents) = (call.receiver.as_ref(), 0);
        while let Some(Expr { kind: Kind::Call(inner), .. }) = at {
            let receiver = inner.receiver.as_ref();
            let is_path = matches!(receiver.map(|one| &one.kind), Some(Kind::Const(name)) if &**name == "Pathname");
            match (&*inner.name, &inner.args[..]) {
                ("parent", []) => parents += 1,
                ("new", [path]) if is_path => {
                    let path = self.eval(path)?;
                    let path = self.text(line, &path)?;
                    return self.path_value(line, &call.name, &path, parents).map(Some);
                }
                _ => return Ok(None),
            }
            at = receiver;
        }
        Ok(None)
    }

    fn path_value(&mut self, line: u32, name: &str, path: &str, parents: usize) -> Ran {
        if name == "absolute?" {
            return Ok(Ruby::Bool(path.starts_with('/')));
        }
        if parents > 0 && !is_plain(path) {
            return self.outside(line, "the parent of such a path");
        }
        let above = std::path::Path::new(path).ancestors().nth(parents);
        self.string(above.map_or("/".into(), |above| above.to_string_lossy().into_owned()))
    }
}
