# Backups of the files of a server whose version is not among the facts.
class { 'mysql::server':
  package_ensure => '8.0.36',
  root_password => 'x',
}
class { 'mysql::server::backup':
  backupuser          => 'backup',
  backuppassword      => Sensitive('secret'),
  provider            => 'xtrabackup',
  backupmethod_package => 'percona-xtrabackup-80',
  backupdir           => '/var/backups/x',
  backuprotate        => 15,
  execpath            => '/usr/bin:/bin',
  time                => [23, 15],
  incremental_backups => false,
  optional_args       => ['--parallel=4'],
  prescript           => '/bin/true',
}
