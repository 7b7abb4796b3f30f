# Directories, locations and files of a host with access rules.
class { 'apache':
  default_vhost => false,
}
apache::vhost { 'files.example.com':
  port        => 80,
  docroot     => '/srv/files',
  directories => [
    {
      'path'           => '/srv/files',
      'options'        => ['Indexes', 'FollowSymLinks'],
      'allow_override' => ['AuthConfig', 'Indexes'],
      'directoryindex' => 'index.html index.php',
      'require'        => 'all granted',
      'index_options'  => ['FancyIndexing', 'NameWidth=*'],
      'headers'        => ['set X-Frame-Options DENY'],
    },
    {
      'path'          => '/private',
      'provider'      => 'location',
      'auth_type'     => 'Basic',
      'auth_name'     => 'Private',
      'auth_user_file' => '/etc/apache2/users',
      'require'       => { 'enforce' => 'any', 'requires' => ['valid-user', 'ip 10.0.0.0/8'] },
    },
    {
      'path'     => '\.(bak|old)$',
      'provider' => 'filesmatch',
      'require'  => ['all denied'],
    },
    {
      'path'            => '/srv/files/cgi',
      'addhandlers'     => [{ 'handler' => 'cgi-script', 'extensions' => ['.cgi', '.pl'] }],
      'sethandler'      => 'None',
      'options'         => '+ExecCGI',
      'setenv'          => ['MODE prod'],
      'expires_active'  => 'On',
      'expires_default' => 'access plus 1 month',
      'rewrites'        => [{ 'comment' => 'Old names', 'rewrite_base' => '/', 'rewrite_rule' => ['^old$ new [L]'] }],
    },
    {
      'path'            => '/srv/files/old',
      'allow'           => 'from 10.0.0.0/8',
      'deny'            => ['from all', 'from 192.168.0.0/16'],
      'order'           => 'deny,allow',
      'error_documents' => [{ 'error_code' => '404', 'document' => '/none.html' }],
      'custom_fragment' => '  LimitRequestBody 1024',
    },
  ],
}
