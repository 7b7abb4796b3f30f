//! The kind `cron`: manages a timer unit, which starts a service at its times.

use std::path::PathBuf;

use super::given::Given;
use super::steps::Steps;
use super::whole_file::WholeFile;
use super::{Kind, Schema, Seen, Turn, schema};
use crate::graph::Value;
use crate::host::{Active, HostError, Look, Operation, Presence, ServiceChange, Startup, SystemChange, Unit, Verb};
use crate::plan::Action;
use crate::source::printable;

pub struct Cron;

/// The events that a time can be relative to.
pub(super) const TRIGGERS: &[&str] =
    &["OnCalendar", "OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec"];

impl Kind for Cron {
    fn schema(&self) -> &'static Schema {
        schema("cron").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Given) -> Result<(), String> {
        given.is_one_of("state", &["exists", "absent"])?;
        given.may_be("startup", &["enabled", "disabled"])?;
        if given.text("state") == Some("absent") && !given.is_filled("trigger") {
            return Ok(());
        }
        given.must_be("trigger", TRIGGERS)?;
        given.needs("time")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Seen, HostError> {
        let unit = Unit { name: format!("{}.timer", turn.name), session: turn.flag("session")? };
        let service = look.service(&unit)?;
        let path = path(&unit, look)?;
        let mut steps = Steps::default();
        let change_service = |verb, steps: &mut Steps| {
            steps.change(SystemChange::Service(ServiceChange { unit: unit.clone(), verb }), look)
        };
        if turn.text("state")? == Some("absent") {
            let is_there = look.stat(&path)?.is_some();
            if service.active == Active::Running {
                change_service(Verb::Stop, &mut steps)?;
            }
            if service.startup == Startup::Enabled && service.presence == Presence::There {
                change_service(Verb::Disable, &mut steps)?;
            }
            if is_there {
                steps.file(Operation::RemoveFile { path });
                change_service(Verb::ReadUnits, &mut steps)?;
            }
            if !steps.is_empty() {
                steps.differs("state", Some("exists".into()), Some("absent".into()));
            }
            return Ok(steps.seen(Action::Remove));
        }
        let is_new = look.stat(&path)?.is_none();
        let file = WholeFile { path, mode: 0o644, content: content(turn)? };
        let written = file.differs(look, "unit", &mut steps)?;
        if written || service.stale {
            change_service(Verb::ReadUnits, &mut steps)?;
        }
        // Unset means enabled. An empty text leaves the state unchanged.
        let startup = turn.any_text("startup")?.unwrap_or("enabled");
        match (startup, service.startup) {
            ("enabled", Startup::Disabled) | ("disabled", Startup::Enabled) => {
                let from = if service.startup == Startup::Enabled { "enabled" } else { "disabled" };
                steps.differs("startup", Some(from.into()), Some(startup.into()));
                change_service(if startup == "enabled" { Verb::Enable } else { Verb::Disable }, &mut steps)?;
            }
            _ => {}
        }
        if service.active != Active::Running {
            steps.differs("state", Some("stopped".into()), Some("running".into()));
            change_service(Verb::Start, &mut steps)?;
        } else if written || turn.refresh {
            steps.differs("refresh", None, Some("restarted".into()));
            change_service(Verb::Restart, &mut steps)?;
        }
        Ok(steps.seen(if is_new { Action::Create } else { Action::Change }))
    }
}

fn path(unit: &Unit, look: &dyn Look) -> Result<PathBuf, HostError> {
    if !unit.session {
        return Ok(PathBuf::from("/etc/systemd/system").join(&unit.name));
    }
    let uid = look.identity().uid;
    let accounts = look.accounts()?;
    let home = accounts.user_by_id(uid).map(|user| user.home.clone()).filter(|home| home.starts_with('/'));
    let home = home.ok_or_else(|| HostError::Refused("the user has no home folder".into()))?;
    Ok(PathBuf::from(home).join(".config/systemd/user").join(&unit.name))
}

/// Returns the text of the unit.
fn content(turn: &Turn) -> Result<String, HostError> {
    let need = || HostError::Refused("`trigger` and `time` must be set".into());
    let trigger = line(turn, "trigger")?.ok_or_else(need)?;
    if !TRIGGERS.contains(&trigger) {
        let words = TRIGGERS.join("`, `");
        return Err(HostError::Refused(format!("`trigger` is `{}`; it can be `{words}`", printable(trigger))));
    }
    let time = line(turn, "time")?.ok_or_else(need)?;
    let mut text = String::new();
    match turn.any_text("description")? {
        None => text.push_str("[Unit]\nDescription=timer kept by workbench\n\n"),
        Some("") => {}
        Some(_) => {
            text.push_str(&format!("[Unit]\nDescription={}\n\n", line(turn, "description")?.unwrap_or_default()))
        }
    }
    text.push_str(&format!("[Timer]\n{trigger}={time}\n"));
    for (param, key) in [("accuracysec", "AccuracySec"), ("randomizeddelaysec", "RandomizedDelaySec"), ("unit", "Unit")]
    {
        if let Some(value) = line(turn, param)? {
            text.push_str(&format!("{key}={value}\n"));
        }
    }
    for (param, key) in [("persistent", "Persistent"), ("wakesystem", "WakeSystem")] {
        if turn.flag(param)? {
            text.push_str(&format!("{key}=true\n"));
        }
    }
    // The default is true, as in systemd.
    if !matches!(turn.params.get("remainafterelapse"), None | Some(Value::Null)) && !turn.flag("remainafterelapse")? {
        text.push_str("RemainAfterElapse=false\n");
    }
    text.push_str("\n[Install]\nWantedBy=timers.target\n");
    Ok(text)
}

/// Returns a text that cannot add lines to the unit.
fn line<'t>(turn: &'t Turn, param: &str) -> Result<Option<&'t str>, HostError> {
    let text = turn.text(param)?;
    if text.is_some_and(|text| text.contains(|c: char| c.is_control()) || text.ends_with('\\')) {
        return Err(HostError::Refused(format!("`{param}` must be one line")));
    }
    Ok(text)
}
