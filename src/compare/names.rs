//! Node names in short: `web[1-90,95].example.com`.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes names with ranges of numbers, each host name once, in the order of names and numbers.
pub fn ranges<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut series: BTreeMap<(&str, &str, usize), Vec<u64>> = BTreeMap::new();
    let mut plain = Vec::new();
    for name in names {
        match split(name) {
            Some((before, digits, after, number)) => {
                // `web01` and `web1` are two names.
                let width = if digits.starts_with('0') { digits.len() } else { 0 };
                series.entry((before, after, width)).or_default().push(number);
            }
            None => plain.push(name.to_owned()),
        }
    }
    let mut written: Vec<String> = series
        .into_iter()
        .map(|((before, after, width), mut numbers)| {
            numbers.sort_unstable();
            numbers.dedup();
            let runs: Vec<&[u64]> = numbers.chunk_by(|one, next| one + 1 == *next).collect();
            let one = |number: u64| format!("{number:0width$}");
            if let [[only]] = runs[..] {
                return format!("{before}{}{after}", one(*only));
            }
            let mut list = String::new();
            for run in runs {
                let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
                let comma = if list.is_empty() { "" } else { "," };
                let _ = match run.len() {
                    1 => write!(list, "{comma}{}", one(*first)),
                    2 => write!(list, "{comma}{},{}", one(*first), one(*last)),
                    _ => write!(list, "{comma}{}-{}", one(*first), one(*last)),
                };
            }
            format!("{before}[{list}]{after}")
        })
        .collect();
    plain.sort_unstable();
    plain.dedup();
    written.extend(plain);
    written
}

/// The parts of a name around the last number of its first label.
fn split(name: &str) -> Option<(&str, &str, &str, u64)> {
    let label = &name[..name.find('.').unwrap_or(name.len())];
    let end = label.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = label[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + label[at..].chars().next().map_or(0, char::len_utf8));
    let digits = &name[start..end];
    Some((&name[..start], digits, &name[end..], digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_ranges() {
        for (names, short) in [
            (vec!["web1", "web2", "web3", "web5"], vec!["web[1-3,5]"]),
            (vec!["web1.a.org", "web2.a.org", "web2.b.org"], vec!["web[1,2].a.org", "web2.b.org"]),
            (vec!["web01", "web02", "web03", "web1"], vec!["web1", "web[01-03]"]),
            (vec!["db", "db", "10.0.0.1"], vec!["10.0.0.1", "db"]),
            (vec!["ä7ß", "ä8ß", "ä9ß"], vec!["ä[7-9]ß"]),
            (vec!["x99999999999999999999"], vec!["x99999999999999999999"]),
        ] {
            assert_eq!(ranges(names.iter().copied()), short);
        }
    }
}
