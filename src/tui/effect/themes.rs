//! Themes by name: the built-in ones and the user's own.

use crate::config::Config;
use crate::diag::nearest;
use crate::highlight::BUILT_IN;
use crate::session;
use crate::tui::message::Message;

/// Reads a theme; if it is missing, lists the others.
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
