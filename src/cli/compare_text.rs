//! A comparison as text: each change once, with its places on both sides and its nodes.

use std::io::{self, Write};

use super::face::{Face, count};
use super::paint::Role;
use super::plan_text::write_change;
use crate::compare::{Comparison, Difference, Fault, Finding, Meaning, Verdict, What, ranges};
use crate::plan::policy::Rule;
use crate::session::note_in_own_words;
use crate::source::{Place, printable};

/// How many groups of node names are shown without `-v`.
const NAMES: usize = 8;

/// Writes the changes. Over nodes, those on the same nodes are together, most nodes first.
pub fn write_comparison(face: &mut Face, comparison: &Comparison, is_over_nodes: bool) -> io::Result<()> {
    if comparison.unknown > 0 {
        let many = count(comparison.unknown, "resource");
        face.note(format_args!("note: {many} with values that neither side knows; these values are not compared"));
    }
    if !is_over_nodes {
        let rows: Vec<&Finding> = comparison.found.iter().map(|found| &found.finding).collect();
        write_findings(face, &rows, "")?;
        return write_sums(face, &rows);
    }
    for (at, (nodes, rows)) in comparison.groups().into_iter().enumerate() {
        let names = ranges(comparison.names(nodes));
        let shown = if face.verbose { names.len() } else { names.len().min(NAMES) };
        let more = names.len() - shown;
        let more = if more > 0 { format!(" and {more} more (-v shows all)") } else { String::new() };
        let words = format!("{}  {} of {}", letter(at), nodes.len(), count(comparison.nodes.len(), "node"));
        let names = printable(&names[..shown].join(" ")).to_string();
        writeln!(face.out, "{}  {names}{more}", face.paint.role(Role::Title, words))?;
        write_findings(face, &rows, "  ")?;
        writeln!(face.out)?;
    }
    let (total, paint) = (comparison.nodes.len(), face.paint);
    let sums = [
        (comparison.equal, "equal", Role::Good),
        (comparison.changed, "changed", Role::Change),
        (comparison.failing, "not compiled", Role::Error),
    ];
    let sums: Vec<String> = sums
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, words, role)| paint.role(role, format!("{n} {words}")).to_string())
        .collect();
    let ways = comparison.groups().len();
    let ways = if ways > 0 { format!(" ({})", count(ways, "group")) } else { String::new() };
    writeln!(face.out, "{}: {}{ways}.", paint.role(Role::Title, count(total, "node")), sums.join(", "))
}

/// `A` to `Z`, then `A1`, `B1` and so on.
fn letter(at: usize) -> String {
    let letter = char::from(b'A' + (at % 26) as u8);
    if at < 26 { letter.to_string() } else { format!("{letter}{}", at / 26) }
}

/// Writes rows, those of one resource below its name.
fn write_findings(face: &mut Face, rows: &[&Finding], indent: &str) -> io::Result<()> {
    let mut last = None;
    for row in rows {
        match row {
            Finding::Fault { side, both, fault } => {
                last = None;
                write_fault(face, fault, (*side, *both), indent)?;
            }
            Finding::Violation(violation) => {
                last = None;
                let role = if violation.rule == Rule::Deny { Role::Error } else { Role::Warning };
                let words = face.paint.role(role, printable(&violation.to_string())).to_string();
                writeln!(face.out, "{indent}{words}")?;
                for id in &violation.resources {
                    writeln!(face.out, "{indent}    {}", face.paint.role(Role::Name, id))?;
                }
            }
            Finding::Difference(difference) => {
                if last != Some(&difference.resource) {
                    write_head(face, difference, indent)?;
                }
                last = Some(&difference.resource);
                match &difference.what {
                    What::Added | What::Removed => {}
                    What::Parameter(change) => {
                        write_change(face, change, change.property.chars().count())?;
                    }
                    what => {
                        let role =
                            if what.relation().is_some_and(|(_, is_new)| is_new) { Role::Create } else { Role::Remove };
                        writeln!(face.out, "    {}", face.paint.role(role, what.words()))?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn write_head(face: &mut Face, difference: &Difference, indent: &str) -> io::Result<()> {
    let (sign, role) = match difference.what {
        What::Added => ("+", Role::Create),
        What::Removed => ("-", Role::Remove),
        What::Parameter(_) => ("~", Role::Change),
        _ => ("!", Role::Run),
    };
    let places = places(&difference.places, face.plain);
    let name = face.paint.role(Role::Name, &difference.resource).to_string();
    let gap = if places.is_empty() { "" } else { "  " };
    let (sign, places) = (face.paint.role(role, sign).to_string(), face.paint.role(Role::Quiet, places));
    writeln!(face.out, "{indent}{sign} {name}{gap}{places}")
}

/// `web.pp:31 → :34`
fn places([a, b]: &[Option<Place>; 2], plain: bool) -> String {
    let place = |place: &Place| format!("{}:{}", printable(&place.file), place.line);
    let arrow = if plain { "->" } else { "→" };
    match (a, b) {
        (Some(a), Some(b)) if a.file == b.file && a.line == b.line => place(a),
        (Some(a), Some(b)) if a.file == b.file => format!("{} {arrow} :{}", place(a), b.line),
        (Some(a), Some(b)) => format!("{} {arrow} {}", place(a), place(b)),
        (Some(one), None) | (None, Some(one)) => place(one),
        (None, None) => String::new(),
    }
}

fn write_fault(face: &mut Face, fault: &Fault, (side, both): (usize, bool), indent: &str) -> io::Result<()> {
    let (sign, role, words) = match (both, side) {
        (true, _) => ("x", Role::Error, "fails on both sides"),
        (false, 0) => ("x", Role::Good, "compiles now; failed before"),
        (false, _) => ("x", Role::Error, "fails now"),
    };
    let place = fault.place.as_ref().map_or(String::new(), |place| format!("  {place}"));
    let words = face.paint.role(role, format!("{sign} {words}: {}", printable(&fault.words()))).to_string();
    writeln!(face.out, "{indent}{words}{}", face.paint.role(Role::Quiet, place))?;
    for (at, message) in &fault.related {
        let at = at.as_ref().map_or(String::new(), |at| format!("{at}  "));
        writeln!(face.out, "{indent}    {at}{}", printable(message))?;
    }
    if !fault.help.is_empty() {
        writeln!(face.out, "{indent}    help: {}", printable(&fault.help))?;
    }
    Ok(())
}

fn write_sums(face: &mut Face, rows: &[&Finding]) -> io::Result<()> {
    let paint = face.paint;
    let faults = rows.iter().filter(|row| matches!(row, Finding::Fault { .. })).count();
    if faults > 0 {
        return writeln!(face.out, "{} a side does not compile.", paint.role(Role::Error, "Not compared:"));
    }
    let of = |fits: &dyn Fn(&What) -> bool| {
        rows.iter().filter(|row| matches!(row, Finding::Difference(row) if fits(&row.what))).count()
    };
    let parameters = of(&|what| matches!(what, What::Parameter(_)));
    let sums = [
        (of(&|what| *what == What::Added), "added"),
        (of(&|what| *what == What::Removed), "removed"),
        (parameters, if parameters == 1 { "parameter" } else { "parameters" }),
        (of(&|what| matches!(what, What::Order { .. } | What::Contained { .. })), "in order"),
        (of(&|what| matches!(what, What::Refresh { .. } | What::Sent { .. })), "in refreshes"),
    ];
    let sums: Vec<String> = sums.iter().filter(|(n, _)| *n > 0).map(|(n, words)| format!("{n} {words}")).collect();
    match sums.is_empty() {
        true => writeln!(face.out, "{} both sides declare the same.", paint.role(Role::Good, "Equal:")),
        false => writeln!(face.out, "{} {}.", paint.role(Role::Title, "Differs:"), sums.join(", ")),
    }
}

/// How many unknown steps are shown without `-v`.
const UNKNOWN: usize = 20;

/// Writes a verdict about two programs, with its reasons.
pub fn write_meaning(face: &mut Face, meaning: &Meaning, shown: &[String; 2]) -> io::Result<()> {
    let rows = meaning.rows.iter().filter_map(Difference::in_own_words);
    let rows: Vec<Finding> = rows.map(Finding::Difference).collect();
    write_findings(face, &rows.iter().collect::<Vec<_>>(), "")?;
    let listed = if face.verbose { meaning.unknown.len() } else { meaning.unknown.len().min(UNKNOWN) };
    for unknown in &meaning.unknown[..listed] {
        let name = face.paint.role(Role::Name, &unknown.resource).to_string();
        let place = unknown.source.as_ref().map_or(String::new(), |place| format!("  {place}"));
        let why = note_in_own_words(&unknown.resource, &unknown.why);
        let (side, why) = (printable(&shown[unknown.side % 2]), printable(&why));
        let sign = face.paint.role(Role::Unknown, "?").to_string();
        writeln!(face.out, "{sign} {name} in {side}: {why}{}", face.paint.role(Role::Quiet, place))?;
    }
    if meaning.unknown.len() > listed {
        let dots = if face.plain { "..." } else { "…" };
        writeln!(face.out, "{dots}and {} more (-v shows all)", count(meaning.unknown.len() - listed, "step"))?;
    }
    let role = match meaning.verdict {
        Verdict::Equal => Role::Good,
        Verdict::EqualButOrder | Verdict::Different => Role::Change,
        Verdict::Undecided => Role::Unknown,
    };
    let from = match meaning.verdict {
        Verdict::Undecided => "the effects of the steps above are unknown before an apply",
        _ => "from the state of this machine and from an empty one",
    };
    writeln!(face.out, "{}: {from}.", face.paint.role(role, capital(meaning.verdict.word())))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
