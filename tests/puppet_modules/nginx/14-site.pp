# Services of a site behind one server, from one table.
class profile::web(
  Hash[String, Struct[{ port => Stdlib::Port, Optional[paths] => Array[String], Optional[tls] => Boolean }]] $apps,
) {
  include nginx
  $apps.each |$name, $app| {
    $tls = pick($app['tls'], false)
    nginx::resource::upstream { $name:
      members => { "${name}.local" => { 'server' => '127.0.0.1', 'port' => $app['port'] } },
    }
    nginx::resource::server { "${name}.example.com":
      proxy    => "http://${name}",
      ssl      => $tls,
      ssl_cert => if $tls { "/etc/ssl/${name}.pem" },
      ssl_key  => if $tls { "/etc/ssl/${name}.key" },
    }
    pick($app['paths'], []).each |$i, $path| {
      nginx::resource::location { "${name} ${i}":
        server    => "${name}.example.com",
        location  => $path,
        proxy     => "http://${name}${path}",
        priority  => 410 + $i,
        ssl       => $tls,
        ssl_only  => $tls,
      }
    }
  }
}
class { 'profile::web':
  apps => {
    'shop' => { 'port' => 3000, 'paths' => ['/cart', '/api'], 'tls' => true },
    'blog' => { 'port' => 3001 },
  },
}
Nginx::Resource::Server <| title == 'blog.example.com' |> {
  access_log => 'off',
}
