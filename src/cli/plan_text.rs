//! A dry run as text: the changes with old and new values, their certainty, and the reasons.

use std::collections::BTreeSet;
use std::io::{self, Write};

use similar::TextDiff;

use super::face::{Face, count};
use super::paint::Role;
use crate::graph::{ResourceId, Value, escaped};
use crate::plan::policy::{Rule, Violation, by_resource};
use crate::plan::unshown::is_placeholder;
use crate::plan::{Action, Alike, Certainty, Change, Elsewhere, Listed, Plan, Reversible, Step, Tally};
use crate::session::{in_own_words, note_in_own_words};
use crate::source::printable;

/// How many lines of one diff are shown without `-v`.
const DIFF_LINES: usize = 40;

/// The sign of an action, and its colour.
pub fn sign(action: Action, plain: bool) -> (&'static str, Role) {
    match action {
        Action::Create => ("+", Role::Create),
        Action::Change => ("~", Role::Change),
        Action::Replace => (if plain { "%" } else { "±" }, Role::Remove),
        Action::Remove => ("-", Role::Remove),
        Action::Run => ("!", Role::Run),
        Action::None => ("=", Role::Quiet),
        Action::Unknown => ("?", Role::Unknown),
    }
}

/// The sign of a step, as on the screens: a step that would fail or be blocked has no action.
fn sign_of(step: &Step, plain: bool) -> (&'static str, Role) {
    match step {
        step if step.error.is_some() => (if plain { "x" } else { "✗" }, Role::Error),
        step if step.is_blocked() => (if plain { "|" } else { "┊" }, Role::Warning),
        step => sign(step.action, plain),
    }
}

/// The action of a step, in words.
pub fn action_words(step: &Step) -> String {
    let verb = match step {
        step if step.error.is_some() => "fails",
        step if step.is_blocked() => "blocked",
        step => step.action.verb(),
    };
    format!("{verb}{}", if step.refresh { ", refresh" } else { "" })
}

/// The screens' word for a certainty.
pub fn certainty_word(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Known => "known",
        Certainty::Predicted => "predicted",
        Certainty::Unknown => "known after apply",
    }
}

/// The same for a step, after a gap; empty for a step that would fail or be blocked.
pub fn certainty_words(step: &Step) -> String {
    if !step.acts() { String::new() } else { format!("  {}", certainty_word(step.certainty)) }
}

/// Writes a line for each changing step, in the order of the screens' summary: predicted failures, destroying steps,
/// then the rest by action; then the sums.
pub fn write_overview(face: &mut Face, plan: &Plan) -> io::Result<()> {
    let shown = |step: &&Step| step.action != Action::None || step.refresh || step.error.is_some();
    let mut steps: Vec<&Step> = plan.steps.iter().filter(shown).collect();
    steps.sort_by_key(|step| (step.error.is_none(), step.action.rank(), !step.is_blocked()));
    let mut alike = Alike::of(steps.iter().filter_map(|step| step.reason()));
    for step in steps {
        let show = if face.verbose { Listed::Yes } else { alike.next(step.reason()) };
        if show == Listed::No {
            continue;
        }
        let (symbol, role) = sign_of(step, face.plain);
        let paint = face.paint;
        let words = paint.role(role, action_words(step)).to_string() + &certainty_words(step);
        let fails = step.error.as_ref().map(|error| format!("  would fail: {}", printable(error)));
        let is_blocked = || step.blocked_by.as_ref().map(|by| format!("  would be blocked by {}", printable(&by.0)));
        let fails = fails.or_else(is_blocked).unwrap_or_default();
        let place = step.source.as_ref().map_or(String::new(), |place| format!("  {place}"));
        let (symbol, name) = (paint.role(role, symbol).to_string(), paint.role(Role::Name, &step.resource).to_string());
        writeln!(face.out, "{symbol} {words}  {name}{fails}{place}")?;
        write_more(face, step, show)?;
    }
    write_elsewhere(face, &plan.elsewhere)?;
    match plan.steps.is_empty() {
        true => writeln!(face.out, "{} no resources are declared.", face.paint.role(Role::Good, "No changes:")),
        false => write_summary(face, plan, &Tally::of(&plan.steps)),
    }
}

/// Writes the steps and then the summary; unchanged resources are only counted, unless `-v`.
pub fn write_plan(face: &mut Face, plan: &Plan, shown: &[&Step]) -> io::Result<()> {
    let broken = by_resource(&plan.violations);
    let worth_showing = |step: &&&Step| {
        face.verbose || step.action != Action::None || step.refresh || broken.contains_key(&step.resource)
    };
    let steps: Vec<&Step> = shown.iter().filter(worth_showing).copied().collect();
    let mut alike = Alike::of(steps.iter().filter_map(|step| step.reason()));
    let resources: BTreeSet<&ResourceId> = plan.steps.iter().map(|step| &step.resource).collect();
    for step in &steps {
        match if face.verbose { Listed::Yes } else { alike.next(step.reason()) } {
            Listed::No => {}
            show => {
                write_step(face, step, &resources, broken.get(&step.resource).map_or(&[], |all| &**all))?;
                write_more(face, step, show)?;
                if show != Listed::Yes {
                    writeln!(face.out)?;
                }
            }
        }
    }
    // A query selects among the steps.
    if shown.len() == plan.steps.len() {
        write_elsewhere(face, &plan.elsewhere)?;
    }
    let nothing = face.paint.role(Role::Good, "No changes:");
    match (plan.steps.is_empty(), shown.is_empty()) {
        (true, _) if !plan.elsewhere.is_empty() => writeln!(face.out, "{nothing} no resource is for this machine.")?,
        (true, _) => writeln!(face.out, "{nothing} no resources are declared.")?,
        (false, true) => writeln!(face.out, "{nothing} no resource matches --only.")?,
        (false, false) => write_summary(face, plan, &Tally::of(shown.iter().copied()))?,
    }
    for violation in &plan.violations {
        let many = count(violation.resources.len(), "resource");
        let role = if violation.rule == Rule::Deny { Role::Error } else { Role::Warning };
        let words = format!("{violation}: {many}");
        writeln!(face.out, "{}", face.paint.role(role, printable(&words)))?;
    }
    if !plan.reads.is_empty() {
        writeln!(face.out, "\nThe program reads outside of the entry:")?;
        for path in &plan.reads {
            writeln!(face.out, "  {}", printable(&path.to_string_lossy()))?;
        }
    }
    let seen: BTreeSet<_> = shown.iter().map(|step| &step.resource).collect();
    let hidden: Vec<&Step> = plan.steps.iter().filter(|step| !seen.contains(&step.resource)).collect();
    if !hidden.is_empty() {
        // A hidden step can still fail, and the exit code is for the whole plan.
        let tally = Tally::of(hidden.iter().copied());
        let mut parts = pending(face, &tally);
        parts.extend((tally.right() > 0).then(|| format!("{} unchanged", tally.right())));
        let dots = if face.plain { "..." } else { "…" };
        writeln!(face.out, "{dots}and {} more excluded by --only: {}.", hidden.len(), parts.join(", "))?;
    }
    Ok(())
}

/// How many resources of each other host are listed without `-v`.
const ELSEWHERE: usize = 20;

/// Writes the resources for other hosts, each host apart.
fn write_elsewhere(face: &mut Face, elsewhere: &[Elsewhere]) -> io::Result<()> {
    for all in elsewhere.chunk_by(|one, other| one.host == other.host) {
        let Some(first) = all.first() else { continue };
        let words = format!("Not applied here, for host {}: {}", printable(&first.host), count(all.len(), "resource"));
        writeln!(face.out, "{}", face.paint.role(Role::Title, words))?;
        let listed = if face.verbose { all.len() } else { ELSEWHERE };
        for one in all.iter().take(listed) {
            let place = one.source.as_ref().map_or(String::new(), |place| format!("  {place}"));
            writeln!(face.out, "  {}{}", one.resource, face.paint.role(Role::Quiet, place))?;
        }
        if all.len() > listed {
            let dots = if face.plain { "..." } else { "…" };
            writeln!(face.out, "  {dots}and {} more (-v shows all)", all.len() - listed)?;
        }
        writeln!(face.out)?;
    }
    Ok(())
}

/// Writes how many hidden steps go wrong for the same reason as the one above.
fn write_more(face: &mut Face, step: &Step, show: Listed) -> io::Result<()> {
    let Listed::AndMore(more) = show else { return Ok(()) };
    let dots = if face.plain { "..." } else { "…" };
    let what = match &step.blocked_by {
        Some(by) => format!("would be blocked by {}", printable(&by.0)),
        None => "would fail for the same reason".into(),
    };
    writeln!(face.out, "{dots}and {more} more {what} (-v shows all)")
}

/// Writes one step: its head, its changes, and its dependencies.
fn write_step(
    face: &mut Face,
    step: &Step,
    resources: &BTreeSet<&ResourceId>,
    violations: &[&Violation],
) -> io::Result<()> {
    write_changes(face, step)?;
    for violation in violations {
        let role = if violation.rule == Rule::Deny { Role::Error } else { Role::Warning };
        writeln!(face.out, "    {}", face.paint.role(role, printable(&violation.to_string())))?;
    }
    let verbose = face.verbose;
    write_remarks(face, remarks(step, |id| verbose || resources.contains(id)))?;
    writeln!(face.out)
}

/// Writes the head of a step, and its changes.
pub fn write_changes(face: &mut Face, step: &Step) -> io::Result<()> {
    let (symbol, role) = sign_of(step, face.plain);
    let place = step.source.as_ref().map_or(String::new(), ToString::to_string);
    let paint = face.paint;
    writeln!(
        face.out,
        "{} {}  {}  {}",
        paint.role(role, symbol),
        paint.role(Role::Name, &step.resource),
        paint.role(role, action_words(step)),
        paint.role(Role::Quiet, place),
    )?;
    let changes = in_own_words(&step.resource, &step.changes);
    let width = changes.iter().map(|change| change.property.chars().count()).max().unwrap_or_default();
    for change in &changes {
        write_change(face, change, width)?;
    }
    Ok(())
}

/// Writes remarks with their names, below a step.
pub fn write_remarks(face: &mut Face, remarks: Vec<(&'static str, String)>) -> io::Result<()> {
    for (name, text) in remarks {
        writeln!(face.out, "    {}", face.paint.role(Role::Quiet, format!("{name}: {}", printable(&text))))?;
    }
    Ok(())
}

/// The remarks about a step beside its changes.
///
/// `is_shown`: a container passes order and refresh on, so only `-v` names it.
fn remarks(step: &Step, is_shown: impl Fn(&ResourceId) -> bool) -> Vec<(&'static str, String)> {
    let mut remarks = Vec::new();
    if let Some(error) = &step.error {
        remarks.push(("would fail", error.clone()));
    }
    match step.certainty {
        _ if step.error.is_some() => {}
        Certainty::Known => {}
        Certainty::Predicted => remarks.push(("predicted", "depends on an earlier step".into())),
        // The note has the details.
        Certainty::Unknown if step.binds_what_is && !step.note.is_empty() => {}
        Certainty::Unknown if step.action != Action::Unknown => {
            remarks.push(("unknown", "uses a value known after apply".into()));
        }
        Certainty::Unknown if step.note.is_empty() => remarks.push(("unknown", "known after apply".into())),
        Certainty::Unknown => {}
    }
    if !step.note.is_empty() {
        remarks.push(("note", note_in_own_words(&step.resource, &step.note)));
    }
    for (name, ids) in [("after", &step.because), ("refreshes", &step.notifies)] {
        let ids: Vec<&ResourceId> = ids.iter().filter(|id| is_shown(id)).collect();
        remarks.extend((!ids.is_empty()).then(|| (name, names(&ids))));
    }
    match step.reversible {
        _ if step.action == Action::None => {}
        Reversible::Yes => {}
        Reversible::Partly => remarks.push(("undo", "partly".into())),
        Reversible::No => remarks.push(("undo", "impossible".into())),
    }
    remarks
}

/// The first few names, and how many more there are.
fn names(ids: &[&ResourceId]) -> String {
    let first: Vec<_> = ids.iter().take(4).map(|id| id.0.to_string()).collect();
    let more = ids.len().saturating_sub(4);
    if more > 0 { format!("{} and {more} more", first.join(", ")) } else { first.join(", ") }
}

/// One property: old and new value.
pub fn write_change(face: &mut Face, change: &Change, width: usize) -> io::Result<()> {
    let property = printable(&change.property);
    if let Some((from, to)) = as_lines(change) {
        writeln!(face.out, "    {property}")?;
        return write_diff(face, from, to);
    }
    let arrow = if face.plain { "->" } else { "→" };
    let side = |value: &Option<Value>| match value {
        None => "(none)".to_string(),
        Some(_) if change.sensitive => "(sensitive)".to_string(),
        Some(Value::Unknown) => "(known after apply)".to_string(),
        Some(Value::Sensitive(_)) => "(sensitive)".to_string(),
        Some(Value::Str(text)) if is_placeholder(text) => printable(text).to_string(),
        Some(Value::Bytes(bytes)) => printable(&format!("\"{}\"", escaped(bytes))).to_string(),
        Some(value) => printable(&value.to_json().to_string()).to_string(),
    };
    let (from, to) = (side(&change.from), side(&change.to));
    let paint = face.paint;
    match (&change.from, &change.to) {
        (None, Some(_)) => writeln!(face.out, "    {property:width$}  {}", paint.role(Role::Create, to)),
        (Some(_), None) => writeln!(face.out, "    {property:width$}  {} {arrow} {to}", paint.role(Role::Remove, from)),
        _ => writeln!(
            face.out,
            "    {property:width$}  {} {arrow} {}",
            paint.role(Role::Remove, from),
            paint.role(Role::Create, to)
        ),
    }
}

/// Both sides as text, if one of them has several lines.
fn as_lines(change: &Change) -> Option<(&str, &str)> {
    fn side(value: &Option<Value>) -> Option<&str> {
        match value {
            None => Some(""),
            Some(Value::Str(text)) => Some(text),
            Some(_) => None,
        }
    }
    let (from, to) = (side(&change.from)?, side(&change.to)?);
    let several = |text: &str| text.trim_end().contains('\n');
    (!change.sensitive && (several(from) || several(to))).then_some((from, to))
}

fn write_diff(face: &mut Face, from: &str, to: &str) -> io::Result<()> {
    let whole = |side: &str| if is_placeholder(side) { format!("{side}\n") } else { side.to_owned() };
    let (old, new) = (whole(from), whole(to));
    let diff = TextDiff::from_lines(&old, &new);
    let text = diff.unified_diff().context_radius(2).to_string();
    // Without an old text there is no line number to show.
    let lines: Vec<&str> = text.lines().filter(|line| !(from.is_empty() && line.starts_with("@@"))).collect();
    let limit = if face.verbose { lines.len() } else { DIFF_LINES };
    for line in lines.iter().take(limit) {
        let role = match line.as_bytes().first() {
            Some(b'+') => Role::Create,
            Some(b'-') => Role::Remove,
            Some(b'@') => Role::Run,
            _ => Role::Quiet,
        };
        writeln!(face.out, "      {}", face.paint.role(role, printable(line)))?;
    }
    if lines.len() > limit {
        let dots = if face.plain { "..." } else { "…" };
        writeln!(face.out, "      {dots}and {} more (-v shows all)", count(lines.len() - limit, "line"))?;
    }
    Ok(())
}

/// The closing line: the most important count first, unchanged last.
fn write_summary(face: &mut Face, plan: &Plan, tally: &Tally) -> io::Result<()> {
    let parts = pending(face, tally);
    let (paint, right) = (face.paint, format!("{} unchanged", tally.right()));
    let node = printable(&plan.compiled_for.node_words()).to_string();
    match parts.is_empty() {
        true => writeln!(face.out, "{} {right}.", paint.role(Role::Good, format!("No changes{node}:"))),
        false => {
            writeln!(face.out, "{} {}; {right}.", paint.role(Role::Title, format!("Plan{node}:")), parts.join(", "))
        }
    }
}

/// The counts of pending steps.
fn pending(face: &Face, tally: &Tally) -> Vec<String> {
    let summary = &tally.acts;
    let pending = [
        (tally.would_fail, "would fail", Role::Error),
        (tally.would_be_blocked, "would be blocked", Role::Error),
        (summary.remove, "to remove", Role::Remove),
        (summary.replace, "to replace", Role::Remove),
        (summary.create, "to create", Role::Create),
        (summary.change, "to change", Role::Change),
        (summary.run, "to run", Role::Run),
        (tally.only_refreshed, "to refresh", Role::Run),
        (summary.unknown, "unknown until apply", Role::Unknown),
    ];
    let some = pending.into_iter().filter(|(n, ..)| *n > 0);
    some.map(|(n, words, role)| face.paint.role(role, format!("{n} {words}")).to_string()).collect()
}
