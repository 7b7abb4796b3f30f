//! The rules of a project about which relation freezes before which.

use super::super::error::{Class, Raise, Result};
use super::super::project::pair;
use super::{AttributeId, EntityId, Named, Program};

/// Relations, each with one that is set after it.
type Pairs = Vec<(AttributeId, AttributeId)>;

impl Program {
    /// Applies the rules of a project, and returns them as pairs of relations; an error with the rule that it is of.
    pub fn set_precedence(&mut self, rules: &[String]) -> std::result::Result<Pairs, (usize, Box<Raise>)> {
        let mut pairs = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            let Some((first, then)) = pair(rule) else { continue };
            let found = relation(first, self).and_then(|first| Ok((first, relation(then, self)?)));
            pairs.push(found.map_err(|raise| (at, raise))?);
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
    let form = "write `MODULE::ENTITY.RELATION before MODULE::ENTITY.RELATION`";
    let Some((ty, name)) = written.rsplit_once('.') else {
        return Err(wrong("it names no relation".to_string()).with_help(form));
    };
    let entity = match program.find_full(ty) {
        Some(Named::Entity(entity)) => entity,
        Some(_) => return Err(wrong("it is no entity".to_string()).with_help(form)),
        None => {
            let names: Vec<String> =
                (0..program.entities.len() as u32).map(|at| program.entity_name(EntityId(at))).collect();
            let near = crate::diag::nearest(ty, names.iter().map(String::as_str));
            return Err(wrong("no such type was defined".to_string()).with_help(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write the full name of an entity of a module that is imported".to_string(),
            }));
        }
    };
    let own = program.names.find(name);
    let all = &program.entity(entity).own;
    let relations = || all.iter().filter(|(_, id)| program.attribute(*id).relation.is_some());
    let Some((_, attribute)) = all.iter().find(|(other, _)| Some(*other) == own) else {
        let near = crate::diag::nearest(name, relations().map(|(name, _)| program.text(*name)));
        return Err(wrong(format!("entity {ty} doesn't have an attribute {name}.")).with_help(match near {
            Some(near) => format!("did you mean `{ty}.{near}`?"),
            None => format!("write a relation of `{ty}`, or remove the rule"),
        }));
    };
    if program.attribute(*attribute).relation.is_none() {
        let known: Vec<String> = relations().take(4).map(|(name, _)| format!("`{}`", program.text(*name))).collect();
        let help = match known.is_empty() {
            true => format!("`{ty}` has no relation: remove the rule"),
            false => format!("only relations wait for one another: write {}, or remove the rule", known.join(" or ")),
        };
        return Err(wrong(format!("attribute {name} is not a relationship attribute.")).with_help(help));
    }
    Ok(*attribute)
}
