//! Changes of the imports: updates, new imports, and removal of modules without an import.

use super::fetch::{self, Task};
use crate::session::{ImportEdit, NewImport, Pruning, RemoteNews, RemoteState, behind_words, mark_behind};
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::{
    cx::Cx, effect::Effect, keymap::Action, layer::Question, layer::question::Purpose, look::Role, message::Job,
    parity, screen::log::Source, widget::text,
};

/// Stores the state of the remotes.
pub fn seen(modules: &mut Modules, cx: &mut Cx, seen: Vec<RemoteState>) {
    for seen in &seen {
        if let Some(words) = seen.found.words() {
            cx.report(Source::Work, format!("{}: {words}", seen.name));
        }
    }
    let behind = seen.iter().filter(|seen| seen.found.is_behind()).count();
    let unseen = seen.iter().filter(|seen| matches!(seen.found, RemoteNews::Unseen { .. })).count();
    let next = if behind > 0 { "; ^ updates one, F all" } else { "" };
    let role = if unseen == 0 { Role::Good } else { Role::Warning };
    cx.show_notice(role, format!("{}{next}", behind_words(&seen)));
    if let Some(tree) = &mut modules.list.rows.tree {
        mark_behind(tree, &seen);
    }
    modules.seen = seen;
}

pub fn ask_import(cx: &mut Cx) {
    let file = cx.project.entry_file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let lines = vec![
        format!("Import for {file}, e.g. https://host/path/,"),
        "lib/ or golang/strings, optionally with `as NAME`.".into(),
    ];
    cx.layers.open.push(Question::text("Add an import", lines, String::new(), None, Purpose::Import).into());
}

/// The typed import: a name, and maybe another one after `as`.
pub fn plan_import(cx: &mut Cx, typed: &str) {
    let (name, alias) = match typed.trim().rsplit_once(" as ") {
        Some((name, alias)) => (name.trim(), Some(alias.trim().to_owned())),
        None => (typed.trim(), None),
    };
    cx.effect(Effect::PlanImport(NewImport { name: name.trim_matches('"').into(), file: None, alias }))
}

pub fn import_planned(modules: &mut Modules, cx: &mut Cx, planned: Result<Box<ImportEdit>, Vec<String>>) {
    match planned {
        Err(lines) => cx.layers.open.push(Question::report("No import was added", lines).into()),
        Ok(edit) => {
            let mut lines = vec![format!("{}:{}", edit.path.display(), edit.line)];
            lines.extend(edit.diff().into_iter().map(|line| text::widen_tabs(&line).into_owned()));
            lines.extend(edit.warning().map(|warning| format!("Warning: {warning}.")));
            lines.extend([String::new(), "The module is fetched first, then the line is added.".into()]);
            modules.edit = Some(edit);
            cx.layers.open.push(Question::yes(lines, Action::AddImport).into());
        }
    }
}

/// The import is confirmed.
pub fn add(modules: &mut Modules, cx: &mut Cx) {
    if let Some(edit) = modules.edit.take() {
        fetch::begin(modules, cx, Task::Add(edit));
    }
}

pub fn pruning_planned(modules: &mut Modules, cx: &mut Cx, planned: Result<Pruning, String>) {
    let pruning = match planned {
        Ok(pruning) => pruning,
        Err(error) => {
            cx.layers.open.push(Question::report("Nothing was removed", vec![error]).into());
            return;
        }
    };
    let mut lines = pruning.removals();
    let is_empty = lines.is_empty();
    lines.extend(pruning.kept());
    if is_empty {
        lines.insert(0, "Every fetched module is imported or kept for a reason.".into());
        cx.layers.open.push(Question::report("Nothing to remove", lines).into());
        return;
    }
    lines.extend([String::new(), "Their entries in the lock file are removed too.".into()]);
    modules.pruning = Some(pruning);
    cx.layers.open.push(Question::yes(lines, Action::PruneModules).into());
}

/// The removal is confirmed.
pub fn prune(modules: &mut Modules, cx: &mut Cx) {
    let Some(pruning) = modules.pruning.take() else { return };
    cx.log_command(format!("workbench modules prune {}", parity::entry_words(cx)));
    cx.effect(Effect::PruneModules(pruning))
}

pub fn pruned(cx: &mut Cx, pruned: Result<usize, String>) {
    match pruned {
        Err(error) => {
            cx.report(Source::Problem, error.clone());
            cx.show_notice(Role::Error, text::safe(&error))
        }
        Ok(count) => {
            cx.show_notice(Role::Good, format!("{count} module{} removed", if count == 1 { "" } else { "s" }));
            cx.start(Job::Modules);
            cx.recompile();
            cx.effect(Effect::LoadModules);
        }
    }
}
