# Modules with settings of their own.
class { 'apache':
  default_mods        => ['actions', 'rewrite'],
  default_confd_files => false,
  mpm_module          => false,
}
class { 'apache::mod::event':
  startservers        => 4,
  maxrequestworkers   => 300,
  threadsperchild     => 25,
  serverlimit         => 12,
  listenbacklog       => 511,
}
class { 'apache::mod::deflate':
  types => ['text/html', 'text/css'],
  notes => { 'Input' => 'instream', 'Ratio' => 'ratio' },
}
class { 'apache::mod::expires':
  expires_active  => true,
  expires_default => 'access plus 1 day',
  expires_by_type => [{ 'image/png' => 'access plus 1 year' }, { 'text/css' => 'access plus 1 week' }],
}
class { 'apache::mod::status':
  requires        => 'ip 10.0.0.0/8',
  extended_status => 'Off',
  status_path     => '/status',
}
class { 'apache::mod::info':
  allow_from => ['10.0.0.1', '10.0.0.2'],
}
class { 'apache::mod::remoteip':
  header            => 'X-Real-IP',
  internal_proxy    => ['10.0.0.0/8', '127.0.0.1'],
  proxy_protocol    => true,
}
class { 'apache::mod::reqtimeout':
  timeouts => ['header=10-20,minrate=100', 'body=5'],
}
class { 'apache::mod::mime':
  mime_types_additional => { 'AddHandler' => { 'type-map' => 'var' }, 'AddType' => { 'text/x' => ['.x', '.y'] } },
}
class { 'apache::mod::userdir':
  userdir          => 'www',
  disable_root     => true,
  options          => ['Indexes'],
}
class { 'apache::mod::dir':
  indexes => ['index.html', 'index.cgi'],
}
class { 'apache::mod::alias':
  icons_options => 'None',
}
class { 'apache::mod::autoindex': }
class { 'apache::mod::negotiation':
  language_priority       => ['en', 'de'],
  force_language_priority => 'Prefer',
}
class { 'apache::mod::setenvif': }
