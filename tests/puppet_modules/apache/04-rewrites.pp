# Rewriting, redirects and environment variables.
class { 'apache':
  default_vhost => false,
  mpm_module    => 'prefork',
}
apache::vhost { 'rewrite.example.com':
  port                 => '80'.convert_to(Integer),
  docroot              => '/srv/rewrite',
  rewrites             => [
    {
      'comment'      => 'One name for the site',
      'rewrite_cond' => ['%{HTTP_HOST} !^www\.', '%{REQUEST_URI} !^/x'],
      'rewrite_rule' => ['^/(.*)$ http://www.example.com/$1 [R=301,L]'],
    },
    {
      'rewrite_map'  => ['lc int:tolower'],
      'rewrite_rule' => ['^/a/(.*)$ /b/${lc:$1}', '^/c$ /d'],
    },
  ],
  rewrite_inherit      => true,
  redirectmatch_status => ['404', '301'],
  redirectmatch_regexp => ['\.git(/.*|$)', '^/old/(.*)$'],
  redirectmatch_dest   => ['', '/new/$1'],
  setenv               => ['A 1', 'B two'],
  setenvif             => ['Request_URI "^/health" dontlog'],
  setenvifnocase       => ['User-Agent bot is_bot'],
  access_logs          => [
    { 'file' => 'all.log', 'format' => 'combined' },
    { 'pipe' => '|/usr/bin/logger', 'env' => '!dontlog' },
    { 'syslog' => 'syslog:local1' },
  ],
  error_log_syslog     => true,
  block                => ['scm'],
  fallbackresource     => '/index.php',
  directoryindex       => 'index.php',
}
apache::vhost { 'redirect.example.com':
  port            => 80,
  docroot         => '/srv/redirect',
  redirect_source => ['/a', '/b'],
  redirect_dest   => ['http://a.example.com/', 'http://b.example.com/'],
  redirect_status => ['temp', '410'],
}
