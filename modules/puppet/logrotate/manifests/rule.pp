# One rule for logrotate.
#
# @param logs paths and patterns
# @param every how often the logs are rotated
# @param keep how many old logs stay
# @param compress whether to compress all but the newest of them
# @param after a command that runs after a rotation
# @param ensure whether the rule is there
define logrotate::rule (
  Variant[String[1], Array[String[1], 1]] $logs,
  Logrotate::Period $every = 'weekly',
  Integer[0] $keep = 8,
  Boolean $compress = true,
  Optional[String[1]] $after = undef,
  Enum['present', 'absent'] $ensure = 'present',
) {
  include logrotate

  file { "${logrotate::folder}/${title}":
    ensure  => $ensure ? { 'present' => file, default => absent },
    mode    => '0644',
    content => epp('logrotate/rule.epp', {
      'logs'     => [$logs].flatten,
      'every'    => $every,
      'keep'     => $keep,
      'compress' => $compress,
      'after'    => $after,
    }),
  }
}
