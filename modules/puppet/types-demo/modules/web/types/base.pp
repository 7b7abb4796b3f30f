# What all types of this module have. Nothing is declared with this one: it is abstract.
type Web::Base inherits Resource {
  abstract
  attr name, String {
    min   => 1,
    check => { if $it !~ /\A[a-z][a-z0-9_.-]*\z/ { "'${it}' is no name: use small letters, digits and _.-" } },
  }
  attr ensure, enum[present, absent] { default => present }
  # The folder that everything is written to.
  attr folder, String { default => '/tmp/workbench-puppet-types-demo', check => $it =~ /\A\/tmp\// }
  attr state, String { derived => || { if $ensure == present { 'exists' } else { 'absent' } } }
}
