include apt
apt::source { 'site':
  comment      => 'Our packages',
  location     => 'https://apt.example.com/debian',
  release      => 'stable',
  repos        => 'main',
  architecture => ['amd64', 'arm64'],
  pin          => { 'priority' => 700, 'origin' => 'apt.example.com' },
  key          => { 'name' => 'site.asc', 'source' => 'https://apt.example.com/key.asc' },
  include      => { 'src' => true, 'deb' => true },
}
apt::source { 'deb822':
  source_format => 'sources',
  types         => ['deb', 'deb-src'],
  location      => ['https://a.example.com', 'https://b.example.com'],
  release       => ['stable', 'testing'],
  repos         => ['main', 'contrib'],
  keyring       => '/etc/apt/keyrings/a.gpg',
  allow_unsigned => true,
}
apt::pin { 'nginx': packages => [ 'nginx-*'], version => '1.2*', priority => 900, explanation => 'Why' }
apt::conf { 'x': content => 'A::B "c";', priority => 99 }
apt::setting { 'conf-y': content => 'y', priority => 10 }
apt::mark { 'vim': setting => 'hold' }
apt::keyring { 'k.asc': source => 'https://k' }
class { 'apt::backports': pin => 500 }
