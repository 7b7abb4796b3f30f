//! The lines above Plan: errors of the program, drift of the machine, the last deploy, and the modules.

use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::summary::acts_words;
use crate::plan::Certainty;
use crate::tui::layout::{self, Class};
use crate::tui::screen::deploys::{State as Deploys, newest_words};
use crate::tui::screen::modules::State as Modules;
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, look::Role, message::Job, screen::ScreenId, screen::step::PlanScreen};

/// The columns of a line's name.
const NAME: usize = 10;

/// How many lines there are: during a run in a low window, only the one about the machine.
pub fn rows(cx: &Cx) -> u16 {
    let window = &cx.window;
    if cx.screen != ScreenId::Step || layout::is_cramped(window.width, window.height) {
        return 0;
    }
    match layout::class(window.width, window.height) {
        _ if window.is_run => 1,
        Class::Tiny => 1,
        Class::Narrow if window.has_turned => 1,
        Class::Narrow | Class::Wide => 4,
    }
}

pub fn view((deploys, modules): (&Deploys, &Modules), screen: &PlanScreen, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let look = &cx.look;
    let all = [
        ("program", program(cx)),
        ("machine", machine(screen, cx, usize::from(area.width).saturating_sub(NAME + 1))),
        ("last run", last_run(newest_words(deploys, screen), deploys)),
        ("modules", module_words(modules)),
    ];
    let shown = if area.height < 4 { &all[1..2] } else { &all[..] };
    let lines = shown.iter().map(|(name, (words, role))| {
        Line::from(vec![
            Span::styled(format!(" {name:<NAME$}"), look.style(Role::Dim)),
            Span::styled(text::safe(words), look.style(*role)),
        ])
    });
    list::draw_cut(buf, area, look, 0, &lines.collect::<Vec<_>>());
}

fn resources(count: usize) -> String {
    format!("{count} resource{}", if count == 1 { "" } else { "s" })
}

fn program(cx: &Cx) -> (String, Role) {
    let Some(program) = &cx.programs.newest else { return ("compiling".into(), Role::Dim) };
    if !program.has_errors() {
        let node =
            cx.project.entry_flags.iter().find(|(flag, _)| *flag == "--node").and_then(|(_, node)| node.as_deref());
        let node = node.map_or_else(String::new, |node| format!(" for node {node}"));
        let words = format!("compiles{node}, {}", resources(program.resources));
        return match &program.node_without_facts {
            Some(_) => (format!("{words}; the facts are those of this machine"), Role::Warning),
            None => (words, Role::Good),
        };
    }
    (program.errors_words(), Role::Error)
}

fn machine(screen: &PlanScreen, cx: &Cx, room: usize) -> (String, Role) {
    let (step, host) = (screen, &cx.project.host);
    let rows = &step.list.rows;
    if !step.phase.is_dry() {
        let deploy = step.phase.deploy().map_or("a deploy".into(), |deploy| format!("deploy {deploy}"));
        if let Some(words) = step.phase.undo_progress() {
            return (format!("LIVE: {deploy} on {host}, {words}"), Role::Live);
        }
        let (ends, is_live) = (rows.ends(), step.phase.is_live());
        let what = if is_live { format!("LIVE: {deploy} on {host}") } else { format!("{host}: {deploy}") };
        let mut words = format!("{what}, {} of {} done", ends.done, rows.total());
        if !is_live {
            let open = ends.interrupted + ends.not_reached;
            let how = step.phase.ended().and_then(|ended| ended.ending).unwrap_or(if open == 0 {
                "ended"
            } else {
                "stopped"
            });
            words.push_str(&format!(", {how}"));
        }
        for (count, word) in [(ends.failed, "failed"), (ends.blocked, "blocked"), (ends.skipped, "skipped")] {
            if count > 0 {
                words.push_str(&format!(", {count} {word}"));
            }
        }
        let is_good = ends.done == rows.total();
        return (
            words,
            if is_live {
                Role::Live
            } else if is_good {
                Role::Good
            } else {
                Role::Warning
            },
        );
    }
    let Some(plan) = &step.plan else {
        let words = match cx.is_working(Job::Plan) {
            true => "checking the machine".to_string(),
            false => super::why_not(cx).map_or("no plan yet".into(), |_| "cannot be planned".into()),
        };
        return (format!("{host}: {words}"), Role::Dim);
    };
    let (sums, ends) = (&rows.summary, rows.run.counts());
    let (would_fail, would_block) = rows.would_fail();
    let left_out = step.skips.left_out.iter();
    let left_out = left_out.filter(|id| rows.find(id).is_some_and(|row| step.is_left_out(id, &row.state))).count();
    let (acts, changing, rest) = acts_words(sums);
    let glyphs = cx.look.glyphs;
    let predicted = rows.tally[Certainty::Predicted as usize];
    let open = [
        (would_fail + ends.failed, "would fail", glyphs.failed),
        (would_block + ends.blocked, "would be blocked", glyphs.blocked),
        (ends.skipped + left_out, "skipped", glyphs.skipped),
        (sums.unknown as usize, "unknown until apply", "?"),
        (predicted, "predicted", glyphs.predicted),
    ];
    let open: Vec<_> = open.into_iter().filter(|(count, ..)| *count > 0).collect();
    let all = plan.steps.len();
    if changing == 0 && open.is_empty() {
        return (format!("{host}: in sync, {all} of {all} unchanged"), Role::Good);
    }
    let words: Vec<_> = open.iter().map(|(count, words, _)| format!("{count} {words}")).collect();
    let fails = if words.is_empty() { String::new() } else { format!(". {}", words.join(", ")) };
    let acts = if acts.is_empty() { acts } else { format!(": {acts}") };
    let rest = if rest.is_empty() { rest } else { format!(". Also {rest}") };
    let words = format!("{host}: {changing} of {all} would change{acts}{fails}{rest}");
    if text::width(&words) <= room {
        return (words, Role::Text);
    }
    // By the signs of the rows.
    let signs = super::counts(&cx.look, sums).into_iter().map(|(sign, _)| sign).filter(|sign| !sign.starts_with('?'));
    let signs = signs.chain(open.iter().map(|(count, _, sign)| format!("{sign}{count}"))).collect::<Vec<_>>();
    (format!("{host}: {changing} of {all} would change  {}", signs.join(" ")), Role::Text)
}

fn last_run(newest: Option<String>, deploys: &Deploys) -> (String, Role) {
    match newest {
        Some(words) => (words, Role::Text),
        None if deploys.is_listed() => ("no deploys on this machine yet".into(), Role::Dim),
        None => ("reading".into(), Role::Dim),
    }
}

fn module_words(modules: &Modules) -> (String, Role) {
    if modules.tree().is_none() {
        return ("reading".into(), Role::Dim);
    }
    let ([missing, behind, strange], looked) = modules.needs();
    let count = |count: usize, word: &str, none: &str| match count {
        0 => none.to_owned(),
        count => format!("{count} {word}"),
    };
    if missing + behind == 0 && !modules.has_fetched() {
        return ("no fetched modules".into(), Role::Text);
    }
    let newest = if looked.is_some() { "all up to date" } else { "updates not checked" };
    let checked = looked.map(|looked| format!(" (checked {looked})")).unwrap_or_default();
    let approved = if strange == 0 { "all approved".into() } else { format!("{strange} not approved") };
    if missing > 0 {
        let strange = if strange == 0 { String::new() } else { format!(", {approved}") };
        return (format!("{missing} missing: f on Modules fetches{strange}"), Role::Warning);
    }
    let (missed, late) = (count(missing, "missing", "all present"), count(behind, "behind", newest));
    let words = format!("{missed}, {late}{checked}, {approved}");
    (words, if missing + behind + strange == 0 { Role::Text } else { Role::Warning })
}
