//! Calls of the functions and what they give; a test evaluates each of them.

/// Name, call and value.
pub const EXAMPLES: &[(&str, &str, &str)] = &[
    ("abs", "abs(-3)", "3"),
    ("all", "[1, 2].all |$n| { $n > 1 }", "false"),
    ("any", "[1, 2].any |$n| { $n > 1 }", "true"),
    ("assert_type", "assert_type(Integer, 4)", "4"),
    ("call", "call('upcase', 'a')", "'A'"),
    ("camelcase", "camelcase('host_name')", "'HostName'"),
    ("capitalize", "capitalize('harbour')", "'Harbour'"),
    ("ceiling", "ceiling(2.1)", "3"),
    ("chomp", "chomp(\"a\\n\")", "'a'"),
    ("chop", "chop('ab')", "'a'"),
    ("compare", "compare('a', 'B')", "-1"),
    ("convert_to", "'7'.convert_to(Integer)", "7"),
    ("defined", "defined('file')", "true"),
    ("dig", "{'a' => [1, 2]}.dig('a', 1)", "2"),
    ("downcase", "downcase('ABC')", "'abc'"),
    ("each", "[1, 2].each |$n| { notice($n) }", "[1, 2]"),
    ("empty", "empty([])", "true"),
    ("filter", "[1, 2, 3].filter |$n| { $n > 1 }", "[2, 3]"),
    ("flatten", "flatten([1, [2, [3]]])", "[1, 2, 3]"),
    ("floor", "floor(2.9)", "2"),
    ("get", "get({'a' => [5]}, 'a.0')", "5"),
    ("getvar", "getvar('nothing', 'none')", "'none'"),
    ("group_by", "['a', 'bb', 'c'].group_by |$t| { $t.length }", "{1 => ['a', 'c'], 2 => ['bb']}"),
    ("index", "['a', 'b'].index('b')", "1"),
    ("inline_epp", "inline_epp('<%= 1 + 1 %>')", "'2'"),
    ("join", "join(['a', 'b'], '-')", "'a-b'"),
    ("keys", "keys({'a' => 1})", "['a']"),
    ("length", "length('four')", "4"),
    ("lest", "undef.lest || { 1 }", "1"),
    ("lstrip", "lstrip('  a ')", "'a '"),
    ("map", "[1, 2].map |$n| { $n * 2 }", "[2, 4]"),
    ("match", "match('v12', /(\\d)(\\d)/)", "['12', '1', '2']"),
    ("max", "max(1, 3, 2)", "3"),
    ("md5", "md5('a')", "'0cc175b9c0f1b6a831c399e269772661'"),
    ("min", "min(1, 3, 2)", "1"),
    ("new", "Integer.new('0x1F')", "31"),
    ("partition", "[1, 2, 3].partition |$n| { $n > 1 }", "[[2, 3], [1]]"),
    ("reduce", "[1, 2, 3].reduce |$sum, $n| { $sum + $n }", "6"),
    ("regsubst", "regsubst('a.b', '\\.', '-')", "'a-b'"),
    ("round", "round(2.5)", "3"),
    ("rstrip", "rstrip(' a  ')", "' a'"),
    ("sha1", "sha1('a')", "'86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'"),
    ("sha256", "sha256('a')", "'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'"),
    ("shellquote", "shellquote('a b', 'c')", "'\"a b\" c'"),
    ("size", "size([1, 2])", "2"),
    ("slice", "[1, 2, 3].slice(2)", "[[1, 2], [3]]"),
    ("sort", "sort(['b', 'a'])", "['a', 'b']"),
    ("split", "split('a,b', ',')", "['a', 'b']"),
    ("sprintf", "sprintf('%03d', 7)", "'007'"),
    ("step", "Array([1, 2, 3, 4].step(2))", "[1, 3]"),
    ("strftime", "strftime(Timestamp(0), '%Y')", "'1970'"),
    ("strip", "strip(' a ')", "'a'"),
    ("then", "5.then |$n| { $n + 1 }", "6"),
    ("type", "type('x')", "String"),
    ("unique", "unique([1, 1, 2])", "[1, 2]"),
    ("unwrap", "unwrap(Sensitive('a'))", "'a'"),
    ("upcase", "upcase('abc')", "'ABC'"),
    ("values", "values({'a' => 1})", "[1]"),
    ("versioncmp", "versioncmp('1.2', '1.10')", "-1"),
    ("with", "with(1, 2) |$a, $b| { $a + $b }", "3"),
];

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::EXAMPLES;
    use crate::lang::puppet::convert;
    use crate::lang::puppet::testing::compile;

    #[test]
    fn examples_give_what_they_say() {
        for (name, code, wanted) in EXAMPLES {
            assert!(find(name).is_some(), "{name}");
            assert_eq!(convert::inspect(&compile(code).1), *wanted, "{code}");
        }
    }
}
