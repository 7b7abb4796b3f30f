# A package that two places want different.
package { 'a':
  ensure => absent,
}
ensure_resource('package', 'a', { 'ensure' => 'present' })
