//! Exports a deploy as JSON to a new file.

use std::path::PathBuf;

use crate::tui::effect::Effect;
use crate::tui::layer::Question;
use crate::tui::layer::question::Purpose;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// Asks for a file name.
pub fn ask(tui: &mut Tui) -> Vec<Effect> {
    if let Some(deploy) = tui.screens.deploys.selected() {
        ask_again(tui, deploy, format!("deploy-{deploy}.json"), None);
    }
    vec![]
}

fn ask_again(tui: &mut Tui, deploy: u64, words: String, error: Option<String>) {
    let lines = vec![format!("Deploy {deploy} with its modules, outcomes and changes.")];
    let purpose = Purpose::SaveDeploy(deploy);
    tui.cx.layers.open.push(Question::text("Save the deploy as JSON", lines, words, error, purpose).into());
}

/// Writes it to a file of that name.
pub fn named(tui: &mut Tui, deploy: u64, name: &str) -> Vec<Effect> {
    if name.is_empty() {
        ask_again(tui, deploy, String::new(), Some("a file name is required".into()));
        return vec![];
    }
    tui.cx.log_command(format!("workbench deploy show {deploy} --format json > {name}"));
    tui.cx.start(Job::Export);
    vec![Effect::ExportDeploy { deploy, file: PathBuf::from(name) }]
}

/// Reports the result.
pub fn done(tui: &mut Tui, deploy: u64, file: PathBuf, result: Result<usize, String>) {
    tui.cx.finish(Job::Export);
    let name = file.display().to_string();
    match result {
        Ok(bytes) => tui.cx.show_notice(Role::Good, format!("wrote {}: {bytes} bytes", text::safe(&name))),
        Err(error) => ask_again(tui, deploy, name, Some(error)),
    }
}
