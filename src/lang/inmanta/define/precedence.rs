//! The rules of a project about which relation freezes before which.

use super::super::error::{Class, Raise, Result};
use super::super::project::pair;
use super::{AttributeId, Meaning, Named, Program};

impl Program {
    /// Applies the rules of a project, and returns them as pairs of relations.
    pub fn set_precedence(&mut self, rules: &[String]) -> Result<Vec<(AttributeId, AttributeId)>> {
        let mut pairs = Vec::new();
        for (first, then) in rules.iter().filter_map(|rule| pair(rule)) {
            pairs.push((relation(first, self)?, relation(then, self)?));
        }
        for (first, then) in &pairs {
            self.set_before(*first, *then, true);
        }
        Ok(pairs)
    }
}

fn relation(written: &str, program: &Program) -> Result<AttributeId> {
    let wrong = |reason: String| {
        let message = format!("A relation precedence rule was defined for {written}, but {reason}");
        Raise::new(Class::InvalidPrecedenceRule, message)
    };
    let Some((ty, name)) = written.rsplit_once('.') else { return Err(wrong("it names no relation".to_string())) };
    let Some(found) = program.find_full(ty) else { return Err(wrong("no such type was defined".to_string())) };
    let Meaning::Named(Named::Entity(entity)) = found else { return Err(wrong("it is no entity".to_string())) };
    let own = program.names.find(name);
    let attribute = program.entity(entity).own.iter().find(|(other, _)| Some(*other) == own).map(|(_, id)| *id);
    let Some(attribute) = attribute else {
        return Err(wrong(format!("entity {ty} doesn't have an attribute {name}.")));
    };
    if program.attribute(attribute).relation.is_none() {
        return Err(wrong(format!("attribute {name} is not a relationship attribute.")));
    }
    Ok(attribute)
}
