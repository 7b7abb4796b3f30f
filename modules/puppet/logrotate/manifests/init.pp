# Rules for logrotate, from data.
#
# @param folder the folder of the rules
# @param rules one rule for each key, with the parameters of logrotate::rule
# @param purge whether to remove rules that are not managed
class logrotate (
  String[1] $folder = '/etc/logrotate.d',
  Hash[String[1], Hash] $rules = {},
  Boolean $purge = false,
) {
  if $purge {
    file { $folder:
      ensure  => directory,
      recurse => true,
      purge   => true,
    }
  }

  $rules.each |$name, $rule| {
    logrotate::rule { $name:
      * => $rule,
    }
  }
}
