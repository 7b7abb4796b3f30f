//! `--only`: selects steps by a query, or refuses an invalid query.

use std::collections::BTreeSet;

use super::exit::Exit;
use super::face::{Face, count};
use crate::diag::nearest;
use crate::graph::{Graph, Resource};
use crate::plan::{Plan, Query, RESOURCE_KEYS, Step, Summary, unknown_key};
use crate::session::DeclaredKind;

/// The steps that match a query; all without one.
///
/// A query without state conditions that matches no resource of the program is a typo, and is refused as wrong usage.
/// If `act:create` matches nothing, that is an answer, not a mistake.
pub fn selected<'a>(
    face: &Face,
    (plan, graph, kinds): (&'a Plan, &Graph, &[DeclaredKind]),
    query: &Query,
    words: Option<&str>,
) -> Result<Vec<&'a Step>, Exit> {
    let resource = |step: &Step| graph.find(&step.resource).and_then(|at| graph.resource(at));
    if let Some(words) = words {
        let all: Vec<&Resource> = plan.steps.iter().filter_map(resource).collect();
        let names = query.of_names();
        if !all.iter().any(|resource| names.matches(resource, None)) {
            face.refuse(&format!("no resource matches `--only {words}`"), &help(words, &all, kinds));
            return Err(Exit::Usage);
        }
    }
    let matches = |step: &&Step| resource(step).is_some_and(|resource| query.matches(resource, Some(step)));
    Ok(plan.steps.iter().filter(matches).collect())
}

/// The counts of some steps.
pub fn sums(steps: &[&Step]) -> Summary {
    Summary::of(steps.iter().copied())
}

/// The wrong word of a query, and a suggestion.
fn help(words: &str, all: &[&Resource], kinds: &[DeclaredKind]) -> String {
    if all.is_empty() {
        return "the entry declares no resources".into();
    }
    let finds = |word: &str| {
        let query = Query::parse(word).unwrap_or_default().of_names();
        all.iter().any(|resource| query.matches(resource, None))
    };
    let Some(wrong) = words.split_whitespace().find(|word| !finds(word)) else {
        return "every word matches some resource, but no resource matches all words".into();
    };
    let (negated, bare) = wrong.strip_prefix('!').map_or(("", wrong), |bare| ("!", bare));
    let (key, value) = match bare.split_once([':', '=']) {
        Some((key, value)) if RESOURCE_KEYS.contains(&key) => (key, value),
        _ => ("", bare),
    };
    if key == "kind" && kinds.iter().any(|kind| *kind.name == *value) {
        return format!("the program declares the kind `{value}`, but no resource of it");
    }
    let names: BTreeSet<&str> = all.iter().flat_map(|resource| names(resource, key)).collect();
    match nearest(value, names) {
        Some(near) if key.is_empty() => format!("did you mean `{negated}{near}`?"),
        Some(near) => format!("did you mean `{negated}{key}:{near}`?"),
        None => unknown_key(wrong, &RESOURCE_KEYS, false).unwrap_or_else(|| {
            let many = count(all.len(), "resource");
            format!("`{wrong}` matches none of {many}; `workbench preview` without `--only` lists all steps")
        }),
    }
}

/// The values of a query key for a resource.
fn names<'a>(resource: &'a Resource, key: &str) -> Vec<&'a str> {
    let file = || resource.source.as_ref().map(|place| &*place.file);
    match key {
        "kind" => {
            let mapped = resource.mapping().map(|wanted| &*wanted.kind);
            [Some(&*resource.shown().kind), mapped].into_iter().flatten().collect()
        }
        "tag" => {
            let classes = resource.container.iter().flat_map(|tag| [Some(&**tag), tag.rsplit(' ').next()]).flatten();
            classes.chain(resource.tags.iter().map(|tag| &**tag)).collect()
        }
        "mod" => {
            file().and_then(|file| file.rsplit_once('/')).map_or(vec![], |(folder, _)| folder.split('/').collect())
        }
        "file" => file().map_or(vec![], |file| file.split('/').chain([file]).collect()),
        _ => {
            let name = &*resource.shown().name;
            name.split('/').chain([name, &*resource.id.0, &*resource.shown().kind]).collect()
        }
    }
}
