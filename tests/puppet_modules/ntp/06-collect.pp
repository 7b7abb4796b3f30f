# The same change, by a collector.
include ntp
File <| title == '/etc/ntp.conf' |> {
  backup => '.old',
  tag    => ['time'],
}
Package <| tag == 'ntp' |> -> file { '/etc/default/ntp':
  content => "NTPD_OPTS='-g'\n",
} ~> Service['ntp']
