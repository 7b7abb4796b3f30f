# Lines of files.
file_line { 'sudo':
  path => '/etc/sudoers',
  line => '%sudo ALL=(ALL) ALL',
}
file_line { 'proxy':
  ensure => present,
  path   => '/etc/bashrc',
  line   => 'export HTTP_PROXY=http://proxy:3128',
  match  => '^export\ HTTP_PROXY\=',
}
anchor { 'begin': }
-> notify { 'between': }
-> anchor { 'end': }
include stdlib::stages
