# Fragments joined by tags, virtual ones, and a file that is removed.
concat { '/etc/tagged':
  tagging => ['a', 'b'],
  create_empty_file => false,
  selinux_ignore_defaults => true,
  seltype => 'etc_t',
}
@concat::fragment { 'virtual':
  target  => 'none',
  content => "virtual\n",
  tagging => 'a',
  tag     => 'collect',
}
Concat::Fragment <| tag == 'collect' |>
concat { '/etc/gone':
  ensure => 'absent',
}
concat_file { '/etc/direct':
  tag => 'direct',
}
concat_fragment { 'direct one':
  tag     => 'direct',
  content => "one\n",
}
File['/etc'] -> Concat <| |>
file { '/etc':
  ensure => directory,
}
