# A role of a site: a wrapper with defaults around hosts.
define site::host(
  Stdlib::Fqdn $domain                = $title,
  Stdlib::Unixpath $root              = "/srv/${domain}",
  Array[Stdlib::Fqdn] $names          = [],
  Boolean $tls                        = false,
  Optional[Hash[String, String]] $env = undef,
) {
  include apache
  $setenv = $env ? {
    undef   => [],
    default => $env.map |$key, $value| { "${key} ${value}" },
  }
  apache::vhost { $domain:
    port          => $tls ? { true => 443, default => 80 },
    ssl           => $tls,
    docroot       => $root,
    serveraliases => $names,
    setenv        => $setenv,
    priority      => $tls.bool2num + 20,
    directories   => [{ 'path' => $root, 'require' => 'all granted', 'allow_override' => ['None'] }],
  }
  file { "${root}/index.html":
    content => inline_epp("<h1><%= \$domain %></h1>\n<% \$names.each |\$name| { -%>\n<p><%= \$name %></p>\n<% } -%>\n", {
      'domain' => $domain,
      'names'  => $names,
    }),
    require => Apache::Vhost[$domain],
  }
}
Apache::Vhost {
  log_level => 'notice',
}
$hosts = {
  'one.example.com' => { 'names' => ['www.one.example.com'], 'env' => { 'MODE' => 'x', 'LEVEL' => '2' } },
  'two.example.com' => { 'tls' => true },
}
create_resources('site::host', $hosts, { 'env' => { 'DEFAULT' => 'yes' } })
Service['apache2'] -> notify { 'up': }
