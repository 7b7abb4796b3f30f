//! Reads the settings again during the session, and watches their files.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::config::Config;
use crate::diag::Severity;
use crate::session::{self, FilesRead, Session};
use crate::tui::{Options, around, in_a_line};
use crate::tui::{message::Message, settings::Notice};

/// Settings that take effect at once; the others do at the next start.
const AT_ONCE: &[&str] = &["theme", "keys", "relative-numbers", "editor"];

/// The settings files, to be watched.
pub fn files(session: &Session, config: &Config) -> FilesRead {
    session.settings_files(config)
}

/// Whether the files now hold other settings than those in force, or other faults.
pub fn are_outdated(session: &Session, before: &Config) -> bool {
    let now = session.settings_again(before);
    let light = around::is_light();
    let differs = |name: &str| value(before, name) != value(&now, name);
    crate::config::SETTINGS.iter().any(|setting| differs(setting.name))
        || faults(before.clone(), light) != faults(now.clone(), light)
}

/// Reads the settings again. `light` is the background that the terminal reported. If the user's file has an error, or
/// another file has a new one, the settings in force stay.
pub fn again(session: &Session, state: Option<&PathBuf>, before: &Mutex<Config>, light: Option<bool>) -> Message {
    let mut before = before.lock().unwrap_or_else(PoisonError::into_inner);
    let config = session.settings_again(&before);
    let light = light.unwrap_or_else(around::is_light);
    let (known, _) = faults(before.clone(), light);
    let (found, is_faulty) = faults(config.clone(), light);
    let is_unread = |fault: &&(Severity, String)| !known.iter().any(|known| known == *fault);
    let news: Vec<_> = found.iter().filter(is_unread).collect();
    let has_errors = news.iter().any(|(severity, _)| *severity == Severity::Error);
    let problems = if is_faulty && news.is_empty() { found.iter().collect() } else { news };
    let problems = worst_first(problems);
    if has_errors || is_faulty {
        return Message::Settings(Notice { options: None, is_another_theme: false, problems, later: vec![] });
    }
    let differs = |from: &Config, name: &str| value(from, name) != value(&config, name);
    let names = crate::config::SETTINGS.iter().map(|setting| setting.name);
    // The session uses the values from its start.
    let started = &session.options().config;
    let later = names.filter(|name| !AT_ONCE.contains(name) && differs(started, name)).collect();
    let theme = |config: &Config| session::theme(&mut config.clone(), light);
    let is_another_theme = theme(&before) != theme(&config) || differs(&before, "theme");
    let mut options = Options::of_settings(config.clone(), light);
    options.by_ground = options.by_ground.filter(|_| around::answers());
    session::keep_settings(state, &config);
    *before = config;
    Message::Settings(Notice { options: Some(Box::new(options)), is_another_theme, problems, later })
}

/// A line has room for one problem. An error that blocks the settings comes before a warning.
fn worst_first(mut problems: Vec<&(Severity, String)>) -> Vec<String> {
    problems.sort_by_key(|(severity, _)| *severity);
    problems.into_iter().map(|(_, words)| words.clone()).collect()
}

/// A setting's value, wherever it is in the file.
fn value(config: &Config, name: &str) -> Option<serde_json::Value> {
    config.winner(name).map(|given| given.value.to_json())
}

/// The problems, with the themes and the keys in force, one line each; and whether the user's file has an error.
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
    fn an_error_is_reported_before_a_warning() {
        let (warning, error) = ((Severity::Warning, "thme".to_owned()), (Severity::Error, "not a key".to_owned()));
        assert_eq!(worst_first(vec![&warning, &error]), ["not a key", "thme"]);
    }
}
