# Order by number and by letter, with a warning and new lines.
concat { '/etc/numbers':
  order          => 'numeric',
  ensure_newline => true,
  warn           => true,
}
concat { 'letters':
  path  => '/etc/letters',
  order => 'alpha',
  warn  => "# own words\n",
  mode  => '0600',
  owner => 0,
  group => 0,
  backup => false,
  replace => false,
  show_diff => false,
  validate_cmd => '/usr/bin/test -s %',
}
[3, 20, 100].each |$n| {
  concat::fragment { "n${n}":
    target  => '/etc/numbers',
    content => "number ${n}",
    order   => $n,
  }
  concat::fragment { "l${n}":
    target  => 'letters',
    content => "letter ${n}\n",
    order   => String($n),
  }
}
concat::fragment { 'source':
  target => 'letters',
  source => ['puppet:///modules/site/a', '/srv/b'],
}
concat::fragment { 'secret':
  target  => 'letters',
  content => Sensitive('hidden'),
  order   => 'zz',
}
concat::fragment { 'later':
  target  => 'letters',
  content => Deferred('sprintf', ['%s', 'x']),
}
