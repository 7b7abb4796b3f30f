//! A deploy that was cut off: what can be done about it is offered, looked into, and gone on with.

use super::{Cut, Looks, arm, back};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::Role;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step::conflict::Decided;
use crate::tui::screen::step::{parked, watch};
use crate::tui::state::State as Tui;
use crate::tui::update;

/// Offers what can be done about a deploy that was cut off.
pub(in crate::tui::screen::step) fn offer(tui: &mut Tui) {
    parked::offer(tui);
    let Some(cut) = &tui.step.live.cut else { return };
    if tui.screen != ScreenId::Step || !tui.layers.is_empty() || tui.step.live.is_live() {
        return;
    }
    let count = cut.deeds.len();
    let mut lines = match cut.as_root {
        true => vec![
            format!("Root's deploy {} was cut off and is not settled.", cut.deploy),
            format!("  {}  {}", cut.time, cut.entry),
            "  Root goes on with it, or takes it back, by way of sudo.".into(),
        ],
        false => vec![
            format!("Deploy {} was cut off and is not settled.", cut.deploy),
            format!("  {}  {}", cut.time, cut.entry),
            format!("  {count} deed{} begun", if count == 1 { "" } else { "s" }),
        ],
    };
    if cut.is_other {
        lines.push("  It is of another entry than the one on show: that goes on with it.".into());
    }
    let resume = (!cut.is_other).then_some(('R', "go on with it", Action::Resume));
    let others = [('u', "take it back", Action::RollBack), ('I', "look into it", Action::Inspect)];
    let choices = resume.into_iter().chain(others).collect();
    tui.layers.push(Layer::Choose { title: "Cut off", lines, choices });
}

/// Shows what a deploy that was cut off had done.
pub fn inspect(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.step.live.cut.clone() else { return vec![] };
    const MOST: usize = 30;
    offer(tui);
    let mut lines: Vec<String> = cut.deeds.iter().rev().take(MOST).rev().cloned().collect();
    if cut.deeds.len() > MOST {
        lines.insert(0, format!("{} more before these", cut.deeds.len() - MOST));
    }
    let command = format!("{}workbench deploy show {}", if cut.as_root { "sudo " } else { "" }, cut.deploy);
    lines.push(format!("All of it: {command}"));
    update::log_command(tui, command);
    tui.layers.push(Layer::Told { title: format!("Deploy {}", cut.deploy), lines });
    vec![]
}

/// Goes on with a deploy that was cut off.
pub fn resume(tui: &mut Tui) -> Vec<Effect> {
    let (Some(_), Some(cut)) = (&tui.step.program, tui.step.live.cut.clone()) else { return vec![] };
    if let Some(deploy) = cut.takes_back {
        tui.say(Role::Warning, format!("it was taking back deploy {deploy}: u goes on with that"));
        return vec![];
    }
    if !cut.commands.is_empty() {
        let mut lines = vec![format!("Go on with deploy {}?", cut.deploy)];
        arm::listed(
            &mut lines,
            "These commands were cut off, and nobody knows how far they came:".into(),
            cut.commands,
        );
        lines.push("Each resource looks again, and its command runs again if it still has to.".into());
        tui.layers.push(Layer::confirm(lines, Action::RunAgain));
        return vec![];
    }
    update::log_command(tui, format!("workbench deploy resume {}{}", cut.deploy, by_sudo(cut.as_root)));
    go_on(tui, cut, None)
}

/// Goes on where a command was cut off, as was agreed to.
pub fn run_again(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.step.live.cut.clone() else { return vec![] };
    update::log_command(tui, format!("workbench deploy resume {}{} --again", cut.deploy, by_sudo(cut.as_root)));
    go_on(tui, cut, None)
}

pub(super) fn by_sudo(as_root: bool) -> &'static str {
    if as_root { " --sudo" } else { "" }
}

/// Goes on with it, as was decided where that was asked.
pub(in crate::tui::screen::step) fn go_on(tui: &mut Tui, cut: Cut, decided: Option<Decided>) -> Vec<Effect> {
    let Some(program) = tui.step.program.clone() else { return vec![] };
    let mut effects = watch::end(tui);
    arm::renew(tui);
    (tui.step.live.as_root, tui.step.live.has_asked) = (cut.as_root, false);
    back::looks(tui, Looks::Resume(cut.deploy));
    tui.step.live.resumed = Some(cut.clone());
    effects.push(Effect::Resume { program, cut, decided, run: tui.step.run });
    effects
}
