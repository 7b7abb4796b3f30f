# A Ruby application, Kerberos, single sign-on and a filter of requests.
class { 'apache':
  default_vhost => false,
}
apache::vhost { 'ruby.example.com':
  port                          => 80,
  docroot                       => '/srv/ruby/public',
  passenger_enabled             => true,
  passenger_app_root            => '/srv/ruby',
  passenger_app_env             => 'production',
  passenger_min_instances       => 2,
  passenger_pre_start           => ['http://ruby.example.com/', 'http://localhost/'],
  passenger_ruby                => '/usr/bin/ruby',
  passenger_sticky_sessions     => true,
  passenger_high_performance    => false,
}
apache::vhost { 'krb.example.com':
  port            => 80,
  docroot         => '/srv/krb',
  auth_kerb       => true,
  krb_auth_realms => ['EXAMPLE.COM', 'LOCAL'],
  krb_5keytab     => '/etc/krb5.keytab',
}
apache::vhost { 'oidc.example.com':
  port          => 80,
  docroot       => '/srv/oidc',
  auth_oidc     => true,
  oidc_settings => {
    'ProviderMetadataURL' => 'https://id.example.com/.well-known/openid-configuration',
    'ClientID'            => 'web',
    'RedirectURI'         => 'https://oidc.example.com/cb',
    'CryptoPassphrase'    => 'long secret',
  },
}
apache::vhost { 'modsec.example.com':
  port                    => 80,
  docroot                 => '/srv/modsec',
  modsec_disable_vhost    => true,
  modsec_disable_ids      => { '/' => [1, 2], '/x' => [90015] },
  modsec_disable_ips      => ['10.0.0.1'],
  modsec_disable_msgs     => ['Blind SQL'],
  modsec_disable_tags     => { '/y' => ['WEB'] },
  modsec_audit_log        => true,
  modsec_body_limit       => '1000',
}
apache::vhost { 'itk.example.com':
  port                    => 80,
  docroot                 => '/srv/itk',
  jk_mounts               => [{ 'mount' => '/*', 'worker' => 'w' }, { 'unmount' => '/*.gif', 'worker' => 'w' }],
  shib_compat_valid_user  => 'On',
  cas_sso_enabled         => true,
  cas_login_url           => 'https://cas.example.com/login',
}
