# The server alone, with settings.
class { 'nginx':
  manage_repo          => false,
  worker_processes     => 'auto',
  client_max_body_size => '512M',
  server_purge         => true,
}
