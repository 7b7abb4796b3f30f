# A time without sense.
class { 'nginx':
  keepalive_timeout => 'soon',
}
