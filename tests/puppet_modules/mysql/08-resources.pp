# The types by themselves.
mysql_database { 'app':
  ensure  => 'present',
  charset => 'utf8mb4',
}
mysql_user { ['a@localhost', 'b@%']:
  ensure        => 'present',
  password_hash => mysql::password('secret'),
}
mysql_grant { 'a@localhost/*.*':
  ensure     => 'present',
  options    => ['GRANT'],
  privileges => ['ALL'],
  table      => '*.*',
  user       => 'a@localhost',
}
mysql_plugin { 'auth_socket':
  ensure => 'present',
  soname => 'auth_socket.so',
}
$hash = mysql::normalise_and_deepmerge({ 'a' => { 'x-y' => 1 } }, { 'a' => { 'x_y' => 2, 'z' => 3 } }, { 'b' => {} })
notify { 'merged':
  message => $hash.to_json,
}
notify { 'stripped':
  message => mysql::strip_hash({ 'a' => '', 'b' => { 'c' => undef, 'd' => 1 }, 'e' => 'f' }),
}
notify { 'hashes':
  message => "${mysql::password('a')} ${mysql::password('')} ${mysql::password('*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29')}",
}
