# An order with a character that the name of a fragment may not have.
concat { '/etc/x': }
concat::fragment { 'a':
  target  => '/etc/x',
  content => 'x',
  order   => '1/2',
}
