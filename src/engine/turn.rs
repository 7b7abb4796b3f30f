//! One resource's turn on a host: check, report differences, apply, and check again.

mod together;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::graph::{Params, Resource, ResourceId, Secrets, Value};
use crate::host::{About, Act, FileKind, Host, HostError, Operation, Progress, journal};
use crate::plan::{
    Action, Certainty, Change, Moved, NO_IMPLEMENTATION, Reversible, SealKey, Step, compare_on_the_way, is_binding,
    is_broken,
};
use crate::resource::{Checked, Kind, Managed, Turn, Typed, kind, read, reversal};
use crate::source::{headline, printable};
use crate::world::Cancel;

use super::meta::{self, Tries};

pub(super) use together::{attempt_all, attempt_in_order};

/// The inputs of a turn from outside the resource.
#[derive(Clone, Copy)]
pub(super) struct TurnInput<'a> {
    pub resource: &'a Resource,
    pub received: &'a [(Arc<str>, Value)],
    /// The received value is a prediction.
    pub guessed: bool,
    /// A resource that it subscribes to has changed.
    pub refresh: bool,
    /// An earlier step that it depends on may have undeclared effects.
    pub shadow: Option<&'a ResourceId>,
    pub managed: &'a Managed,
    /// The folder where kinds store data that outlives a run.
    pub state: Option<&'a Path>,
    pub hostname: &'a str,
    /// Whether another resource receives the values that this one sends.
    pub is_received: bool,
    /// It is known to be unchanged, unless it receives a value or a refresh.
    pub is_unchanged: bool,
    /// The caller retries a failure.
    pub one_try: bool,
    /// The folder of recorded reversals.
    pub reversals: Option<&'a Path>,
    /// Seals the contents that the turn overwrites.
    pub seal: Option<&'a SealKey>,
    /// The approved step, for the first attempt.
    pub approved: Option<&'a Step>,
    /// Only check: it is skipped, or `noop` is set.
    pub only_look: bool,
    /// Ends further attempts.
    pub stop: &'a Cancel,
    /// Ends a running command.
    pub abort: &'a Cancel,
    /// Receives the progress messages of a long change.
    pub progress: Option<&'a Progress>,
}

/// What a turn did, or would do.
pub(super) struct Outcome {
    pub action: Action,
    pub certainty: Certainty,
    pub changes: Vec<Change>,
    pub reversible: Reversible,
    pub note: String,
    pub error: Option<String>,
    /// Whether the machine was changed, or would be.
    pub changed: bool,
    pub sends: Params,
    pub lines: Vec<String>,
    /// Whether it may have undeclared effects.
    pub reached_out: bool,
    /// Whether `noop` prevented a change.
    pub is_noop: bool,
    /// Whether the present state was observed reliably, although the new state is unknown.
    pub binds_what_is: bool,
    /// The sealed contents that it would overwrite.
    pub seal: Option<String>,
    /// Whether another attempt may succeed.
    pub may_be_tried_again: bool,
    /// It was left unchanged, and the note or the error gives the reason. Its dependents continue only if it needed no
    /// change.
    pub is_left: bool,
}

impl Outcome {
    fn new(action: Action, certainty: Certainty) -> Self {
        Self {
            action,
            certainty,
            changes: Vec::new(),
            reversible: Reversible::Yes,
            note: String::new(),
            error: None,
            changed: false,
            sends: Params::default(),
            lines: Vec::new(),
            reached_out: false,
            is_noop: false,
            binds_what_is: false,
            seal: None,
            may_be_tried_again: false,
            is_left: false,
        }
    }

    fn failed(error: String) -> Self {
        Self { error: Some(error), ..Self::new(Action::Unknown, Certainty::Unknown) }
    }

    /// A result from an earlier check. Its sent values reach only other resources with known steps.
    pub fn known(step: &Step) -> Self {
        Self {
            changes: step.changes.clone(),
            reversible: step.reversible,
            note: step.note.clone(),
            error: step.error.clone(),
            changed: step.action != Action::None,
            is_noop: step.is_noop,
            binds_what_is: step.binds_what_is,
            seal: step.seal.clone(),
            ..Self::new(step.action, step.certainty)
        }
    }

    /// No kind of workbench fits: nothing is done, and dependents are blocked.
    fn without_kind() -> Self {
        let error = Some(NO_IMPLEMENTATION.to_owned());
        Self { error, is_left: true, reversible: Reversible::No, ..Self::new(Action::Unknown, Certainty::Unknown) }
    }

    /// No turn was taken.
    pub fn unreached(note: String) -> Self {
        Self { note, ..Self::new(Action::Unknown, Certainty::Unknown) }
    }

    /// Hides all secrets. A sent value that contains one becomes secret itself.
    fn without(mut self, secrets: &Secrets, params: &Params) -> Self {
        self.note = secrets.hide(&self.note);
        self.error = self.error.map(|error| secrets.hide(&error));
        self.lines.iter_mut().for_each(|line| *line = secrets.hide(line));
        for change in &mut self.changes {
            let is_secret = params.get(&change.property).is_some_and(Value::holds_secret);
            for value in [&mut change.from, &mut change.to].into_iter().flatten() {
                if is_secret || secrets.are_within(value) {
                    *value = Value::Sensitive(Box::new(Value::Null));
                    change.sensitive = true;
                }
            }
        }
        let sent = self.sends.iter().map(|(field, value)| match value {
            Value::Str(text) if secrets.are_in(text) => (Arc::clone(field), Value::Sensitive(Box::new(value.clone()))),
            _ => (Arc::clone(field), value.clone()),
        });
        self.sends = sent.collect();
        self
    }

    /// Nothing is known before the apply. Sent values are unknown, and it may have any effect.
    fn unknown(resource: &Resource, note: String) -> Self {
        let kind = resource.wanted().and_then(|wanted| crate::resource::schema(&wanted.kind));
        let sends = kind.map(|schema| schema.sends).unwrap_or_default();
        Self {
            sends: sends.iter().map(|(field, _)| ((*field).into(), Value::Unknown)).collect(),
            reached_out: true,
            changed: true,
            reversible: Reversible::No,
            note,
            ..Self::new(Action::Unknown, Certainty::Unknown)
        }
    }
}

/// Takes the turn, with the retries of `retry`.
pub(super) fn take(host: &dyn Host, given: &TurnInput) -> Outcome {
    let mut tries = if given.one_try { Tries::Left(0) } else { Tries::of(given.resource) };
    let mut lines = Vec::new();
    let mut given = *given;
    loop {
        let mut outcome = attempt(host, &given);
        let left = tries.next().filter(|_| outcome.may_be_tried_again && !is_stopped(&given));
        let (Some(left), Some(error)) = (left, &outcome.error) else {
            lines.append(&mut outcome.lines);
            return Outcome { lines, ..outcome };
        };
        lines.push(again_line(given.resource, error, left));
        tries = left;
        wait(given.resource.meta.delay(), &given);
        given.approved = None;
    }
}

/// The message about a failure that will be retried.
pub(super) fn again_line(resource: &Resource, error: &str, left: Tries) -> String {
    let delay = resource.meta.delay().as_millis();
    let when = if delay == 0 { "at once".to_owned() } else { format!("in {delay} ms") };
    format!("{}; retry {when}, {left}", headline(error))
}

/// Performs one attempt. A panic is a failure of this resource and does not end the run.
pub(super) fn attempt(host: &dyn Host, given: &TurnInput) -> Outcome {
    caught(|| match prepare(host, given) {
        Ok(prepared) => prepared.ended(host, drop_reversal(host, &prepared, once(host, given, &prepared))),
        Err(outcome) => *outcome,
    })
}

fn caught(work: impl FnOnce() -> Outcome) -> Outcome {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Outcome::failed(bug(&*panic)))
}

fn bug(panic: &(dyn Any + Send)) -> String {
    let why = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("this is a bug in workbench: {}", why.unwrap_or("a panic"))
}

/// The inputs of a turn, with received values inserted.
struct Prepared<'a> {
    given: &'a TurnInput<'a>,
    kind: &'static dyn Kind,
    name: &'a str,
    params: Params,
    typed: Typed,
    received: Vec<Arc<str>>,
    deadline: Option<Instant>,
    is_secret: bool,
    /// The secrets in received values.
    secrets: Secrets,
    /// Receives progress messages with secrets removed.
    progress: Option<Progress>,
}

fn prepare<'a>(host: &dyn Host, given: &'a TurnInput<'a>) -> Result<Prepared<'a>, Box<Outcome>> {
    let (wanted, implemented) = match given.resource.wanted() {
        None => return Err(Box::new(Outcome::without_kind())),
        Some(wanted) => match kind(&wanted.kind) {
            None => return Err(Box::new(cannot(host, given, "this version does not implement the kind"))),
            Some(implemented) => (wanted, implemented),
        },
    };
    let is_news = |(param, value): &(Arc<str>, Value)| wanted.params.get(param) != Some(value);
    if given.is_unchanged && !given.refresh && !given.received.iter().any(is_news) {
        return Err(Box::new(Outcome::new(Action::None, Certainty::Known)));
    }
    let mut params = wanted.params.clone();
    let mut received = Vec::with_capacity(given.received.len());
    for (param, value) in given.received {
        params.set(Arc::clone(param), value.clone());
        received.push(Arc::clone(param));
    }
    let typed = read(&wanted.kind, &wanted.name, &params, &given.resource.meta)
        .map_err(|why| Box::new(Outcome::failed(why)))?;
    let holds_secret = params.iter().any(|(_, value)| value.holds_secret());
    let secrets = if holds_secret { Secrets::in_params(&params) } else { Secrets::default() };
    let progress = given
        .progress
        .map(|progress| if holds_secret { quietly(progress, secrets.clone()) } else { Arc::clone(progress) });
    Ok(Prepared {
        given,
        kind: implemented,
        name: &wanted.name,
        is_secret: implemented.is_secret() || holds_secret,
        secrets,
        progress,
        params,
        typed,
        received,
        deadline: given.resource.meta.timeout().and_then(|after| Instant::now().checked_add(after)),
    })
}

/// Passes on progress messages with secrets removed.
fn quietly(progress: &Progress, secrets: Secrets) -> Progress {
    let progress = Arc::clone(progress);
    Arc::new(move |line: &str| progress(&secrets.hide(line)))
}

impl Prepared<'_> {
    fn turn(&self) -> Turn<'_> {
        let given = self.given;
        Turn {
            id: &given.resource.id,
            name: self.name,
            params: &self.params,
            typed: &self.typed,
            received: &self.received,
            refresh: given.refresh,
            deadline: self.deadline,
            cancel: given.abort,
            progress: self.progress.as_ref(),
            managed: given.managed,
            state: given.state,
            hostname: given.hostname,
            is_received: given.is_received,
        }
    }

    fn about(&self) -> About<'_> {
        About { resource: &self.given.resource.id, secret: self.is_secret }
    }

    fn ended(&self, host: &dyn Host, outcome: Outcome) -> Outcome {
        // A prediction fails the same way each time.
        let may_be_tried_again = outcome.error.is_some() && !host.is_dry();
        let outcome = Outcome { may_be_tried_again, ..outcome };
        if self.is_secret { outcome.without(&self.secrets, &self.params) } else { outcome }
    }
}

fn cannot(host: &dyn Host, given: &TurnInput, why: &str) -> Outcome {
    if host.is_dry() {
        Outcome::unknown(given.resource, format!("no preview: {why}"))
    } else {
        Outcome::failed(format!("cannot be applied: {why}"))
    }
}

fn is_stopped(given: &TurnInput) -> bool {
    given.stop.is_cancelled() || given.abort.is_cancelled()
}

fn wait(delay: Duration, given: &TurnInput) {
    let begun = Instant::now();
    while begun.elapsed() < delay && !is_stopped(given) {
        std::thread::sleep(Duration::from_millis(20).min(delay));
    }
}

/// Performs one attempt.
fn once(host: &dyn Host, given: &TurnInput, prepared: &Prepared) -> Outcome {
    let turn = prepared.turn();
    let act = host.turn_of(prepared.about());
    let (seen, mut outcome) = match look(host, prepared, &*act) {
        Looked::Over(outcome) => return *outcome,
        Looked::Differs(seen, outcome) => (seen, *outcome),
    };
    if outcome.certainty != Certainty::Known {
        act.assume();
    }
    match prepared.kind.apply(&turn, &seen, &*act) {
        Ok(sent) => {
            outcome.sends = sent.values;
            match host.is_dry() {
                // For a prediction, the lines describe its limits.
                true => remark(&mut outcome.note, &sent.lines),
                false => outcome.lines.extend(sent.lines),
            }
            outcome.changed = true;
            if is_acting(host, given) {
                outcome.error = meta::note_change(given.resource, &turn, &*act).err().map(|error| error.to_string());
            }
        }
        Err(error) if host.is_dry() && (error.is_unknown() || is_shadowed(given, &error)) => {
            return not_seen(host, given, &error);
        }
        Err(error) => {
            // Another program changed it too.
            let changed = matches!(error, HostError::Moved { .. });
            return Outcome { error: Some(in_full(given, error).to_string()), changed, ..outcome };
        }
    }
    drop(act);
    if !host.is_dry() && prepared.kind.converges() {
        outcome.error = outcome.error.or_else(|| still_differs(&*host.turn(), &turn, prepared.kind));
    }
    outcome
}

/// Appends lines to a note.
fn remark(note: &mut String, lines: &[String]) {
    for line in lines {
        if !note.is_empty() {
            note.push_str("; ");
        }
        note.push_str(line);
    }
}

/// Whether the machine may be changed.
fn is_acting(host: &dyn Host, given: &TurnInput) -> bool {
    !(host.is_dry() || given.only_look || given.resource.meta.noop())
}

/// Stores how to reverse the resource, before any change.
fn keep_reversal(prepared: &Prepared, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
    if !(reversal::is_wanted(prepared.given.resource) && prepared.kind.schema().reverse) {
        return Ok(());
    }
    let folder = prepared.given.reversals.ok_or_else(|| {
        HostError::Refused("`reverse` needs a state folder, but this user has none (is HOME set?)".into())
    })?;
    reversal::keep(folder, prepared.kind, turn, act)
}

/// Deletes the stored reversal after a resource was reversed.
fn drop_reversal(host: &dyn Host, prepared: &Prepared, outcome: Outcome) -> Outcome {
    let given = prepared.given;
    let is_done = outcome.error.is_none() && is_acting(host, given) && reversal::is_reversal(given.resource);
    let Some(folder) = given.reversals.filter(|_| is_done) else { return outcome };
    let act = host.turn_of(prepared.about());
    let error = reversal::forget(folder, &given.resource.id, &*act).err().map(|error| error.to_string());
    Outcome { error, ..outcome }
}

/// The result of a check.
enum Looked {
    /// Nothing to do, or nothing allowed.
    Over(Box<Outcome>),
    /// The work to do, and the outcome if it succeeds.
    Differs(Box<Checked>, Box<Outcome>),
}

/// Checks the resource, and describes the differences.
fn look(host: &dyn Host, prepared: &Prepared, act: &dyn Act) -> Looked {
    let (given, turn, kind) = (prepared.given, prepared.turn(), prepared.kind);
    let over = |outcome| Looked::Over(Box::new(outcome));
    let seen = match kind.check(&turn, act) {
        Ok(seen) => seen,
        Err(error) => return over(not_seen(host, given, &error)),
    };
    let (certainty, binds_what_is) = certainty(given, act, &seen);
    if is_acting(host, given)
        && let Err(error) = kind.hold(&turn, act).and_then(|()| keep_reversal(prepared, &turn, act))
    {
        return over(Outcome::failed(error.to_string()));
    }
    // Only the user whose history holds a pending refresh sees it; a plan made for root does not see root's.
    let approved = given.approved.filter(|step| step.refresh || !given.refresh);
    // A live run needs the seal only for the comparison with the approved step.
    let seal = given.seal.filter(|_| host.is_dry() || given.approved.is_some()).and_then(|key| sealed(key, &seen, act));
    if let Some(why) = approved.and_then(|step| differs_from(step, &seen, seal.as_deref())) {
        return over(Outcome::failed(why));
    }
    let mut outcome = outcome_of(host, seen.clone(), certainty);
    outcome.binds_what_is = binds_what_is;
    if certainty == Certainty::Predicted
        && let Some(package) = act.scripting_package()
    {
        remark(&mut outcome.note, &[format!("the scripts of package `{}` may change this", printable(&package))]);
    }
    outcome.seal = seal.filter(|_| host.is_dry());
    outcome.reversible = outcome.reversible.max(journal::foretell(&seen.operations, act, prepared.is_secret));
    outcome.reached_out = kind.reaches_out() && seen.action != Action::None;
    if seen.action == Action::None {
        return over(outcome);
    }
    let held_back = match meta::held_back(given.resource, &turn, act) {
        Ok(held_back) => held_back,
        Err(error) => return over(Outcome::failed(error.to_string())),
    };
    if let Some(why) = held_back {
        let differs: Vec<&str> = outcome.changes.iter().map(|change| change.property.as_str()).collect();
        let what = if differs.is_empty() { String::new() } else { format!("; it differs in {}", differs.join(", ")) };
        let is_left = !given.resource.meta.audit();
        let left = Outcome::new(Action::None, outcome.certainty);
        return over(Outcome { note: format!("{why}{what}"), is_left, ..left });
    }
    if given.only_look || given.resource.meta.noop() {
        if given.resource.meta.noop() && outcome.note.is_empty() {
            outcome.note = "`noop` is set: reported, not changed".into();
        }
        outcome.is_noop = given.resource.meta.noop();
        outcome.reached_out = false;
        return over(outcome);
    }
    if let Some(param) = shown_secret(prepared, &seen) {
        return over(Outcome::failed(format!(
            "`{param}` is sensitive, and the tool that sets it takes it as an argument, which every user can read"
        )));
    }
    Looked::Differs(Box::new(seen), Box::new(outcome))
}

/// Returns the secret parameter that a system tool would get as an argument.
fn shown_secret<'p>(prepared: &'p Prepared, seen: &Checked) -> Option<&'p str> {
    if !prepared.is_secret {
        return None;
    }
    let changes = || {
        seen.operations.iter().filter_map(|operation| match operation {
            Operation::System(change) => Some(change),
            _ => None,
        })
    };
    let is_shown = |(name, value): &(&Arc<str>, &Value)| {
        let secrets = Secrets::in_params(&std::iter::once((Arc::clone(name), (*value).clone())).collect());
        value.holds_secret() && changes().any(|change| change.shows(&secrets))
    };
    prepared.params.iter().find(is_shown).map(|(name, _)| &**name)
}

fn outcome_of(host: &dyn Host, seen: Checked, certainty: Certainty) -> Outcome {
    let mut outcome = Outcome::new(seen.action, certainty);
    outcome.changes = seen.changes;
    outcome.reversible = seen.reversible;
    outcome.note = seen.note;
    outcome.sends = seen.sends;
    match seen.lines.first() {
        Some(line) if host.is_dry() && outcome.note.is_empty() => outcome.note = format!("prints: {line}"),
        _ => outcome.lines = seen.lines,
    }
    outcome
}

/// Returns the certainty of a step, and whether an apply compares the present state with the plan. A value that is
/// known only after apply, such as a command's output or a server's answer, makes the step unknown, even if the action
/// is certain. A value that the resource itself fetches does not affect the observed state.
fn certainty(given: &TurnInput, act: &dyn Act, seen: &Checked) -> (Certainty, bool) {
    let receives_unknown = given.received.iter().any(|(_, value)| value.holds_unknown());
    let is_guess = act.leaned() || given.shadow.is_some() || given.guessed;
    let becomes_unknown = seen.changes.iter().any(|change| change.to.as_ref().is_some_and(Value::holds_unknown));
    match (seen.action == Action::Unknown || receives_unknown || becomes_unknown, is_guess) {
        (true, _) => (Certainty::Unknown, becomes_unknown && !receives_unknown && !is_guess),
        (false, true) => (Certainty::Predicted, false),
        (false, false) => (Certainty::Known, false),
    }
}

/// Whether a missing thing may be created by an earlier step with unknown effects.
fn is_shadowed(given: &TurnInput, error: &HostError) -> bool {
    given.shadow.is_some() && error.is_missing()
}

fn not_seen(host: &dyn Host, given: &TurnInput, error: &HostError) -> Outcome {
    if !host.is_dry() {
        return Outcome::failed(in_full(given, error.clone()).to_string());
    }
    match given.shadow {
        _ if error.is_unknown() => Outcome::unknown(given.resource, error.to_string()),
        Some(shadow) if is_shadowed(given, error) => {
            Outcome::unknown(given.resource, format!("{error} yet; {shadow} may change that"))
        }
        _ => Outcome::failed(error.to_string()),
    }
}

/// Seals the files that a turn would overwrite or remove; `None` if there are no known ones.
fn sealed(key: &SealKey, seen: &Checked, act: &dyn Act) -> Option<String> {
    let mut texts: Vec<Arc<[u8]>> = Vec::new();
    for operation in &seen.operations {
        let (Operation::WriteFile { path, .. } | Operation::CopyFile { path, .. } | Operation::RemoveFile { path }) =
            operation
        else {
            continue;
        };
        let is_file =
            matches!(act.stat(path), Ok(Some(stat)) if stat.kind == FileKind::File && stat.size <= SEALED_CAP);
        if is_file && let Ok(Some(content)) = act.read(path) {
            texts.push(path.as_os_str().as_encoded_bytes().into());
            texts.push(content);
        }
    }
    (!texts.is_empty()).then(|| key.seal(texts.iter().map(|text| &**text)))
}

/// Larger files that are not shown are compared by size alone.
const SEALED_CAP: u64 = 64 << 20;

/// Describes how the found state differs from the approved step.
fn differs_from(step: &Step, seen: &Checked, seal: Option<&str>) -> Option<String> {
    if !is_binding(step) || (step.action == seen.action && step.changes.is_empty() && seen.changes.is_empty()) {
        return None;
    }
    let mut moved = Vec::new();
    compare_on_the_way(step, &seen.changes, &mut moved);
    let properties: Vec<&str> = moved
        .iter()
        .filter_map(|moved| match moved {
            Moved::Property { property, .. } => Some(property.as_str()),
            _ => None,
        })
        .collect();
    match properties.as_slice() {
        [] if is_broken(step.seal.as_deref(), seal) => Some("its current content changed since the plan".to_owned()),
        [] if step.action == seen.action || step.action == Action::Unknown => None,
        [] => Some("changed since the plan".to_owned()),
        properties => Some(format!("changed since the plan: {}", properties.join(", "))),
    }
}

/// A command gets the remaining time as its limit. The message names the user's limit.
fn in_full(given: &TurnInput, error: HostError) -> HostError {
    match (error, given.resource.meta.timeout()) {
        (HostError::Deadline { program, .. }, Some(after)) => HostError::Deadline { program, after },
        (error, _) => error,
    }
}

/// Describes a change that did not last. That is an error.
fn still_differs(look: &dyn Act, turn: &Turn, kind: &dyn Kind) -> Option<String> {
    // The pending refresh has run.
    let turn = &Turn { refresh: false, ..*turn };
    match kind.check(turn, look) {
        Ok(seen) if seen.action == Action::None => None,
        Ok(seen) => {
            let properties: Vec<&str> = seen.changes.iter().map(|change| change.property.as_str()).collect();
            Some(format!("applied, but still differs in {}", properties.join(", ")))
        }
        Err(error) => Some(format!("applied, but cannot be checked: {error}")),
    }
}
