//! A breakpoint may name whatever a kind tells as changed.

use workbench::graph::Graph;
use workbench::plan::stop::Stop;
use workbench::session::check_stop;

use crate::house::sources;

/// What stands before the name of a property, where a kind tells that it differs.
const TELLING: [&str; 3] = ["differs(", "change(", "property: "];

/// The names that a kind's source tells as changed, as far as they stand there as text.
fn told(text: &str) -> impl Iterator<Item = &str> {
    let behind =
        TELLING.iter().flat_map(|telling| text.match_indices(telling).map(|(at, _)| &text[at + telling.len()..]));
    behind.filter_map(|rest| {
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("look,").unwrap_or(rest).trim_start();
        rest.strip_prefix('"')?.split('"').next()
    })
}

#[test]
fn a_breakpoint_may_name_every_reported_change() {
    let mut names: Vec<(String, String)> = Vec::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| file.starts_with("src/resource")) {
        // Tests at a file's foot name what they like.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        names.extend(told(text).map(|name| (file.display().to_string(), name.to_owned())));
    }
    assert!(names.len() > 40 && names.iter().any(|(_, name)| name == "mode"), "kinds tell otherwise now: {names:?}");
    for (file, name) in names {
        let stop = Stop::parse(&format!("if \"changed:{name}\"")).expect("a condition");
        assert_eq!(
            check_stop(&stop, &Graph::default(), &[], []),
            Ok(()),
            "{file}: add `{name}` to src/session/stops.rs"
        );
    }
    let nothing = Stop::parse("if changed:nonsense").expect("a condition");
    assert!(check_stop(&nothing, &Graph::default(), &[], []).is_err());
}
