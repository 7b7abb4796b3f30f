//! The mount table: reads, replaces or removes one entry, and leaves the others unchanged.

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub device: String,
    pub target: String,
    pub kind: String,
    /// Sorted when parsed.
    pub options: Vec<String>,
    pub freq: u32,
    pub passno: u32,
}

/// Returns the last entry for a mount point, because it is mounted over the others.
pub(super) fn entry(table: &str, target: &str) -> Option<Entry> {
    table.lines().filter_map(read).rfind(|entry| entry.target == target)
}

/// The table with an entry in the place of all others for its target, or at the end.
pub(super) fn with(table: &str, entry: &Entry) -> String {
    let mut text = String::new();
    let mut is_in = false;
    for line in table.lines() {
        match read(line).filter(|there| there.target == entry.target) {
            None => push(&mut text, line),
            Some(_) if is_in => {}
            Some(_) => {
                push(&mut text, &write(entry));
                is_in = true;
            }
        }
    }
    if !is_in {
        push(&mut text, &write(entry));
    }
    text
}

/// Returns the table without the entries for a mount point.
pub(super) fn without(table: &str, target: &str) -> String {
    let mut text = String::new();
    let others = table.lines().filter(|line| read(line).is_none_or(|entry| entry.target != target));
    others.for_each(|line| push(&mut text, line));
    text
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn read(line: &str) -> Option<Entry> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [device, target, kind, ..] = fields[..] else { return None };
    let mut options: Vec<String> = fields.get(3).unwrap_or(&"defaults").split(',').map(plain).collect();
    options.sort_unstable();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok()).unwrap_or_default();
    let target = plain(target);
    let trimmed = target.trim_end_matches('/');
    let target = if trimmed.is_empty() { target.clone() } else { trimmed.to_owned() };
    Some(Entry { device: plain(device), target, kind: plain(kind), options, freq: number(4), passno: number(5) })
}

fn write(entry: &Entry) -> String {
    let options = entry.options.iter().map(|option| escaped(option)).collect::<Vec<_>>().join(",");
    let (device, target, kind) = (escaped(&entry.device), escaped(&entry.target), escaped(&entry.kind));
    format!("{device} {target} {kind} {options} {} {}", entry.freq, entry.passno)
}

/// Escapes for blanks, backslashes and comment characters.
const ESCAPES: &[(char, &str)] = &[('\\', "\\134"), (' ', "\\040"), ('\t', "\\011"), ('#', "\\043")];

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match ESCAPES.iter().find(|(plain, _)| *plain == c) {
            Some((_, escape)) => out.push_str(escape),
            None => out.push(c),
        }
    }
    out
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match ESCAPES.iter().find(|(_, escape)| rest.starts_with(escape)) {
            Some((plain, escape)) => {
                out.push(*plain);
                rest = &rest[escape.len()..];
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# the table\nUUID=1 / ext4 errors=remount-ro 0 1\n\ntmpfs /a\\040b tmpfs\n";

    fn wanted(target: &str) -> Entry {
        let options = vec!["nosuid".to_owned(), "size=1m".to_owned()];
        Entry { device: "tmpfs".into(), target: target.into(), kind: "tmpfs".into(), options, freq: 0, passno: 2 }
    }

    #[test]
    fn one_entry_changes_and_the_rest_stays() {
        let text = with(TABLE, &wanted("/a b"));
        let expected = TABLE.replace("tmpfs /a\\040b tmpfs\n", "tmpfs /a\\040b tmpfs nosuid,size=1m 0 2\n");
        assert_eq!(text, expected);
        assert_eq!(entry(&text, "/a b"), Some(wanted("/a b")));
        assert_eq!(with(&text, &wanted("/a b")), text);
        assert_eq!(without(&text, "/a b"), "# the table\nUUID=1 / ext4 errors=remount-ro 0 1\n\n");
        assert_eq!(with("", &wanted("/x")), "tmpfs /x tmpfs nosuid,size=1m 0 2\n");
    }

    #[test]
    fn any_text_survives_the_table() {
        for target in ["/#x", "/a\\b", "/a\\040b", "/ä ö"] {
            assert_eq!(entry(&with("", &wanted(target)), target), Some(wanted(target)), "{target}");
        }
    }
}
