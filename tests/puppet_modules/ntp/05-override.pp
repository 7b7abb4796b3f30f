# A class that changes what the module declares.
class site::time inherits ntp::config {
  File[$ntp::config] {
    backup => '.old',
    mode  => '0444',
  }
}
class { 'ntp':
  servers => ['10.0.0.1'],
}
include site::time
