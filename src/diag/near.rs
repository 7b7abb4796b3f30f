//! The name that was probably meant: one rule for every "did you mean".

/// The nearest of `names` by edits, if any is near enough; the first of equals.
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
    names
        .into_iter()
        .filter(|name| {
            *name != wanted && name.len().abs_diff(wanted.len()) <= (letters / 3).max(1) * 4 && name.len() <= LONGEST
        })
        .map(|name| (strsim::osa_distance(&lower, &name.to_lowercase()), name))
        .filter(|(edits, name)| *edits <= allowed(name) && *edits < letters.max(name.chars().count()))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
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
        assert_eq!(nearest("", []), None);
        assert_eq!(nearest(&"a".repeat(5_000_000), ["a", "b"]), None);
    }
}
