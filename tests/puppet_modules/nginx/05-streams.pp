# Streams and mail.
class { 'nginx':
  stream              => true,
  mail                => true,
  stream_log_format   => { 'basic' => '$remote_addr $status' },
  stream_custom_format_log => 'basic',
}
nginx::resource::streamhost { 'dns':
  listen_port    => 53,
  listen_options => 'udp',
  proxy          => 'dns_servers',
  proxy_read_timeout => '1s',
  ipv6_enable    => true,
  raw_append     => ['proxy_responses 1;'],
  resolver       => ['10.0.0.2'],
}
nginx::resource::upstream { 'dns_servers':
  context => 'stream',
  members => { 'a' => { 'server' => '10.0.0.2', 'port' => 53 }, 'b' => { 'server' => '10.0.0.3', 'port' => 53 } },
}
nginx::resource::map { 'stream_map':
  context  => 'stream',
  string   => '$ssl_preread_server_name',
  mappings => { 'a' => 'b' },
}
nginx::resource::mailhost { 'mail.example.com':
  listen_port       => 587,
  ssl               => true,
  ssl_port          => 465,
  ssl_cert          => '/etc/ssl/m.pem',
  ssl_key           => '/etc/ssl/m.key',
  starttls          => 'only',
  protocol          => 'smtp',
  auth_http         => 'http://localhost/auth',
  auth_http_header  => 'X-Key secret',
  xclient           => 'off',
  smtp_auth         => 'login plain',
  smtp_capabilities => ['SIZE 1000', 'PIPELINING'],
  mailhost_cfg_append => { 'resolver' => '10.0.0.2', 'a' => { 'b' => ['c', 'd'] } },
}
nginx::resource::mailhost { 'imap':
  listen_port       => 143,
  protocol          => 'imap',
  imap_capabilities => ['IMAP4', 'UIDPLUS'],
  imap_client_buffer => '8k',
  ipv6_enable       => true,
  server_name       => ['imap.example.com', 'mail.example.com'],
  raw_prepend       => 'timeout 5s;',
}
