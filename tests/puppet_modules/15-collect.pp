# Virtual resources, collectors and overrides over packages of modules.
class base {
  @user { 'deploy':
    ensure => present,
    tag    => ['ops'],
    groups => ['adm'],
  }
  @package { ['htop', 'strace']:
    ensure => installed,
    tag    => 'ops',
  }
  User <| tag == 'ops' |> { shell => '/bin/sh' }
}
class base::more inherits base {
  realize(Package['htop'])
  Package <| title == 'strace' |> -> User['deploy']
}
include base::more
class { 'ntp':
  package_manage => false,
  service_enable => false,
}
if defined_with_params(Package['htop'], { 'ensure' => 'installed' }) {
  notify { 'htop is there': }
}
