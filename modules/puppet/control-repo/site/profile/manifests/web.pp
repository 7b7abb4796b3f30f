# Pages and their server.
class profile::web (
  Integer[1, 65535] $port,
  String[1] $service,
  Hash[String[1], String[1]] $pages,
) {
  $root = $profile::base::root

  file { "${root}/htdocs":
    ensure => directory,
    mode   => '0755',
  }

  $pages.each |$name, $title| {
    file { "${root}/htdocs/${name}.html":
      ensure  => file,
      content => "<h1>${title}</h1>\n",
    }
  }

  file { "${root}/server.conf":
    ensure  => file,
    content => "service ${service}\nlisten ${port}\n",
  }
}
