//! `file_line` of the module stdlib: a line of a file.

use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::ids::ResourceId;
use crate::lang::ruby::regexp;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "file_line",
    is_of_module: true,
    doc: "Manages a line of a file, which has to exist. A type of the module stdlib.",
    requires: "its file",
    params: &[
        ("name", "Its name."),
        ("path", "The file."),
        ("ensure", "`present` (the default) or `absent`."),
        ("line", "The line without newline."),
        ("match", "A pattern: the line that it finds is replaced."),
        ("after", "A pattern: a new line follows the line that it finds."),
        ("multiple", "Several lines may match."),
        ("append_on_no_match", "`false` adds no line where none matches."),
        ("replace", "`false` keeps a line that matches."),
        ("match_for_absence", "With `absent`, the line that `match` finds is removed."),
        ("replace_all_matches_not_matching_line", "Replaces matching lines even if the line exists."),
        ("encoding", "Only UTF-8."),
    ],
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    vec![m.text("path").and_then(|path| m.find("file", &path))]
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let path = g.text("path").ok_or("`path` is not set")?;
    if let Some(encoding) = g.text("encoding").filter(|name| !name.eq_ignore_ascii_case("utf-8")) {
        return Err(format!("`encoding => {encoding}`: only UTF-8 text is edited"));
    }
    let mut params = Params::default();
    params.set("file", Ours::Str(path.into()));
    params.set("state", g.state());
    params.set("by_pattern", Ours::Bool(true));
    g.pass(&mut params, "line", "content");
    for name in ["match", "after"] {
        if let Some(pattern) = g.text(name) {
            params.set(name, Ours::Str(regexp::translate(&pattern).into()));
        }
    }
    for (theirs, ours) in [
        ("multiple", "multiple"),
        ("match_for_absence", "absent_by_match"),
        ("replace_all_matches_not_matching_line", "replace_all"),
    ] {
        g.pass_flag(&mut params, theirs, ours);
    }
    for (theirs, ours) in [("append_on_no_match", "no_append"), ("replace", "no_replace")] {
        if g.flag(theirs) == Some(false) {
            params.set(ours, Ours::Bool(true));
        }
    }
    let needs_line = g.is_present() || params.get("match").is_none() || params.get("absent_by_match").is_none();
    if params.get("content").is_none() && needs_line {
        return Err("`line` is not set".into());
    }
    g.ignore(&["name", "provider"]);
    Ok(declaration("line", &*g.resource.title, params))
}
