//! The user's keys over those of the table: `"ctrl-s" = "filter"` for all screens, `[keys.plan]` for one.
//!
//! A key that the user binds loses its old action. A binding for one screen takes precedence over one for all. A
//! sequence that starts another is a clash, because one of the two could never be typed. A wrong binding is reported
//! and ignored, and the table's own keys apply.

use super::keymap::{Entry, Keymap, TABLE};
use super::keys::{self, Key};
use super::screen::ScreenId;
use crate::config::{Binding, Written};
use crate::diag::{Code, Diagnostic, Diagnostics, Severity, nearest};

/// The value that unbinds a key.
const FREE: &str = "none";

/// Old names of screens.
const OLD_SCREENS: [(&str, ScreenId); 2] = [("step", ScreenId::Step), ("deploys", ScreenId::Deploys)];

/// Older names of actions, which still work.
const RENAMED: [(&str, &str); 7] = [
    ("arm", "apply"),
    ("observe", "re-check"),
    ("over", "rest-of-class"),
    ("roll-back", "undo-apply"),
    ("end-parked", "end-detached"),
    ("view", "order-or-tree"),
    ("leave-out", "skip-resource"),
];

/// Actions of older versions, with what replaces them.
const REMOVED: &[(&str, &str)] = &[
    ("ask-cluster", "run `workbench deploy list --target NAME`"),
    ("bookmark", "use `jump-back`"),
    ("bookmarks", "use `jump-back`"),
    ("break-mode", "use `breakpoints`: it is the first row there"),
    ("compare-last", "use `compare`"),
    ("compile", "saved files are compiled at once; `plan` reads everything again"),
    ("compile-code", "saved files are compiled at once; `plan` reads everything again"),
    ("copy-value", "use `copy`, or `copy-place`"),
    ("deploys", "use `history`"),
    ("end-watch", "use `watch`: it starts and stops watching"),
    ("even-panes", "use `zoom`"),
    ("event-back", "each event is a line on Log"),
    ("event-on", "each event is a line on Log"),
    ("export", "use `save`"),
    ("export-deploy", "use `save`"),
    ("fetch-log", "use `log`"),
    ("fetch-packages", "run `workbench preview --fetch-packages`"),
    ("find-module", "use `modules`"),
    ("finish", "use `rest-of-class`, or `continue`"),
    ("fold-close", "use `fold`"),
    ("fold-graph", "use `fold-all`"),
    ("fold-here", "use `fold`"),
    ("fold-here-close", "use `fold`"),
    ("fold-here-open", "use `fold`"),
    ("fold-module", "use `fold`"),
    ("fold-module-close", "use `fold`"),
    ("fold-module-open", "use `fold`"),
    ("fold-modules", "use `fold-all`"),
    ("fold-open", "use `fold`"),
    ("fold-rows", "use `fold`"),
    ("fold-rows-all", "use `fold-all`"),
    ("fold-rows-close", "use `fold`"),
    ("fold-rows-open", "use `fold`"),
    ("follow", "use `bottom`: it follows the end"),
    ("group-by", "the summary is by action"),
    ("layers", "use `order-or-tree`"),
    ("leave-row-out", "use `skip`"),
    ("level", "use `filter` with `level:problems`"),
    ("line-end", "use `word`"),
    ("line-first", "use `word-back`"),
    ("line-start", "use `word-back`"),
    ("mark", "use `compare`: it compares with the deploy before"),
    ("mark-resource", "use `only-related`"),
    ("narrower", "use `only-related`"),
    ("narrower-pane", "use `zoom`"),
    ("next-emitted", "use `next-change`"),
    ("next-sibling", "use `down`"),
    ("next-source", "run `workbench deploy list --target NAME`"),
    ("only-around", "use `only-related`"),
    ("only-dependents", "use `only-related`"),
    ("only-here", "use `only-related`"),
    ("only-kind", "use `filter` with `kind:`"),
    ("only-named", "use `only-related`"),
    ("only-needs", "use `only-related`"),
    ("only-this", "use `only-related`"),
    ("only-trouble", "use `filter` with `state:failed`"),
    ("page-down", "use `half-down`"),
    ("page-up", "use `half-up`"),
    ("pane-down", "use `next-pane`"),
    ("pane-left", "use `previous-pane`"),
    ("pane-right", "use `next-pane`"),
    ("pane-up", "use `previous-pane`"),
    ("path", "use `only-related`"),
    ("preview-push", "run `workbench deploy push --target NAME --preview`"),
    ("previous-emitted", "use `previous-change`"),
    ("previous-sibling", "use `up`"),
    ("previous-source", "run `workbench deploy list`"),
    ("push", "run `workbench deploy push --target NAME`"),
    ("rails", "use `order-or-tree`"),
    ("redo", "use `breakpoint` and `skip`"),
    ("replay", "use `open`: History shows what a deploy did"),
    ("save-log", "use `save`"),
    ("search-word", "use `filter`, or `references`"),
    ("select-rows", "use `select` on Code"),
    ("step-screen", "use `plan-screen`"),
    ("stop-cluster", "press Ctrl-C in the command that connects to the cluster"),
    ("stop-fetch", "use `stop`"),
    ("theme", "use the command `:theme NAME`"),
    ("times", "Log always shows the times"),
    ("to-step", "use `to-plan`"),
    ("toggle-mark", "use `breakpoint`"),
    ("tree", "use `order-or-tree`"),
    ("undo", "use `breakpoint` and `skip`"),
    ("undo-setup", "use `breakpoint` and `skip`"),
    ("unfold-graph", "use `unfold-all`"),
    ("unfold-modules", "use `unfold-all`"),
    ("unfold-rows-all", "use `unfold-all`"),
    ("unzoom", "use `zoom`"),
    ("whole-text", "use `side-by-side`"),
    ("wider", "use `only-related`"),
    ("wider-pane", "use `zoom`"),
    ("word-end", "use `word`"),
    ("wrap", "Log always wraps"),
];

/// A binding in force.
#[derive(Clone, Debug)]
pub struct Bound {
    pub keys: Vec<Key>,
    pub entry: &'static Entry,
    pub screens: Vec<ScreenId>,
    /// The user's binding; `None` for the table's own.
    pub yours: Option<Binding>,
}

/// The table's keys with the user's over them.
pub fn rebound(written: &[Binding], diags: &mut Diagnostics) -> Keymap {
    let mut bound = Keymap::built_in().bound;
    let mut faults = Vec::new();
    let mut rebindings: Vec<Rebinding> = written.iter().filter_map(|binding| read(binding, &mut faults)).collect();
    // Unbinding comes first, and a binding for one screen takes precedence over one for all.
    rebindings.sort_by_key(|one| (one.entry.is_some(), one.written.screen.is_some()));
    for one in rebindings {
        bind(one, &mut bound, &mut faults);
    }
    faults.sort_by_key(|fault: &Diagnostic| fault.span);
    faults.into_iter().for_each(|fault| diags.push(fault));
    Keymap { bound }
}

/// A valid binding.
struct Rebinding<'a> {
    keys: Vec<Key>,
    /// `None` to unbind the keys.
    entry: Option<&'static Entry>,
    screens: Vec<ScreenId>,
    written: &'a Binding,
}

fn read<'a>(written: &'a Binding, faults: &mut Vec<Diagnostic>) -> Option<Rebinding<'a>> {
    let keys = keys::parse(&written.keys.text);
    if keys.is_none() {
        faults.push(no_keys(&written.keys));
    }
    let screen = match &written.screen {
        None => None,
        Some(name) => match ScreenId::ALL.into_iter().find(|screen| screen.name() == name.text) {
            Some(screen) => Some(screen),
            None => match OLD_SCREENS.iter().find(|(old, _)| *old == name.text) {
                Some((_, screen)) => {
                    let help = format!("write `[keys.{}]`", screen.name());
                    let mut fault = at(Code::UnknownScreen, name).label(format!("`{}`", name.text)).help(help);
                    fault.severity = Severity::Warning;
                    faults.push(fault);
                    Some(*screen)
                }
                None => {
                    faults.push(no_screen(name));
                    return None;
                }
            },
        },
    };
    let entry = match written.action.text.as_str() {
        FREE => None,
        id => match find_named(id) {
            Some(entry) => Some(entry),
            None => {
                let removed = REMOVED.iter().find(|(removed, _)| *removed == id);
                faults.push(match removed {
                    Some((_, replacement)) => removed_action(&written.action, replacement),
                    None => no_action(&written.action),
                });
                return None;
            }
        },
    };
    let works = |screen: &ScreenId| entry.is_none_or(|entry| entry.works_on(*screen));
    let screens: Vec<_> =
        ScreenId::ALL.into_iter().filter(|s| screen.is_none_or(|one| one == *s)).filter(works).collect();
    if screens.is_empty() {
        faults.push(elsewhere(entry?, &written.action));
        return None;
    }
    Some(Rebinding { keys: keys?, entry, screens, written })
}

/// The action with this name, or with this older name.
fn find_named(id: &str) -> Option<&'static Entry> {
    let id = RENAMED.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| new);
    TABLE.iter().find(|entry| entry.id == id)
}

fn bind(one: Rebinding<'_>, bound: &mut Vec<Bound>, faults: &mut Vec<Diagnostic>) {
    let Rebinding { keys, entry, screens, written } = one;
    if let Some(entry) = entry {
        let both = |other: &&Bound| other.screens.iter().any(|screen| screens.contains(screen));
        let of_rank =
            |other: &Bound| other.yours.as_ref().is_some_and(|y| y.screen.is_some() == written.screen.is_some());
        let clash = bound.iter().filter(both).find(|other| {
            let begins = other.keys.starts_with(&keys) || keys.starts_with(&other.keys);
            begins && (other.keys != keys || of_rank(other))
        });
        if let Some(other) = clash {
            return faults.push(clashes(written, entry, &keys, other));
        }
    }
    for other in bound.iter_mut().filter(|other| other.keys == keys) {
        other.screens.retain(|screen| !screens.contains(screen));
    }
    bound.retain(|other| !other.screens.is_empty());
    if let Some(entry) = entry {
        // First, so that footers and the palette name the user's key.
        bound.insert(0, Bound { keys, entry, screens, yours: Some(written.clone()) });
    }
}

fn clashes(written: &Binding, entry: &Entry, keys: &[Key], other: &Bound) -> Diagnostic {
    let other_keys = keys::write(&other.keys);
    let label = if other.keys == keys {
        format!("`{other_keys}` is already `{}`", other.entry.id)
    } else if other.keys.starts_with(keys) {
        format!("`{other_keys}` (`{}`) could no longer be typed", other.entry.id)
    } else {
        format!("`{}` cannot be typed because `{other_keys}` is `{}`", keys::write(keys), other.entry.id)
    };
    let diagnostic = at(Code::KeyClash, &written.keys).label(label);
    match other.yours.as_ref().and_then(|yours| yours.keys.span) {
        Some(span) => diagnostic.related(span, "bound here").help(format!("choose another key for `{}`", entry.id)),
        None => {
            diagnostic.help(format!("remove the other with `\"{other_keys}\" = \"{FREE}\"`, or choose another key"))
        }
    }
}

fn no_keys(keys: &Written) -> Diagnostic {
    let spaced = keys.text.chars().map(String::from).collect::<Vec<_>>().join(" ");
    let is_short = (2..=3).contains(&keys.text.chars().count()) && !keys.text.contains([' ', '-']);
    let near = keys.text.split(' ').find(|word| keys::parse(word).is_none()).and_then(keys::near);
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if is_short => format!("separate keys with spaces: `{spaced}`"),
        None => "for example `s`, `ctrl-d`, `g g`, `space f`, `shift-tab`, `f5`".into(),
    };
    at(Code::InvalidKey, keys).label(format!("`{}`", keys.text)).help(help)
}

fn no_screen(name: &Written) -> Diagnostic {
    let names = ScreenId::ALL.map(ScreenId::name);
    let help = match nearest(&name.text, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the screens are: {}", names.join(", ")),
    };
    at(Code::UnknownScreen, name).label(format!("`{}`", name.text)).help(help)
}

fn no_action(action: &Written) -> Diagnostic {
    let names = TABLE.iter().map(|entry| entry.id).chain([FREE]);
    let help = match nearest(&action.text, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`workbench keys` lists the actions; `{FREE}` removes a key"),
    };
    at(Code::UnknownAction, action).label(format!("`{}`", action.text)).help(help)
}

/// Settings of older versions stay valid.
fn removed_action(action: &Written, replacement: &str) -> Diagnostic {
    let mut diagnostic = at(Code::RemovedAction, action);
    diagnostic.severity = Severity::Warning;
    diagnostic.label(format!("`{}`", action.text)).help(replacement)
}

fn elsewhere(entry: &Entry, action: &Written) -> Diagnostic {
    let screens: Vec<_> = entry.screens.iter().map(|screen| screen.name()).collect();
    at(Code::UnknownAction, action)
        .label(format!("`{}` is not on this screen", entry.id))
        .help(format!("it is available on: {}", screens.join(", ")))
}

fn at(code: Code, written: &Written) -> Diagnostic {
    match written.span {
        Some(span) => Diagnostic::error(code, span),
        None => Diagnostic::placeless(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Stage;
    use crate::tui::keymap::Found;

    fn binding(screen: Option<&str>, keys: &str, action: &str) -> Binding {
        let written = |text: &str| Written { text: text.into(), span: None };
        Binding { screen: screen.map(written), keys: written(keys), action: written(action) }
    }

    fn map(bindings: &[(Option<&str>, &str, &str)]) -> (Keymap, Vec<&'static str>) {
        let mut diags = Diagnostics::new(Stage::Module);
        let bindings: Vec<_> = bindings.iter().map(|(screen, keys, action)| binding(*screen, keys, action)).collect();
        let map = rebound(&bindings, &mut diags);
        (map, diags.iter().map(|d| d.code.as_str()).collect())
    }

    fn does(map: &Keymap, screen: ScreenId, keys: &str) -> &'static str {
        match map.find(screen, &keys::parse(keys).expect("keys of a test")) {
            Found::Action(entry) => entry.id,
            Found::Prefix => "..",
            Found::Nothing => "",
        }
    }

    #[test]
    fn the_users_keys_override_the_tables() {
        let (map, faults) =
            map(&[(None, "s", "filter"), (Some("plan"), "n", "step"), (None, "q", "none"), (None, "Ctrl-X", "quit")]);
        assert_eq!(faults, Vec::<&str>::new());
        assert_eq!(does(&map, ScreenId::Step, "s"), "filter");
        assert_eq!(does(&map, ScreenId::Step, "n"), "step");
        assert_eq!(does(&map, ScreenId::Code, "n"), "next-match");
        assert_eq!(does(&map, ScreenId::Code, "q"), "");
        assert_eq!(does(&map, ScreenId::Log, "ctrl-x"), "quit");
        assert_eq!(does(&map, ScreenId::Log, "j"), "down");
    }

    /// An old name is not an error: the binding is ignored, or the new name is used.
    #[test]
    fn removed_names_are_reported_with_a_replacement() {
        let mut diags = Diagnostics::new(Stage::Module);
        let map = rebound(&[binding(Some("step"), "n", "step"), binding(None, "ctrl-e", "bookmark")], &mut diags);
        assert_eq!((does(&map, ScreenId::Step, "n"), does(&map, ScreenId::Log, "ctrl-e")), ("step", ""));
        assert!(!diags.has_errors());
        let helps: Vec<_> = diags.iter().filter_map(|one| one.help.as_deref()).collect();
        assert_eq!(helps, ["write `[keys.plan]`", "use `jump-back`"]);
    }

    #[test]
    fn one_screen_overrides_all() {
        let (map, faults) = map(&[(Some("graph"), "w", "quit"), (None, "w", "filter")]);
        assert_eq!(faults, Vec::<&str>::new());
        assert_eq!((does(&map, ScreenId::Graph, "w"), does(&map, ScreenId::Log, "w")), ("quit", "filter"));
    }

    #[test]
    fn clashes_and_slips_are_reported_and_left_out() {
        let (map, faults) =
            map(&[(None, "g", "top"), (None, "j x", "top"), (None, "C-e", "quit"), (None, "ctrl-e", "top")]);
        assert_eq!(faults, ["key-clash"; 3]);
        assert_eq!((does(&map, ScreenId::Code, "g"), does(&map, ScreenId::Code, "j")), ("..", "down"));
        let mut bare: Vec<_> = ["g g", "g d", "g r"].map(|keys| (Some("log"), keys, "none")).to_vec();
        bare.push((Some("log"), "g", "top"));
        let (map, faults) = self::map(&bare);
        assert_eq!((faults.len(), does(&map, ScreenId::Log, "g"), does(&map, ScreenId::Code, "g")), (0, "top", ".."));
        let wrong =
            [(None, "crtl-d", "top"), (None, "w", "tpo"), (Some("stp"), "w", "top"), (Some("log"), "w", "step")];
        assert_eq!(self::map(&wrong).1, ["invalid-key", "unknown-action", "unknown-screen", "unknown-action"]);
    }

    #[test]
    fn a_removed_action_is_a_warning() {
        assert!(RENAMED.iter().all(|(_, new)| TABLE.iter().any(|entry| entry.id == *new)));
        assert!(REMOVED.iter().all(|(removed, _)| TABLE.iter().all(|entry| entry.id != *removed)));
        let mut diags = Diagnostics::new(Stage::Module);
        let map = rebound(&[binding(Some("deploys"), "P", "push"), binding(None, "ctrl-x", "quit")], &mut diags);
        assert!(!diags.has_errors() && diags.iter().any(|diag| diag.code == Code::RemovedAction));
        assert_eq!(does(&map, ScreenId::Log, "ctrl-x"), "quit");
    }
}
