# Backups with dumps every night.
class { 'mysql::server':
  root_password => 'x',
}
class { 'mysql::server::backup':
  backupuser        => 'backup',
  backuppassword    => 'secret',
  backupdir         => '/var/backups/mysql',
  backupdatabases   => ['shop', 'blog'],
  file_per_database => true,
  backuprotate      => 7,
  time              => ['2', '30'],
  prescript         => ['/bin/true', '/bin/date'],
  postscript        => '/bin/sync',
  optional_args     => ['--single-transaction', '--quick'],
  compression_command   => 'gzip -c',
  compression_extension => '.gz',
  include_routines  => true,
  include_triggers  => true,
  excludedatabases  => [],
}
