//! What the types of values are, a sentence each.

/// Types with what a value of them is; parameters as they are written.
const TYPES: &[(&str, &str, &str)] = &[
    ("Any", "", "Every value, also undef."),
    ("Array", "[TYPE, MIN, MAX]", "A list whose elements are all of one type."),
    ("Binary", "", "Bytes, written as Base64."),
    ("Boolean", "[true or false]", "true or false."),
    ("Callable", "[TYPE…, MIN, MAX, BLOCK]", "A lambda or function with such parameters."),
    ("CatalogEntry", "", "A reference to a resource or a class."),
    ("Class", "[NAME]", "A reference to a class."),
    ("Collection", "[MIN, MAX]", "A list or a hash of a size."),
    ("Data", "", "What JSON can hold: text, numbers, true, false, undef, lists, and hashes by text."),
    ("Default", "", "The word default."),
    ("Deferred", "", "A call that runs when the catalog is applied."),
    ("Enum", "[TEXT…]", "One of several texts; with `true` at the end, upper and lower case are the same."),
    ("Float", "[FROM, TO]", "A number with a fraction, within bounds."),
    ("Hash", "[KEY, VALUE, MIN, MAX]", "Entries whose keys and values are each of one type."),
    ("Init", "[TYPE, ARGUMENT…]", "A value that a type can be made of with `new`."),
    ("Integer", "[FROM, TO]", "A whole number of 64 bits, within bounds."),
    ("Iterable", "[TYPE]", "A value that `each` takes: lists, hashes, texts, ranges of numbers."),
    ("Iterator", "[TYPE]", "What `reverse_each`, `step` and `tree_each` give."),
    ("NotUndef", "[TYPE]", "The same without undef."),
    ("Numeric", "", "An Integer or a Float."),
    ("Object", "[{…}]", "A type of its own, with attributes."),
    ("Optional", "[TYPE]", "The same, or undef."),
    ("Pattern", "[/…/, …]", "A text that matches one of several regular expressions."),
    ("Regexp", "[/…/]", "A regular expression."),
    ("Resource", "[TYPE, TITLE]", "A reference to a resource, such as `File['/x']`."),
    ("RichData", "", "Data, and also types, times, versions, sensitive values and bytes."),
    ("Scalar", "", "One value: text, number, true, false, expression, time or version."),
    ("ScalarData", "", "Text, a number, true or false."),
    ("SemVer", "[RANGE…]", "A version such as 1.2.3, within ranges."),
    ("SemVerRange", "", "A range of versions, such as `>=1.2.0 <2.0.0`."),
    ("Sensitive", "[TYPE]", "A value that is never shown."),
    ("String", "[MIN, MAX]", "Text, of a length."),
    ("Struct", "[{KEY => TYPE}]", "A hash with named keys; `Optional['KEY']` may be missing."),
    ("Timespan", "[FROM, TO]", "A duration, within bounds."),
    ("Timestamp", "[FROM, TO]", "A point in time, within bounds."),
    ("Tuple", "[TYPE…, MIN, MAX]", "A list with a type for each place; the last one repeats."),
    ("Type", "[TYPE]", "A type as a value."),
    ("TypeSet", "[{…}]", "Several types with a version."),
    ("URI", "[PARTS]", "An address such as https://example.com/."),
    ("Undef", "", "Only undef."),
    ("Variant", "[TYPE…]", "A value of one of several types."),
];

/// The names of the described types.
pub fn described() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|(name, ..)| *name)
}

/// How a type is written, and what it is.
pub fn doc(name: &str) -> Option<(String, &'static str)> {
    let (name, params, doc) = TYPES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
    Some((format!("{name}{params}"), doc))
}

#[cfg(test)]
mod tests {
    use super::TYPES;
    use crate::lang::puppet::types::named;

    #[test]
    fn described_types_exist_and_are_sorted() {
        assert!(TYPES.iter().all(|(name, ..)| named(name).is_some()));
        assert!(TYPES.is_sorted_by_key(|(name, ..)| *name));
    }
}
