# Functions over lists and hashes.
$h = { 'a' => 1, 'b' => { 'c' => [1, 2, { 'd' => 'e' }] }, 'f' => 'g' }
$r = {
  'clamp'      => [clamp('24', [575, 187]), clamp(16, 88, 661), clamp([4, 3, '99'])],
  'deep'       => deep_merge({ 'a' => { 'b' => 1, 'c' => 2 } }, { 'a' => { 'b' => 3, 'd' => [1] } }, { 'e' => undef }),
  'merge'      => [merge({ 'a' => 1 }, { 'a' => 2, 'b' => 3 }), stdlib::merge({ 'x' => 1 }, undef, '', { 'y' => 2 })],
  'difference' => difference(['a', 'b', 'c'], ['b']),
  'inter'      => intersection(['a', 'b', 'c'], ['b', 'c', 'd']),
  'union'      => union(['a'], ['b', 'a'], ['c']),
  'member'     => [member(['a', 'b'], 'a'), member(['a', 'b'], ['a', 'c'])],
  'join_keys'  => [join_keys_to_values({ 'a' => 1, 'b' => [2, 3] }, '='), join_keys_to_values({ 'x' => undef }, ':')],
  'pick'       => [pick('', undef, 'x'), pick_default('', undef), pick_default(undef, '')],
  'values_at'  => [values_at(['a', 'b', 'c', 'd'], [0, '2-3']), values_at(['a', 'b', 'c'], 1)],
  'zip'        => [zip(['1', '2'], ['3', '4']), zip(['1', '2'], ['3', '4'], true)],
  'nested'     => stdlib::nested_values($h),
  'sort_by'    => [stdlib::sort_by(['cc', 'a', 'bbb']) |$x| { $x.length }, stdlib::sort_by({ 'b' => 1, 'a' => 2 }) |$pair| { $pair[1] }],
  'type_of'    => String(type_of([1, 'a'])),
  'flatten'    => flatten([1, [2, [3]]]),
  'parse'      => [parsejson('{"a": [1, null, true]}'), parsejson('bad', 'default'), parseyaml("a: 1\nb: [x, y]\n"), parseyaml('{', 'z')],
  'hocon'      => parsehocon("a { b = 1, c = [x, y] }"),
  'json'       => [to_json($h), stdlib::to_json({ 'b' => undef, 'a' => 1.5 }), to_json_pretty($h), stdlib::to_json_pretty({ 'a' => undef, 'b' => [] }, true)],
  'yaml'       => [to_yaml($h), stdlib::to_yaml({ 'a' => 'yes', 'b' => '1', 'c' => "multi\nline\n", 'd' => '', 'e' => ':x', 'f' => [[]], 'g' => {} }), stdlib::to_yaml($h, { 'indentation' => 4 })],
  'toml'       => stdlib::to_toml({ 'a' => 1, 'b' => { 'c' => [1, 2], 'd' => { 'e' => true } }, 'f' => 'x"y' }),
  'python'     => [stdlib::to_python({ 'a' => [true, undef, 1.5] }), stdlib::to_ruby({ 'a' => [true, undef, 'x'] })],
  'ip'         => [stdlib::ip_in_range('10.1.2.3', '10.0.0.0/8'), stdlib::ip_in_range('1.2.3.4', ['10.0.0.0/8', '192.168.0.0/16'])],
  'net'        => [stdlib::has_interface_with('eth0'), stdlib::has_interface_with('ipaddress', '10.0.0.5'), has_ip_address('10.0.0.5'), has_ip_network('127.0.0.0')],
  'fact'       => [fact('os.release.major'), fact('none.at.all'), fact('processors.models.1')],
  'os'         => [stdlib::os_version_gte('Debian', '11'), stdlib::os_version_gte('Debian', '13')],
}
$r.each |$name, $value| {
  notify { $name:
    message => $value,
  }
}
