# A parameter that there is not.
class { 'ntp':
  server => ['ntp1.example.com'],
}
