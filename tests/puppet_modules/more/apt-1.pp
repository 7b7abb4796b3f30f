class { 'apt':
  purge   => { 'sources.list' => true, 'sources.list.d' => true, 'preferences' => true },
  update  => { 'frequency' => 'daily', 'loglevel' => 'debug', 'tries' => 3, 'timeout' => 100 },
  proxy   => { 'host' => 'proxy.example.com', 'port' => 3128, 'https' => true },
  sources => { 'backports' => { 'location' => 'http://deb.debian.org/debian', 'release' => 'bookworm-backports', 'repos' => 'main contrib' } },
  pins    => { 'stable' => { 'priority' => 600, 'release' => 'stable' } },
  confs   => { 'norecommends' => { 'priority' => 0, 'content' => 'APT::Install-Recommends 0;' } },
  auth_conf_entries => [{ 'machine' => 'apt.example.com', 'login' => 'u', 'password' => 'p' }],
}
