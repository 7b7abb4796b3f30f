# Caches, protocols, authentication and a firewall of requests.
class { 'apache':
  mpm_module => 'event',
}
class { 'apache::mod::http2':
  h2_max_session_streams => 50,
  h2_push                => true,
}
class { 'apache::mod::ssl':
  ssl_compression         => false,
  ssl_options             => ['StdEnvVars'],
  ssl_protocol            => ['TLSv1.2', 'TLSv1.3'],
  ssl_cipher              => { 'TLSv1.3' => 'TLS_AES_256_GCM_SHA384', 'SSL' => 'HIGH' },
  ssl_honorcipherorder    => true,
  ssl_stapling            => true,
  ssl_sessiontickets      => false,
  ssl_sessioncachetimeout => 600,
}
class { 'apache::mod::security':
  modsec_secruleengine => 'DetectionOnly',
  activated_rules      => ['/usr/share/modsecurity-crs/a.conf'],
}
class { 'apache::mod::cache': }
class { 'apache::mod::cache_disk':
  cache_root => '/var/cache/x',
}
class { 'apache::mod::ldap':
  ldap_trusted_global_cert_file => '/etc/ssl/ldap.pem',
  ldap_opcache_ttl              => 60,
}
class { 'apache::mod::authnz_ldap':
  verify_server_cert => false,
}
class { 'apache::mod::auth_cas':
  cas_login_url    => 'https://cas.example.com/login',
  cas_validate_url => 'https://cas.example.com/validate',
}
class { 'apache::mod::watchdog': }
class { 'apache::mod::proxy_balancer':
  manager => true,
}
include apache::mod::dav
include apache::mod::dav_fs
class { 'apache::mod::wsgi':
  wsgi_python_home => '/srv/venv',
  wsgi_socket_prefix => '/run/wsgi',
}
class { 'apache::mod::passenger':
  passenger_max_pool_size => 12,
  passenger_root          => '/usr/lib/passenger',
}
