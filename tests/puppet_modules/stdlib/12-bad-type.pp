# A port as a word.
class site(Stdlib::Port $port, Array[Stdlib::IP::Address] $ips) { }
class { 'site':
  port => '80',
  ips  => ['10.0.0.1', 'x'],
}
