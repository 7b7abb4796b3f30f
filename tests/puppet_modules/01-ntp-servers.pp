# The time service with servers and restrictions of its own.
class { 'ntp':
  servers   => ['ntp1.example.com', 'ntp2.example.com'],
  restrict  => ['default ignore', '127.0.0.1'],
  driftfile => '/var/lib/ntp/drift',
  logfile   => '/var/log/ntp.log',
}
