# A module for processes that there is not.
class { 'apache':
  mpm_module => 'threads',
}
