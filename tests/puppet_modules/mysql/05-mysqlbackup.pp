# Backups with a tool whose class lacks a parameter that the module passes on.
class { 'mysql::server': }
class { 'mysql::server::backup':
  backupuser     => 'backup',
  backuppassword => 'secret',
  backupdir      => '/var/backups/e',
  provider       => 'mysqlbackup',
}
