//! The face's surroundings: environment, folder and clock. The programs that it shows never see them.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;

use crate::highlight::Depth;

/// A variable that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

pub fn depth() -> Depth {
    let (no_color, colorterm, term) = (variable("NO_COLOR"), variable("COLORTERM"), variable("TERM"));
    Depth::of_environment(no_color.as_deref(), colorterm.as_deref(), term.as_deref())
}

/// Whether the locale allows only ASCII. Without any locale, most terminals still show everything.
pub fn is_ascii() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(name));
    locale.is_some_and(|locale| {
        let locale = locale.to_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

/// Whether the terminal reports a light background. A terminal that reports none counts as dark.
pub fn is_light() -> bool {
    let ground = variable("COLORFGBG").and_then(|both| both.rsplit(';').next()?.parse::<u8>().ok());
    matches!(ground, Some(7 | 15))
}

/// Whether the terminal can be queried; some would print the query.
pub fn answers() -> bool {
    !matches!(variable("TERM").as_deref(), None | Some("dumb" | "linux"))
}

pub fn is_tmux() -> bool {
    variable("TMUX").is_some()
}

/// The time of day as the log shows it.
pub fn time() -> String {
    jiff::Timestamp::now().to_zoned(zone()).strftime("%H:%M:%S").to_string()
}

/// The time zone of this machine, or the one in the environment.
///
/// Follows the link to the zone here: a lookup by name lists all zones first, and delays the first frame.
fn zone() -> TimeZone {
    static ZONE: LazyLock<TimeZone> = LazyLock::new(|| {
        let here = variable("TZ").is_none().then(|| std::fs::read("/etc/localtime").ok()).flatten();
        here.and_then(|rules| TimeZone::tzif("Local", &rules).ok()).unwrap_or_else(TimeZone::system)
    });
    ZONE.clone()
}

/// How long the face has been running, counted from the first call.
pub fn running_for() -> Duration {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed()
}

/// A path without `..` and links, so that one file has one name; unchanged if the file system cannot resolve it.
pub fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// A path as users see it: relative to the current folder if it is below it.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}
