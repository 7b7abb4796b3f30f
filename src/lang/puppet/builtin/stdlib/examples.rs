//! Calls of these functions and what they give; a test evaluates each of them.

/// Name, call and value.
pub const EXAMPLES: &[(&str, &str, &str)] = &[
    ("any2array", "any2array({'a' => 1})", "['a', 1]"),
    ("any2bool", "any2bool('yes')", "true"),
    (
        "apache::authz_core_config",
        "apache::authz_core_config({'require_all' => {'require' => ['all granted']}})",
        "['  <RequireAll>', '    Require all granted', '  </RequireAll>']",
    ),
    ("apache::bool2httpd", "apache::bool2httpd(true)", "'On'"),
    ("apache::pw_hash", "apache::pw_hash('test')", "'{SHA}qUqP5cyxm6YcTAhz05Hph5gvu9M='"),
    ("base64", "base64('encode', 'thestring')", "\"dGhlc3RyaW5n\\n\""),
    ("basename", "basename('/a/b.conf', '.conf')", "'b'"),
    ("bool2num", "bool2num('no')", "0"),
    ("bool2str", "bool2str(true, 'on', 'off')", "'on'"),
    ("clamp", "clamp('24', [575, 187])", "187"),
    ("concat", "concat(['a'], 'b', ['c'])", "['a', 'b', 'c']"),
    ("convert_base", "convert_base('254', 16)", "'fe'"),
    ("count", "count(['a', '', 'a'], 'a')", "2"),
    ("deep_merge", "deep_merge({'a' => {'b' => 1}}, {'a' => {'c' => 2}})", "{'a' => {'b' => 1, 'c' => 2}}"),
    ("defined_with_params", "defined_with_params('User[none]')", "false"),
    ("delete", "delete(['a', 'b', 'a'], 'a')", "['b']"),
    ("delete_at", "delete_at(['a', 'b'], 0)", "['b']"),
    ("delete_regex", "delete_regex(['abf', 'ab'], 'ab')", "['abf']"),
    ("delete_undef_values", "delete_undef_values(['a', undef])", "['a']"),
    ("delete_values", "delete_values({'a' => 'x', 'b' => 'y'}, 'x')", "{'b' => 'y'}"),
    ("difference", "difference(['a', 'b'], ['b'])", "['a']"),
    ("dirname", "dirname('/a/b')", "'/a'"),
    ("dos2unix", "dos2unix(\"a\\r\\nb\")", "\"a\\nb\""),
    ("enclose_ipv6", "enclose_ipv6(['::1', '127.0.0.1'])", "['[::1]', '127.0.0.1']"),
    ("fact", "fact('os.family')", "'Debian'"),
    ("fqdn_uuid", "fqdn_uuid('puppetlabs.com')", "'9c70320f-6815-5fc5-ab0f-debe68bf764c'"),
    ("getparam", "getparam('User[none]', 'uid')", "''"),
    ("grep", "grep(['aa', 'b'], 'a')", "['aa']"),
    ("has_key", "has_key({'a' => 1}, 'a')", "true"),
    ("intersection", "intersection(['a', 'b'], ['b', 'c'])", "['b']"),
    ("is_a", "is_a(5, Integer)", "true"),
    ("join_keys_to_values", "join_keys_to_values({'a' => 1, 'b' => [2, 3]}, '=')", "['a=1', 'b=2', 'b=3']"),
    ("member", "member(['a', 'b'], ['a'])", "true"),
    (
        "mysql::innobackupex_args",
        "mysql::innobackupex_args('u', true, 'p', [], ['-v'])",
        "'--user=\"u\" --password=\"p\" --compress -v'",
    ),
    ("mysql::normalise_and_deepmerge", "mysql::normalise_and_deepmerge({'a-b' => 1}, {'a_b' => 2})", "{'a_b' => 2}"),
    ("mysql::password", "mysql::password('hello')", "'*6B4F89A54E2D27ECD7E8DA05B4AB8FD9D1D8B119'"),
    ("mysql::strip_hash", "mysql::strip_hash({'a' => '', 'b' => {'c' => ''}})", "{'b' => {}}"),
    ("num2bool", "num2bool('2')", "true"),
    ("parsejson", "parsejson('{\"a\": 1}')", "{'a' => 1}"),
    ("parseyaml", "parseyaml('a: [1]')", "{'a' => [1]}"),
    ("pick", "pick(undef, '', 'a')", "'a'"),
    ("pick_default", "pick_default('', 'b')", "'b'"),
    ("prefix", "prefix(['a', 'b'], 'p')", "['pa', 'pb']"),
    ("pw_hash", "pw_hash('test', 'SHA-256', 'salt')", "'$5$salt$lNwM/2EW94.5e484ZZwetUClB7.Z/Z3buPmQvXdPEj4'"),
    ("range", "range('host08', 'host10')", "['host08', 'host09', 'host10']"),
    ("regexpescape", "regexpescape('a.b')", "'a\\\\.b'"),
    ("reject", "reject(['aa', 'b'], 'a')", "['b']"),
    ("reverse", "reverse('abc')", "'cba'"),
    ("shell_join", "shell_join(['a b', 'c'])", "'a\\\\ b c'"),
    ("shell_split", "shell_split('a \"b c\"')", "['a', 'b c']"),
    ("squeeze", "squeeze('aabbca')", "'abca'"),
    ("stdlib::batch_escape", "stdlib::batch_escape('a\"b')", "'\"a\"\"b\"'"),
    ("stdlib::crc32", "stdlib::crc32('my string')", "'18fbd270'"),
    ("stdlib::end_with", "stdlib::end_with('foobar', ['bar'])", "true"),
    ("stdlib::extname", "stdlib::extname('a/b.rb')", "'.rb'"),
    ("stdlib::has_function", "stdlib::has_function('pick')", "true"),
    ("stdlib::ip_in_range", "stdlib::ip_in_range('10.1.2.3', '10.0.0.0/8')", "true"),
    ("stdlib::merge", "stdlib::merge({'a' => 1}, {'b' => 2})", "{'a' => 1, 'b' => 2}"),
    ("stdlib::nested_values", "stdlib::nested_values({'a' => {'b' => 1}, 'c' => 2})", "[1, 2]"),
    ("stdlib::os_version_gte", "stdlib::os_version_gte('Debian', '9')", "true"),
    ("stdlib::parsehocon", "stdlib::parsehocon('a { b = 1 }')", "{'a' => {'b' => 1}}"),
    ("stdlib::powershell_escape", "stdlib::powershell_escape('a b')", "'a` b'"),
    ("stdlib::rewrap_sensitive_data", "stdlib::rewrap_sensitive_data({'a' => 1})", "{'a' => 1}"),
    ("stdlib::seeded_rand", "stdlib::seeded_rand(100, 'seed')", "73"),
    ("stdlib::sha256", "stdlib::sha256('a')", "'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'"),
    ("stdlib::shell_escape", "stdlib::shell_escape('a b')", "'a\\\\ b'"),
    ("stdlib::sort_by", "stdlib::sort_by(['bb', 'a']) |$t| { $t.length }", "['a', 'bb']"),
    ("stdlib::start_with", "stdlib::start_with('foobar', 'foo')", "true"),
    ("stdlib::to_json", "stdlib::to_json({'a' => [1, undef]})", "'{\"a\":[1,null]}'"),
    ("stdlib::to_json_pretty", "stdlib::to_json_pretty(['a'])", "\"[\\n  \\\"a\\\"\\n]\\n\""),
    ("stdlib::to_python", "stdlib::to_python({'a' => true})", "'{\"a\": True}'"),
    ("stdlib::to_ruby", "stdlib::to_ruby({'a' => undef})", "'{\"a\" => nil}'"),
    ("stdlib::to_toml", "stdlib::to_toml({'a' => {'b' => 1}})", "\"[a]\\nb = 1\\n\""),
    ("stdlib::to_yaml", "stdlib::to_yaml({'a' => ['yes']})", "\"---\\na:\\n- 'yes'\\n\""),
    ("stdlib::type_of", "stdlib::type_of('a')", "String"),
    ("stdlib::xml_encode", "stdlib::xml_encode('a<b')", "'a&lt;b'"),
    ("str2bool", "str2bool('y')", "true"),
    ("suffix", "suffix(['a', 'b'], 'p')", "['ap', 'bp']"),
    ("swapcase", "swapcase('aBc')", "'AbC'"),
    ("to_bytes", "to_bytes('4 kB')", "4096"),
    ("union", "union(['a'], ['b', 'a'])", "['a', 'b']"),
    ("unix2dos", "unix2dos(\"a\\nb\")", "\"a\\r\\nb\""),
    ("uriescape", "uriescape('a b')", "'a%20b'"),
    ("values_at", "values_at(['a', 'b', 'c'], '1-2')", "['b', 'c']"),
    ("zip", "zip(['1', '2'], ['4', '5'])", "[['1', '4'], ['2', '5']]"),
];

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::EXAMPLES;
    use crate::lang::puppet::convert;
    use crate::lang::puppet::testing::compile_with_modules;

    #[test]
    fn examples_give_what_they_say() {
        for (name, code, wanted) in EXAMPLES {
            assert!(find(name).is_some(), "{name}");
            assert_eq!(convert::inspect(&compile_with_modules(code).1), *wanted, "{code}");
        }
    }
}
