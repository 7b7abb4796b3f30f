# Nothing to pick.
notify { 'x':
  message => pick('', undef),
}
