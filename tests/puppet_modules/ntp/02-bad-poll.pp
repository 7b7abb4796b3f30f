# An interval out of its range.
class { 'ntp':
  minpoll => 2,
}
