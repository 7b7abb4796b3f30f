# A member with a port that is a word.
class { 'nginx': }
nginx::resource::upstream { 'app':
  members => { 'one' => { 'server' => '10.0.0.1', 'port' => 'http' } },
}
