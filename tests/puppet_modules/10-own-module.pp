# Functions of stdlib in conditions, loops and defaults.
$servers = pick($facts['none_there'], ['b', 'a', 'b'])
$unique = unique($servers)
$options = deep_merge({ 'log' => { 'level' => 'info' } }, { 'log' => { 'file' => '/var/log/x' } })
file { '/etc/x':
  ensure => directory,
}
$unique.each |$name| {
  file { "/etc/x/${name}.json":
    content => stdlib::to_json_pretty($options + { 'name' => $name }),
  }
}
file { '/etc/x/all.yaml':
  content => stdlib::to_yaml({ 'servers' => $servers, 'options' => $options }),
}
file { '/etc/x/all.toml':
  content => stdlib::to_toml({ 'options' => $options }),
}
if member($servers, 'a') and !empty(difference($servers, ['a'])) {
  notify { join(suffix(prefix($unique, '<'), '>'), ','): }
}
if fact('os.family') == 'Debian' {
  exec { shell_join(['echo', 'a b', "it's"]):
    path => '/bin:/usr/bin',
  }
}
