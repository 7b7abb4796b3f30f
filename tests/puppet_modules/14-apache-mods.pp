# Modules of the web server, a balancer and a custom configuration.
class { 'apache':
  mpm_module    => 'prefork',
  default_vhost => false,
}
include apache::mod::status
include apache::mod::rewrite
include apache::mod::proxy
include apache::mod::proxy_http
class { 'apache::mod::ssl':
  ssl_protocol => ['all', '-SSLv3'],
}
apache::custom_config { 'extra':
  content => "ServerTokens Prod\n",
}
