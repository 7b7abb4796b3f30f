//! The commands of the command line: the names of actions, those of the command line face, and a few with arguments.
//!
//! One table lists, completes and runs them. A command that needs a shell is refused with that reason.

mod verbs;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::keymap::{Action, Entry, TABLE};
use super::layer::picker::{self, What};
use super::screen::{Pane, ScreenId, Screens, code};
use super::{
    cx::Cx, effect::Effect, filter, front::Front, jumps, layer::Layer, look::Role, message::Job, parity,
    screen::step::compared, state::State, widget::text,
};
use crate::diag::nearest;
use crate::highlight::BUILT_IN;
use crate::module::LanguageName;
use crate::plan::{LEVELS, QUERY_STATES};
use crate::session::doc;
pub use crate::tui::layer::kinds::Candidate;
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::log::State as Log;

const HISTORY: usize = 200;
/// More candidates than this are not listed.
const MOST: usize = 200;

/// A command with arguments.
struct Worded {
    name: &'static str,
    title: &'static str,
    words: fn(Front<'_>) -> Vec<String>,
    run: fn(&mut State, &str),
}

static WORDED: &[Worded] = &[
    Worded { name: "only", title: "Filter rows: kind:file act:create nginx", words: query_words, run: only },
    Worded {
        name: "goto",
        title: "Go to a line, a file (NAME:12), or a resource",
        words: |front| places(front.cx),
        run: |state, words| goto(&mut state.screens, &mut state.cx, words),
    },
    Worded {
        name: "grep",
        title: "Search the lines of all files",
        words: |_| vec![],
        run: |state, words| grep(&mut state.cx, words),
    },
    Worded {
        name: "theme",
        title: "Set theme",
        words: |_| BUILT_IN.iter().map(|(name, _)| (*name).into()).collect(),
        run: |state, words| state.cx.effect(Effect::Theme(words.into())),
    },
    Worded {
        name: "save",
        title: "Save the filtered log to a new file",
        words: |_| vec![],
        run: |state, words| save(&state.screens.log, &mut state.cx, words),
    },
    Worded {
        name: "step",
        title: "Run a step command: s 3, o, c, t ID, b ID, x, r, Z",
        words: |front| verbs::step_words(front.step),
        run: verbs::step,
    },
    Worded {
        name: "deploy",
        title: "Use deploys: list, show N, diff N [M], undo N",
        words: |_| ["list", "show", "diff", "undo", "resume"].map(String::from).into(),
        run: verbs::deploy,
    },
    Worded {
        name: "diff",
        title: "Compare: - before the edit, REVISION, NODE NODE",
        words: |front| ["-", "HEAD"].map(String::from).into_iter().chain(node_names(front.cx)).collect(),
        run: |state, words| compared::asked(&mut state.screens.step, &mut state.cx, words),
    },
    Worded {
        name: "node",
        title: "Compile for another node",
        words: |front| node_names(front.cx),
        run: |state, words| node(&mut state.cx, words),
    },
    Worded {
        name: "set",
        title: "Set how lines are numbered: relative, norelative",
        words: |_| ["relative", "norelative"].map(String::from).to_vec(),
        run: |state, words| set(&mut state.screens.code, &mut state.cx, words),
    },
];

/// Names of shell commands that have another name here.
const ALIASES: &[(&str, &str)] = &[
    ("q", "quit"),
    ("preview", "plan"),
    ("run", "watch"),
    ("download", "fetch"),
    ("deploy", "history"),
    ("help", "palette"),
    ("keys", "palette"),
];

const FOR_A_SHELL: &[&str] =
    &["check", "test", "parse", "eval", "lookup", "fmt", "highlight", "doc", "config", "completions", "man", "tutor"];

pub fn run(state: &mut State, line: &str) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    if state.cx.typing.commands.last().is_none_or(|last| last != line) {
        if state.cx.typing.commands.len() == HISTORY {
            state.cx.typing.commands.remove(0);
        }
        state.cx.typing.commands.push(line.into());
    }
    let (name, words) = line.split_once(' ').map_or((line, ""), |(name, words)| (name, words.trim()));
    // A number alone goes to that line, as in editors.
    if name.parse::<u32>().is_ok() && words.is_empty() {
        return goto(&mut state.screens, &mut state.cx, name);
    }
    if let Some(worded) =
        WORDED.iter().find(|worded| worded.name == name && !(words.is_empty() && works_without_words(name)))
    {
        return (worded.run)(state, words);
    }
    let typed = name;
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    match TABLE.iter().find(|entry| entry.id == name) {
        Some(_) if words.starts_with('-') => {
            let shell = text::safe(&format!("workbench {line}"));
            state.cx.show_notice(
                Role::Warning,
                format!("`{}` takes no options here; use a shell: {shell}", text::safe(typed)),
            )
        }
        Some(entry) => act(state, entry, typed, words),
        None => unknown(&mut state.cx, name),
    }
}

fn works_without_words(name: &str) -> bool {
    TABLE.iter().any(|entry| entry.id == name) || ALIASES.iter().any(|(alias, _)| *alias == name)
}

/// The screen of an action about the whole plan or all modules. The action switches to it.
fn home(action: Action) -> Option<ScreenId> {
    match action {
        Action::Arm | Action::Continue | Action::Over => Some(ScreenId::Step),
        Action::Fetch | Action::Update | Action::Look => Some(ScreenId::Modules),
        _ => None,
    }
}

fn act(state: &mut State, entry: &'static Entry, typed: &str, words: &str) {
    let count = words.parse().unwrap_or(1);
    let typed = text::safe(typed);
    if !words.is_empty() && words.parse::<usize>().is_err() {
        return state
            .cx
            .show_notice(Role::Warning, format!("`{typed}` only takes a count, not `{}`", text::safe(words)));
    }
    let elsewhere = home(entry.action).filter(|home| *home != state.cx.screen);
    elsewhere.into_iter().for_each(|home| super::update::run::show(state, home));
    // Screens may have the same action on other keys.
    let here = TABLE.iter().find(|other| other.action == entry.action && other.works_on(state.cx.screen));
    let Some(here) = here else {
        return state.cx.show_notice(Role::Warning, format!("`{typed}` is {}", entry.elsewhere()));
    };
    super::update::run::run(state, here, count);
}

fn unknown(cx: &mut Cx, name: &str) {
    let shown = text::safe(name);
    if FOR_A_SHELL.contains(&name) {
        cx.show_notice(Role::Note, format!("`workbench {shown}` only works in a shell"));
        return;
    }
    let names = TABLE.iter().map(|entry| entry.id).chain(WORDED.iter().map(|worded| worded.name));
    let names = names.chain(ALIASES.iter().map(|(alias, _)| *alias));
    let help = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "Tab lists the commands".into(),
    };
    cx.show_notice(Role::Warning, format!("unknown command `{shown}`; {help}"));
}

pub fn candidates(line: &str, front: Front<'_>) -> Vec<Candidate> {
    let Some((name, words)) = line.split_once(' ') else { return names(line, front) };
    let Some(worded) = WORDED.iter().find(|worded| worded.name == name) else { return vec![] };
    // Completes the last word and keeps those before it.
    let (before, last) = words.rsplit_once(' ').map_or(("", words), |(before, last)| (before, last));
    let before = if before.is_empty() { format!("{name} ") } else { format!("{name} {before} ") };
    let lower = last.to_lowercase();
    let all = (worded.words)(front).into_iter().filter(|word| word.to_lowercase().contains(&lower));
    let mut all: Vec<String> = all.take(MOST).collect();
    all.sort_by_key(|word| !word.to_lowercase().starts_with(&lower));
    let candidate = |word: String| Candidate {
        line: format!("{before}{word}"),
        shown: text::safe(&word),
        title: about(&word).into(),
        why_not: None,
    };
    all.into_iter().map(candidate).collect()
}

/// What to know about a word: a kind may have no implementation.
fn about(word: &str) -> &'static str {
    let kind = word.strip_prefix("kind:").and_then(doc::kind);
    if kind.is_some_and(|schema| !schema.is_implemented()) { "no implementation here" } else { "" }
}

fn names(typed: &str, front: Front<'_>) -> Vec<Candidate> {
    let worded = WORDED.iter().map(|worded| (worded.name, worded.title.to_string(), None, true));
    let actions = TABLE.iter().filter(|entry| entry.works_on(front.cx.screen) && entry.action != Action::CommandLine);
    // A command that also works without arguments is listed once.
    let is_worded = |name: &str| WORDED.iter().any(|worded| worded.name == name);
    let actions = actions.filter(|entry| !is_worded(entry.id));
    let actions = actions.map(|entry| (entry.id, entry.title.to_string(), entry.enabled(front).err(), false));
    let aliases = ALIASES
        .iter()
        .filter(|(alias, _)| !is_worded(alias))
        .map(|(alias, name)| (*alias, format!("The same as `{name}`"), None, false));
    let fits = |name: &str| name.contains(typed);
    let all = worded.chain(actions).chain(aliases).filter(|(name, ..)| fits(name));
    let mut all: Vec<Candidate> = all
        .map(|(name, title, why_not, is_worded)| Candidate {
            line: if is_worded { format!("{name} ") } else { name.into() },
            shown: name.into(),
            title,
            why_not,
        })
        .collect();
    all.sort_by_key(|one| (one.shown != typed, !one.shown.starts_with(typed)));
    all
}

fn query_words(front: Front<'_>) -> Vec<String> {
    let (cx, here) = (front.cx, front.screen.filter_keys());
    let keys = here.iter().map(|key| format!("{key}:"));
    let actions = ["create", "change", "replace", "remove", "run", "none", "unchanged", "unknown"]
        .map(|act| format!("act:{act}"));
    let states = QUERY_STATES.iter().map(|word| format!("state:{word}"));
    let mut kinds: Vec<String> = cx
        .graphed()
        .into_iter()
        .flat_map(|program| program.graph.resources())
        .map(|(_, resource)| format!("kind:{}", text::safe(&resource.shown().kind)))
        .collect();
    let declared = cx.programs.newest.iter().flat_map(|program| program.kinds.iter());
    kinds.extend(declared.map(|kind| format!("kind:{}", text::safe(&kind.name))));
    kinds.sort_unstable();
    kinds.dedup();
    let classes = cx.graphed().into_iter().flat_map(|program| program.graph.resources());
    let classes = classes.flat_map(|(_, resource)| {
        let class = resource.container.last().and_then(|class| class.rsplit(' ').next());
        class.into_iter().chain(resource.tags.iter().map(|tag| &**tag))
    });
    let mut tags: Vec<String> = classes.map(|name| format!("tag:{}", text::safe(name))).collect();
    tags.sort_unstable();
    tags.dedup();
    let levels = LEVELS.iter().map(|level| format!("level:{level}"));
    let all = keys.chain(kinds).chain(actions).chain(states).chain(tags).chain(levels);
    all.filter(|word| word.split_once(':').is_some_and(|(key, _)| here.contains(&key))).collect()
}

fn only(state: &mut State, words: &str) {
    if let Some(wrong) = filter::wrong(words, &state.cx) {
        return state.cx.show_notice(Role::Warning, wrong);
    }
    state.filter(words);
    if let Some(doubt) = filter::doubt(words, state.front()) {
        state.cx.show_notice(Role::Warning, doubt);
    }
}

/// Files of the program, and resources.
fn places(cx: &Cx) -> Vec<String> {
    let Some(program) = cx.graphed().or(cx.programs.newest.as_ref()) else { return vec![] };
    let files = program.sources.iter().map(|(_, file)| file.name.to_string());
    let ids = program.graph.resources().map(|(_, resource)| resource.id.0.to_string());
    files.chain(ids).collect()
}

pub fn go_to_line(screens: &mut Screens, cx: &mut Cx, line: u32) {
    let Some(name) = screens.code.doc().map(|doc| doc.name.clone()) else {
        return cx.show_notice(Role::Warning, "no file is open");
    };
    jumps::remember(screens, cx);
    cx.screen = ScreenId::Code;
    cx.set_focus(Pane::Text);
    code::show(&mut screens.code, name, (line, 1));
}

fn goto(screens: &mut Screens, cx: &mut Cx, words: &str) {
    if words.is_empty() {
        return cx.show_notice(Role::Note, "name a target: :goto 12, :goto NAME:12, :goto svc[nginx]");
    }
    if let Ok(line) = words.parse::<u32>() {
        return go_to_line(screens, cx, line);
    }
    let node = cx.graphed().and_then(|program| {
        let whole = program.graph.resources().find(|(_, resource)| *resource.id.0 == *words);
        let begun = || program.graph.resources().find(|(_, resource)| resource.id.0.contains(words));
        let is_file = LanguageName::of_file(Path::new(file_and_spot(words).0)).is_some();
        whole.or_else(|| if is_file { None } else { begun() }).map(|(node, _)| node)
    });
    if let Some(node) = node {
        return jumps::show_on_graph(screens, cx, node);
    }
    let (file, spot) = file_and_spot(words);
    // A file of the program by its name or the end of it; else a path relative to the current folder.
    let known = [&cx.programs.newest, &cx.programs.good].into_iter().flatten().find_map(|program| {
        let names = || program.sources.iter().map(|(_, there)| there);
        let named = names().find(|there| *there.name == *file);
        named.or_else(|| names().find(|there| there.name.ends_with(&format!("/{file}"))))?.path.clone()
    });
    jumps::open_file(screens, cx, known.unwrap_or_else(|| PathBuf::from(file)), spot)
}

/// A file, line and column, as compilers write places.
fn file_and_spot(words: &str) -> (&str, code::Spot) {
    let number = |text: &str| text.parse::<u32>().ok();
    match words.rsplit_once(':') {
        Some((rest, last)) if number(last).is_some() => {
            let last = number(last).unwrap_or(1);
            match rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
                Some((file, line)) => (file, (line, last)),
                None => (rest, (last, 1)),
            }
        }
        _ => (words, (1, 1)),
    }
}

fn grep(cx: &mut Cx, words: &str) {
    picker::open(cx, What::Lines);
    if let Some(Layer::Picker(mut picker)) = cx.layers.open.pop() {
        picker.paste(words);
        picker.wishes(cx);
        cx.layers.open.push(Layer::Picker(picker));
    }
}

fn save(log: &Log, cx: &mut Cx, words: &str) {
    if words.is_empty() {
        return cx.show_notice(Role::Note, "name a file: :save workbench.log");
    }
    cx.start(Job::Read);
    cx.effect(Effect::SaveLog { path: words.into(), text: log.text(&cx.log) })
}

/// Compiles for another node.
fn node(cx: &mut Cx, words: &str) {
    if !cx.project.language.has_nodes() {
        return cx.show_notice(Role::Warning, "this program is not compiled for a node");
    }
    if words.is_empty() || words.contains(char::is_whitespace) {
        return cx.show_notice(Role::Note, "name a node: :node web1.example.com");
    }
    let name = words.to_lowercase();
    cx.project.entry_flags.retain(|(flag, _)| *flag != "--node");
    cx.project.entry_flags.push(("--node", Some(name.clone())));
    cx.log_command(format!("workbench graph {}", parity::entry_words(cx)));
    cx.show_notice(Role::Note, format!("compiling for {}", text::safe(&name)));
    cx.effect(Effect::PickNode(name));
    cx.recompile();
}

/// The nodes that the program and its data name: `node` statements, and files in a folder `nodes`.
fn node_names(cx: &Cx) -> Vec<String> {
    let Some(program) = cx.graphed().filter(|_| cx.project.language.has_nodes()) else { return vec![] };
    let mut names = BTreeSet::new();
    for (_, file) in program.sources.iter() {
        let path = Path::new(&*file.name);
        if path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "nodes") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
        let nodes = file.text.lines().filter_map(|line| line.trim_start().strip_prefix("node "));
        for name in nodes.flat_map(|nodes| nodes.split('{').next().unwrap_or_default().split(',')) {
            // A pattern or `default` names no node.
            let name = name.trim().trim_matches(['\'', '"']);
            let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b));
            names.extend(Some(name.to_owned()).filter(|name| is_name && name != "default"));
        }
    }
    names.into_iter().collect()
}

fn set(code: &mut Code, cx: &mut Cx, words: &str) {
    if let "relative" | "norelative" = words {
        code.counts_from_cursor = words == "relative";
    } else {
        let words = text::safe(words);
        cx.show_notice(Role::Warning, format!("unknown option `{words}`; use relative or norelative"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_mark_kinds_without_an_implementation() {
        assert_eq!(["kind:virt", "kind:file", "kind:own", "virt"].map(about), ["no implementation here", "", "", ""]);
    }
}
