//! The name that was probably meant: one rule for every "did you mean".

/// The nearest of `names` by edits, if any is near enough; the first of equals. If none is, a name that is only longer or
/// shorter, or that has another ending.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer names have no near names: the comparison is quadratic in their length.
    const LONGEST: usize = 200;
    if wanted.len() > LONGEST {
        return None;
    }
    // A third of the letters of the shorter may be wrong, and at least one: enough for typos, too few for other words.
    let letters = wanted.chars().count();
    let allowed = |name: &str| (letters.min(name.chars().count()) / 3).max(1);
    let lower = wanted.to_lowercase();
    let tried: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| {
            *name != wanted && name.len().abs_diff(wanted.len()) <= (letters / 3).max(1) * 4 && name.len() <= LONGEST
        })
        .map(|name| (strsim::osa_distance(&lower, &name.to_lowercase()), name))
        .collect();
    let near = tried
        .iter()
        .filter(|(edits, name)| *edits <= allowed(name) && *edits < letters.max(name.chars().count()))
        .min_by_key(|(edits, _)| *edits);
    near.or_else(|| {
        tried.iter().filter(|(_, name)| is_variant(&lower, &name.to_lowercase())).min_by_key(|(edits, _)| *edits)
    })
    .map(|(_, name)| *name)
}

/// Whether one name is the other with something before or behind it, or both differ in their ending only.
fn is_variant(a: &str, b: &str) -> bool {
    let (short, long) = if a.chars().count() <= b.chars().count() { (a, b) } else { (b, a) };
    let (few, many) = (short.chars().count(), long.chars().count());
    let same = short.chars().zip(long.chars()).take_while(|(a, b)| a == b).count();
    // A folder, or a name without its module, is another thing.
    let more = long.strip_prefix(short).or(long.strip_suffix(short));
    let is_part = few >= 4 && many - few <= (few / 2).max(3) && more.is_some_and(|more| !more.contains(['/', ':']));
    is_part || few >= 5 && same * 2 >= many && strsim::osa_distance(short, long) <= 2
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        assert_eq!(nearest("sites", ["site", "sight", "other"]), Some("site"));
        assert_eq!(nearest("mian.mcl", ["main.mcl", "metadata.yaml"]), Some("main.mcl"));
        assert_eq!(nearest("Printf", ["sprint", "printf"]), Some("printf"));
        assert_eq!(nearest("entirely", ["different"]), None);
        assert_eq!(nearest("a", ["b"]), None);
        // A name with one letter may have one too many.
        assert_eq!(nearest("aa", ["a", "x"]), Some("a"));
        assert_eq!(nearest("nothere", ["other", "there_not"]), None);
        assert_eq!(nearest("match", ["age", "matches"]), Some("matches"));
        assert_eq!(nearest("monitoring", ["monitor", "mon"]), Some("monitor"));
        assert_eq!(nearest("denys", ["permits", "denies"]), Some("denies"));
        assert_eq!(nearest("webhost", ["web", "host"]), Some("host"));
        assert_eq!(nearest("server", ["service"]), None);
        assert_eq!(nearest("", []), None);
        assert_eq!(nearest(&"a".repeat(5_000_000), ["a", "b"]), None);
    }
}
