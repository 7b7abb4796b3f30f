# Resources that functions declare.
ensure_packages(['git', 'curl'])
ensure_packages({ 'vim' => { 'ensure' => 'latest' } }, { 'provider' => 'apt' })
stdlib::ensure_packages('make', { 'ensure' => 'present', 'before' => Notify['made'] })
ensure_resource('file', '/etc/a', { 'ensure' => 'file', 'mode' => '0644' })
ensure_resource('file', '/etc/a', { 'ensure' => 'file', 'mode' => '0644' })
ensure_resource('service', ['x', 'y'], { 'ensure' => 'running' })
ensure_resources('user', { 'a' => { 'uid' => '1001' }, 'b' => {} }, { 'ensure' => 'present', 'managehome' => true })
notify { 'made':
  message => getparam(File['/etc/a'], 'mode'),
}
if defined_with_params(File['/etc/a'], { 'mode' => '0644' }) and !defined_with_params(File['/etc/a'], { 'mode' => '0600' }) {
  notify { 'defined': }
}
file_line { 'match for absence':
  ensure            => absent,
  path              => '/etc/bashrc',
  match             => '^export\ X=',
  match_for_absence => true,
  multiple          => true,
}
file_line { 'after':
  path               => '/etc/hosts',
  line               => '10.0.0.1 a',
  after              => '^127',
  replace            => false,
  encoding           => 'iso-8859-1',
  append_on_no_match => false,
  require            => File['/etc/a'],
}
$ensure = stdlib::ensure(true)
service { 'z':
  ensure => stdlib::ensure(false, 'service'),
  enable => false,
}
file { '/etc/b':
  ensure => stdlib::ensure(true, 'file'),
}
package { 'w':
  ensure => stdlib::ensure(true, 'package'),
}
notify { "all ${ensure}": }
file { '/etc/c':
  ensure => directory,
}
$dependency = stdlib::str2resource('File[/etc/c]')
notify { 'last':
  require => $dependency,
}
