//! Themes by their names: those compiled in, and the user's own.

use crate::config::Config;
use crate::diag::nearest;
use crate::highlight::{BUILT_IN, Theme};
use crate::session;
use crate::tui::message::Message;

/// Reads the theme after one.
pub fn after(mut config: Config, name: &str) -> Message {
    match next_theme(&mut config, name) {
        Some(theme) => Message::Theme(Box::new(theme)),
        None => Message::NoTheme("no readable theme".into()),
    }
}

/// Reads a theme; of one that is not there, tells which are.
pub fn named(mut config: Config, name: &str) -> Message {
    if let Some(theme) = session::theme_named(&mut config, name) {
        return Message::Theme(Box::new(theme));
    }
    let own = session::own_themes(&config);
    let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).chain(own.iter().map(String::as_str)).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the themes are {}", names.join(", ")),
    };
    Message::NoTheme(format!("no theme `{name}`; {help}"))
}

/// Faulty ones are passed over.
fn next_theme(config: &mut Config, name: &str) -> Option<Theme> {
    let own = session::own_themes(config);
    let mut names: Vec<_> = BUILT_IN.iter().map(|(name, _)| String::from(*name)).collect();
    names.extend(own.into_iter().filter(|own| BUILT_IN.iter().all(|(name, _)| name != own)));
    let at = names.iter().position(|known| known == name).map_or(0, |at| at + 1) % names.len();
    names.rotate_left(at);
    names.iter().find_map(|name| session::theme_named(config, name))
}
