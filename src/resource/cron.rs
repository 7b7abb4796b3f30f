//! The kind `cron`: manages a timer unit, which starts a service at its times.

use std::path::PathBuf;

use super::reader::{Param, Reader, Typed};
use super::steps::Steps;
use super::whole_file::WholeFile;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{Active, HostError, Look, Operation, Presence, ServiceChange, Startup, SystemChange, Unit, Verb};
use crate::plan::Action;

/// The kind `cron`, which manages a systemd timer unit.
pub struct Cron;

/// The events that a time can be relative to.
pub(super) const TRIGGERS: &[&str] =
    &["OnCalendar", "OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec"];

impl Kind for Cron {
    fn schema(&self) -> &'static Schema {
        schema("cron").expect("the schemas name every built-in kind")
    }

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        given.is_one_of("state", &["exists", "absent"])?;
        given.may_be("startup", &["enabled", "disabled"])?;
        if given.text("state") != Some("absent") || given.is_filled("trigger") {
            given.must_be("trigger", TRIGGERS)?;
            given.needs("time")?;
        }
        let line = |param| given.filled_param(param).parse(param, one_line);
        Ok(Typed::new(CronParams {
            is_absent: given.filled_word("state").parse("state", |state| Ok(state == "absent"))?,
            session: given.flag_param("session"),
            startup: given.text_param("startup"),
            trigger: line("trigger")?,
            time: line("time")?,
            description: given.text_param("description").parse("description", one_line)?,
            settings: [
                ("AccuracySec", line("accuracysec")?),
                ("RandomizedDelaySec", line("randomizeddelaysec")?),
                ("Unit", line("unit")?),
            ],
            switches: [("Persistent", given.flag_param("persistent")), ("WakeSystem", given.flag_param("wakesystem"))],
            remain_after_elapse: given.flag_param("remainafterelapse"),
        }))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let params: &CronParams = turn.typed.get()?;
        let unit = Unit { name: format!("{}.timer", turn.name), session: params.session.flag()? };
        let service = look.service(&unit)?;
        let path = path(&unit, look)?;
        let mut steps = Steps::default();
        let change_service = |verb, steps: &mut Steps| {
            steps.change(SystemChange::Service(ServiceChange { unit: unit.clone(), verb }), look)
        };
        if params.is_absent.flag()? {
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
        let file = WholeFile { path, mode: 0o644, content: params.content()? };
        let written = file.differs(look, "unit", &mut steps)?;
        if written || service.stale {
            change_service(Verb::ReadUnits, &mut steps)?;
        }
        // Unset means enabled. An empty text leaves the state unchanged.
        let startup = params.startup.get()?.map_or("enabled", String::as_str);
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

struct CronParams {
    is_absent: Param<bool>,
    /// The timer is one of the user's own service manager.
    session: Param<bool>,
    /// Empty leaves it unchanged.
    startup: Param<String>,
    trigger: Param<String>,
    time: Param<String>,
    description: Param<String>,
    settings: [(&'static str, Param<String>); 3],
    switches: [(&'static str, Param<bool>); 2],
    remain_after_elapse: Param<bool>,
}

impl CronParams {
    /// Returns the text of the unit.
    fn content(&self) -> Result<String, HostError> {
        let need = || HostError::Refused("`trigger` and `time` must be set".into());
        let trigger = self.trigger.get()?.ok_or_else(need)?;
        let time = self.time.get()?.ok_or_else(need)?;
        let mut text = String::new();
        match self.description.get()?.map(String::as_str) {
            None => text.push_str("[Unit]\nDescription=timer kept by workbench\n\n"),
            Some("") => {}
            Some(description) => text.push_str(&format!("[Unit]\nDescription={description}\n\n")),
        }
        text.push_str(&format!("[Timer]\n{trigger}={time}\n"));
        for (key, value) in &self.settings {
            if let Some(value) = value.get()? {
                text.push_str(&format!("{key}={value}\n"));
            }
        }
        for (key, switch) in &self.switches {
            if switch.flag()? {
                text.push_str(&format!("{key}=true\n"));
            }
        }
        // The default is true, as in systemd.
        if self.remain_after_elapse.get()? == Some(&false) {
            text.push_str("RemainAfterElapse=false\n");
        }
        text.push_str("\n[Install]\nWantedBy=timers.target\n");
        Ok(text)
    }
}

/// Refuses a text that would add lines to the unit.
fn one_line(text: String) -> Result<String, String> {
    if text.contains(|c: char| c.is_control()) || text.ends_with('\\') {
        return Err("it must be one line".into());
    }
    Ok(text)
}
