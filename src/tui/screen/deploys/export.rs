//! Exports a deploy as JSON to a new file.

use std::path::PathBuf;

use crate::tui::screen::deploys::data::State as Deploys;
use crate::tui::{
    cx::Cx, effect::Effect, layer::Question, layer::question::Purpose, look::Role, message::Job, widget::text,
};

pub fn ask(deploys: &Deploys, cx: &mut Cx) {
    if let Some(deploy) = deploys.selected() {
        ask_again(cx, deploy, format!("deploy-{deploy}.json"), None);
    }
}

fn ask_again(cx: &mut Cx, deploy: u64, words: String, error: Option<String>) {
    let lines = vec![format!("Deploy {deploy} with its modules, outcomes and changes.")];
    let purpose = Purpose::SaveDeploy(deploy);
    cx.layers.open.push(Question::text("Save the deploy as JSON", lines, words, error, purpose).into());
}

pub fn named(cx: &mut Cx, deploy: u64, name: &str) {
    if name.is_empty() {
        ask_again(cx, deploy, String::new(), Some("a file name is required".into()));
        return;
    }
    cx.log_command(format!("workbench deploy show {deploy} --format json > {name}"));
    cx.start(Job::Export);
    cx.effect(Effect::ExportDeploy { deploy, file: PathBuf::from(name) })
}

pub fn done(cx: &mut Cx, deploy: u64, file: PathBuf, result: Result<usize, String>) {
    let name = file.display().to_string();
    match result {
        Ok(bytes) => cx.show_notice(Role::Good, format!("wrote {}: {bytes} bytes", text::safe(&name))),
        Err(error) => ask_again(cx, deploy, name, Some(error)),
    }
}
