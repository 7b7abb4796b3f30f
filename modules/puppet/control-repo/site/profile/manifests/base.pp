# What every machine has. Its parameters come from data.
class profile::base (
  String[1] $root,
  String[1] $contact,
  String[1] $greeting,
  String[1] $shell,
  Array[String[1]] $admins,
  Hash[String[1], Data] $settings,
) {
  file { $root:
    ensure => directory,
    mode   => '0755',
  }

  file { "${root}/motd":
    ensure  => file,
    content => "${greeting}\n",
  }

  file { "${root}/admins":
    ensure  => file,
    content => $admins.sort.map |$name| { "${name}:${shell}\n" }.join,
    mode    => '0640',
  }

  file { "${root}/settings.conf":
    ensure  => file,
    content => epp('profile/settings.epp', { 'settings' => $settings }),
  }
}
