//! The settings, read again while the screens run, and their files watched.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::config::Config;
use crate::diag::Severity;
use crate::session::{self, FilesRead, Session};
use crate::tui::message::Message;
use crate::tui::settings::Told;
use crate::tui::{Options, around, in_a_line};

/// What can hold at once; anything else does from the next start on.
const AT_ONCE: &[&str] = &["theme", "keys", "relative-numbers", "editor"];

/// The files that the settings come from, to be watched.
pub fn files(session: &Session, config: &Config) -> FilesRead {
    session.settings_files(config)
}

/// Reads all again. `light` is the ground that the terminal told of. Where the user's file has a fault, or another has one that it
/// did not have, what was read before stays; else it is kept, for a start with a fault.
pub fn again(session: &Session, state: Option<&PathBuf>, before: &Mutex<Config>, light: Option<bool>) -> Message {
    let mut before = before.lock().unwrap_or_else(PoisonError::into_inner);
    let config = session.settings_again(&before);
    let light = light.unwrap_or_else(around::is_light);
    let (known, _) = faults(before.clone(), light);
    let (found, is_faulty) = faults(config.clone(), light);
    let is_news = |fault: &&(Severity, String)| !known.iter().any(|known| known == *fault);
    let news: Vec<_> = found.iter().filter(is_news).collect();
    let has_errors = news.iter().any(|(severity, _)| *severity == Severity::Error);
    let told = if is_faulty && news.is_empty() { found.iter().collect() } else { news };
    let problems = worst_first(told);
    if has_errors || is_faulty {
        return Message::Settings(Told { options: None, is_another_theme: false, problems, later: vec![] });
    }
    let differs = |from: &Config, name: &str| value(from, name) != value(&config, name);
    let names = crate::config::SETTINGS.iter().map(|setting| setting.name);
    // The session goes by what was so at its start.
    let started = &session.options().config;
    let later = names.filter(|name| !AT_ONCE.contains(name) && differs(started, name)).collect();
    let theme = |config: &Config| session::theme(&mut config.clone(), light);
    let is_another_theme = theme(&before) != theme(&config) || differs(&before, "theme");
    let mut options = Options::of_settings(config.clone(), light);
    options.by_ground = options.by_ground.filter(|_| around::answers());
    session::keep_settings(state, &config);
    *before = config;
    Message::Settings(Told { options: Some(Box::new(options)), is_another_theme, problems, later })
}

/// A line has room for one of them: what keeps the settings from holding comes before what is only passed over.
fn worst_first(mut told: Vec<&(Severity, String)>) -> Vec<String> {
    told.sort_by_key(|(severity, _)| *severity);
    told.into_iter().map(|(_, words)| words.clone()).collect()
}

/// A setting's value, whatever its place in a file.
fn value(config: &Config, name: &str) -> Option<serde_json::Value> {
    config.winner(name).map(|given| given.value.to_json())
}

/// What is wrong, with the themes and the keys in force, one line each; and whether the user's file has an error.
fn faults(mut config: Config, light: bool) -> (Vec<(Severity, String)>, bool) {
    session::theme(&mut config, light);
    crate::tui::check_keys(&mut config);
    let all = config.all_diagnostics();
    let lines = all.iter().map(|fault| (fault.severity, in_a_line(fault, config.sources()))).collect();
    (lines, config.is_file_faulty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_before_a_warning() {
        let (warning, error) = ((Severity::Warning, "thme".to_owned()), (Severity::Error, "not a key".to_owned()));
        assert_eq!(worst_first(vec![&warning, &error]), ["not a key", "thme"]);
    }
}
