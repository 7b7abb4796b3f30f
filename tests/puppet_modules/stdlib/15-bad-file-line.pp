# A line without its path.
file_line { 'x':
  line => 'y',
}
