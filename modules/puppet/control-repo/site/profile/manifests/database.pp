# A database that only its owner can read.
class profile::database (
  Integer[1, 65535] $port,
  Sensitive[String[1]] $password,
) {
  $root = $profile::base::root

  file { "${root}/database.conf":
    ensure  => file,
    content => Sensitive("port ${port}\npassword ${password.unwrap}\n"),
    mode    => '0600',
  }
}
