//! The kind `hostname`: manages the names of the machine: the stored, the pretty and the kernel's present one.

use std::path::{Path, PathBuf};

use super::steps::Steps;
use super::whole_file::WholeFile;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{HostError, KernelChange, Look, SystemChange};
use crate::plan::Action;
use crate::source::printable;

/// The kind `hostname`, which manages the stored, the pretty and the kernel's host name.
pub struct Hostname;

const STATIC: &str = "/etc/hostname";
const PRETTY: &str = "/etc/machine-info";
const TRANSIENT: &str = "kernel.hostname";

impl Kind for Hostname {
    fn schema(&self) -> &'static Schema {
        schema("hostname").expect("the schemas name every built-in kind")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let usual = turn.text("hostname")?.unwrap_or(turn.name);
        // An empty text leaves a name unchanged. Unset means the usual name.
        let wanted = |param: &str| Ok::<_, HostError>(turn.any_text(param)?.unwrap_or(usual));
        let mut steps = Steps::default();
        stored(wanted("static_hostname")?, look, &mut steps)?;
        pretty(wanted("pretty_hostname")?, look, &mut steps)?;
        transient(wanted("transient_hostname")?, look, &mut steps)?;
        Ok(steps.seen(Action::Change))
    }
}

fn checked(name: &str) -> Result<(), HostError> {
    let is_label = |label: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        !label.is_empty() && !label.starts_with('-') && !label.ends_with('-') && label.chars().all(plain)
    };
    if name.len() <= 64 && name.split('.').all(is_label) {
        return Ok(());
    }
    Err(HostError::Refused(format!("`{}` is not a valid host name", printable(name))))
}

/// Returns a file's text; empty if it does not exist.
fn text(path: &str, look: &dyn Look) -> Result<String, HostError> {
    match look.read(Path::new(path)) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()),
        Err(HostError::Missing { .. }) => Ok(String::new()),
        Err(error) => Err(error),
    }
}

fn stored(name: &str, look: &dyn Look, steps: &mut Steps) -> Result<(), HostError> {
    if name.is_empty() {
        return Ok(());
    }
    checked(name)?;
    let have = text(STATIC, look)?;
    let have = have.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    if have != Some(name) {
        let file = WholeFile { path: PathBuf::from(STATIC), mode: 0o644, content: format!("{name}\n") };
        file.differs(look, "static_hostname", steps)?;
    }
    Ok(())
}

fn pretty(name: &str, look: &dyn Look, steps: &mut Steps) -> Result<(), HostError> {
    if name.is_empty() {
        return Ok(());
    }
    if name.contains(|c: char| c.is_control()) {
        return Err(HostError::Refused("`pretty_hostname` contains a control character".into()));
    }
    let have = text(PRETTY, look)?;
    let line = format!("PRETTY_HOSTNAME={}", quoted(name));
    let is_it = |line: &&str| line.trim_start().starts_with("PRETTY_HOSTNAME=");
    if have.lines().find(is_it).is_some_and(|there| there.trim() == line || unquoted(there) == name) {
        return Ok(());
    }
    let mut lines: Vec<&str> = have.lines().filter(|line| !is_it(line)).collect();
    lines.push(&line);
    let file = WholeFile { path: PathBuf::from(PRETTY), mode: 0o644, content: lines.join("\n") + "\n" };
    file.differs(look, "pretty_hostname", steps)?;
    Ok(())
}

/// Quotes a name, with the shell's special characters escaped.
fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            text.push('\\');
        }
        text.push(c);
    }
    text + "\""
}

/// Returns the value of a line without its quotes.
fn unquoted(line: &str) -> &str {
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    let inner = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    inner.unwrap_or(value)
}

fn transient(name: &str, look: &dyn Look, steps: &mut Steps) -> Result<(), HostError> {
    if name.is_empty() {
        return Ok(());
    }
    checked(name)?;
    let have = look.parameter(TRANSIENT)?;
    if have.as_deref() == Some(name) {
        return Ok(());
    }
    steps.differs("transient_hostname", have, Some(name.to_owned()));
    steps.change(SystemChange::Kernel(KernelChange { key: TRANSIENT.into(), value: name.into() }), look)
}
