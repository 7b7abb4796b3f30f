# A small web site of a harbour. It writes only below $folder.
class demo (
  String[1] $folder = '/tmp/workbench-puppet-demo',
  Integer[1, 65535] $port = 8080,
  Array[Demo::Entry] $pages = [
    { 'name' => 'index', 'title' => 'Harbour' },
    { 'name' => 'ships', 'title' => 'Ships' },
    { 'name' => 'tides', 'title' => 'Tides' },
  ],
) {
  # Defaults of all files below.
  File {
    mode => '0644',
  }

  # The mode of a folder gets an `x` for each `r`: only the owner enters these.
  file { [$folder, "${folder}/htdocs"]:
    ensure => directory,
    mode   => '0600',
  }

  # Every page is a resource of the define `demo::page`.
  $pages.each |$page| {
    demo::page { $page['name']:
      title_text => $page['title'],
      folder     => "${folder}/htdocs",
      links      => $pages.filter |$other| { $other['name'] != $page['name'] },
    }
  }

  file { "${folder}/htdocs/robots.txt":
    source => 'puppet:///modules/demo/robots.txt',
  }

  # The class holds the configuration and the server, so that orders reach all of it.
  contain demo::server

  Demo::Page <| |> -> Class['demo::server']

  notify { 'open':
    message => "open http://localhost:${port}/",
    require => Class['demo::server'],
  }
}
