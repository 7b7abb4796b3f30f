# Resources of the types of the module `web`, in a folder below /tmp.
$folder = '/tmp/workbench-puppet-types-demo'

file { [$folder, "${folder}/sites"]:
  ensure => directory,
}

web::site { 'harbour':
  aliases => ['www.harbour', 'boats.harbour'],
  root    => '/srv/harbour',
}

web::site { 'cranes':
  port     => 8080,
  upstream => '127.0.0.1:8081',
}

Web::Ini_entry {
  require => File[$folder],
}

web::ini_entry {
  'workers': value => 4;
  'log':     value => 'info';
  'debug':   ensure => absent;
}

File["${folder}/sites"] -> Web::Site <| |>
