# One line `key = value` of a settings file. Other lines of the file are not changed.
type Web::Ini_entry inherits Web::Base {
  attr file, String { default => 'server.ini' }
  attr value, String { set => |$v| { "${v}" } }
  attr path, String { derived => || { "${folder}/${file}" } }
  attr line, String { derived => || { "${name} = ${value}" } }
  invariant "an entry that is present has a value" { $ensure == absent or $value != undef }
  implemented_by entry { file => path, key => name, line => line, state => state }
}
