# A path that is not absolute.
define x(Stdlib::Absolutepath $p) { }
x { 'a':
  p => 'relative/path',
}
