# Rules below a temporary folder, to look at. Run it from the folder above `modules/`:
# workbench preview modules/puppet/logrotate/example.pp --module-path modules/puppet
file { '/tmp/workbench-puppet-logrotate':
  ensure => directory,
}

class { 'logrotate':
  folder => '/tmp/workbench-puppet-logrotate',
  rules  => {
    'harbour' => { 'logs' => '/var/log/harbour/*.log', 'every' => 'daily', 'keep' => 30 },
    'cranes'  => { 'logs' => ['/var/log/cranes.log', '/var/log/crane-*.log'], 'after' => 'systemctl reload cranes' },
    'rowing'  => { 'logs' => '/var/log/rowing.log', 'ensure' => 'absent' },
  },
}
