//! The kind `svc`: keeps a service running or stopped, now and when the machine starts.

mod own;

use super::reader::Reader;
use super::steps::Steps;
use super::{Checked, Kind, Schema, Sent, Turn, schema};
use crate::host::{Act, Active, HostError, Look, Presence, Service, ServiceChange, Startup, SystemChange, Unit, Verb};
use crate::plan::Action;
use crate::source::printable;

/// The kind `svc`, which manages whether a service runs, now and after a boot.
pub struct Svc;

/// What a name ends in that is the name of a unit by itself.
const SUFFIXES: &[&str] = &[".service", ".socket", ".timer", ".target", ".path", ".mount", ".slice", ".swap"];

/// The unit of a name: a service, unless the name tells another kind of unit.
pub(super) fn unit_name(name: &str) -> String {
    if SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) { name.to_owned() } else { format!("{name}.service") }
}

impl Kind for Svc {
    fn schema(&self) -> &'static Schema {
        schema("svc").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        given.may_be("state", &["running", "stopped"])?;
        given.may_be("startup", &["enabled", "disabled"])
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        if own::has(turn)? {
            return own::check(turn, look);
        }
        let unit = Unit { name: unit_name(turn.name), session: turn.flag("session")? };
        let (state, startup) = (turn.text("state")?, turn.text("startup")?);
        let service = look.service(&unit)?;
        if service.presence == Presence::Missing {
            return Err(HostError::NoUnit { name: unit.name });
        }
        let mut steps = Steps::default();
        let mut verbs = Vec::new();
        if let Some(wanted) = startup {
            verbs.extend(at_start(&mut steps, &unit, &service, wanted)?);
        }
        let mut moved = false;
        if let Some(wanted) = state {
            let verb = now(&mut steps, &unit, &service, wanted)?;
            moved = verb.is_some();
            verbs.extend(verb);
        }
        // One that starts or stops anyway reads its configuration with that.
        if turn.refresh && !moved && turn.flag("restart")? {
            if service.active == Active::Running {
                steps.differs("refresh", None, Some("restarted".into()));
                verbs.push(Verb::Restart);
            }
        } else if turn.refresh && !moved {
            steps.differs("refresh", None, Some("reloaded".into()));
            verbs.push(Verb::Reload);
        }
        if service.presence == Presence::MayAppear {
            steps.note("an earlier package may install its unit and start it");
        }
        if service.stale && !verbs.is_empty() {
            verbs.insert(0, Verb::ReadUnits);
        }
        let only_refresh = verbs.iter().all(|verb| matches!(verb, Verb::Reload | Verb::Restart | Verb::ReadUnits));
        for verb in verbs {
            steps.change(SystemChange::Service(ServiceChange { unit: unit.clone(), verb }), look)?;
        }
        Ok(steps.seen(if only_refresh { Action::Run } else { Action::Change }))
    }

    fn apply(&self, turn: &Turn, seen: &Checked, act: &dyn Act) -> Result<Sent, HostError> {
        if own::has(turn)? {
            return own::apply(turn, act);
        }
        let mut lines = Vec::new();
        for operation in &seen.operations {
            lines.extend(act.perform_within(operation, &turn.within())?);
        }
        Ok(Sent { values: seen.sends.clone(), lines })
    }
}

fn at_start(steps: &mut Steps, unit: &Unit, service: &Service, wanted: &str) -> Result<Option<Verb>, HostError> {
    let from = match (service.presence, service.startup) {
        (Presence::MayAppear, _) => None,
        (_, Startup::Enabled) => Some("enabled"),
        (_, Startup::Disabled) => Some("disabled"),
        (_, Startup::Static) => Some("static"),
    };
    let verb = match (wanted, service.startup) {
        ("enabled", Startup::Static) => {
            let name = printable(&unit.name).to_string();
            return Err(HostError::Refused(format!("`{name}` has no install section, so it cannot be enabled")));
        }
        ("enabled", _) if service.presence == Presence::Masked => return Err(masked(unit)),
        ("enabled", Startup::Disabled) => Verb::Enable,
        ("disabled", Startup::Enabled) => Verb::Disable,
        ("enabled" | "disabled", _) => return Ok(None),
        (other, _) => return Err(HostError::Refused(format!("`startup` cannot be `{}`", printable(other)))),
    };
    steps.differs("startup", from.map(str::to_owned), Some(wanted.to_owned()));
    Ok(Some(verb))
}

fn now(steps: &mut Steps, unit: &Unit, service: &Service, wanted: &str) -> Result<Option<Verb>, HostError> {
    let from = match (service.presence, service.active) {
        (Presence::MayAppear, _) => None,
        (_, Active::Running) => Some("running"),
        (_, Active::Stopped) => Some("stopped"),
        (_, Active::Failed) => Some("failed"),
        (_, Active::Between) => Some("starting or stopping"),
    };
    let verb = match (wanted, service.active) {
        ("running", Active::Running) | ("stopped", Active::Stopped | Active::Failed) => return Ok(None),
        ("running", _) if service.presence == Presence::Masked => return Err(masked(unit)),
        ("running", _) => Verb::Start,
        ("stopped", _) => Verb::Stop,
        (other, _) => return Err(HostError::Refused(format!("`state` cannot be `{}`", printable(other)))),
    };
    steps.differs("state", from.map(str::to_owned), Some(wanted.to_owned()));
    Ok(Some(verb))
}

fn masked(unit: &Unit) -> HostError {
    let name = printable(&unit.name).to_string();
    HostError::Refused(format!("`{name}` is masked; use `systemctl unmask` to allow it"))
}
