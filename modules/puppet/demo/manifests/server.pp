# The configuration of the server, and what happens when it changes.
class demo::server {
  $folder = $demo::folder

  file { "${folder}/server.conf":
    ensure  => file,
    content => "port ${demo::port}\nroot ${folder}/htdocs\n",
    mode    => '0640',
    notify  => Exec['reload'],
  }

  file { "${folder}/current.conf":
    ensure => link,
    target => 'server.conf',
  }

  # There is no server here: a file stands in for it.
  exec { 'reload':
    command     => "cp server.conf running.conf",
    path        => ['/usr/bin', '/bin'],
    cwd         => $folder,
    refreshonly => true,
  }

  # Runs once: afterwards the file is there.
  exec { 'guest book':
    command => "printf 'first entry\\n' > guests.txt",
    path    => ['/usr/bin', '/bin'],
    cwd     => $folder,
    creates => "${folder}/guests.txt",
  }
}
