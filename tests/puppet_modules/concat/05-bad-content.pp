# A fragment without content.
concat { '/etc/x': }
concat::fragment { 'a':
  target => '/etc/x',
}
