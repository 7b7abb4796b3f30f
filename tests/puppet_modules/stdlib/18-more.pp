# Functions that read files of the module path, check values, and the stages.
class { 'stdlib': }
include stdlib::stages
class early {
  notify { 'early': }
}
class { 'early':
  stage => 'setup',
}
validate_email_address('a@example.com', 'b.c@example.org')
stdlib::validate_domain_name('example.com', 'www.example.com')
$meta = load_module_metadata('concat')
$home = get_module_path('stdlib')
notify { 'meta':
  message => [$meta['name'], $meta['dependencies'].length],
}
notify { 'yaml':
  message => loadyaml("${home}/none.yaml", { 'x' => 'y' }),
}
notify { 'json':
  message => loadjson("${home}/metadata.json")['author'],
}
notify { 'glob':
  message => glob(["${home}/types/ip*", "${home}/types/port.pp"]).map |$file| { basename($file) },
}
notify { 'is_a':
  message => ['a'.is_a(String), 1.is_a(Integer[2]), stdlib::has_function('pick'), stdlib::has_function('none')],
}
notify { 'merge':
  message => {
    'lookup' => lookup('none', Hash, 'deep', { 'd' => [1, 2] }),
    'strftime' => Timestamp('2024-02-03T04:05:06', '%FT%T').strftime('%d.%m.%Y'),
  },
}
$nested = {
  'servers' => [
    { 'name' => 'a', 'roles' => ['web', 'db'] },
    { 'name' => 'b', 'roles' => [] },
  ],
}
$by_role = $nested['servers'].reduce({}) |$memo, $server| {
  $memo + $server['roles'].reduce({}) |$inner, $role| { $inner + { $role => [$server['name']] } }
}
notify { 'roles':
  message => $by_role,
}
notify { 'core':
  message => [
    $nested.dig('servers', 0, 'roles', -1), $nested.get('servers.1.name'), ['c', 'a', 'B'].sort, [1, 10, 9].max, [[1, 2], [3]].flatten.length,
  ],
}
