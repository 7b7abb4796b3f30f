# A site: several modules on one node, with order between them.
node default {
  class { 'ntp':
    servers => ['pool.ntp.org'],
  }
  include mysql::client
  class { 'mysql::server':
    root_password => Sensitive('very secret'),
  }
  stdlib::ensure_packages(['rsync'])
  concat { '/etc/site': }
  concat::fragment { 'one':
    target  => '/etc/site',
    content => epp('ntp/step-tickers.epp', { 'ntpservers' => ['a'] }),
  }
  Class['ntp'] -> Class['mysql::server']
  Package <| tag == 'mysql' |> { ensure => 'latest' }
}
