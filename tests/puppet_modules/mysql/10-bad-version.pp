# A version that is no version.
class { 'mysql::server':
  package_ensure => 'newest',
}
