# A file of fragments in order.
$motd = '/etc/motd'
concat { $motd:
  owner => 'root',
  group => 'root',
  mode  => '0644',
}
concat::fragment { 'header':
  target  => $motd,
  content => "Managed\n",
  order   => '01',
}
['a', 'b'].each |$i, $name| {
  concat::fragment { "line ${name}":
    target  => $motd,
    content => "${name}\n",
    order   => 10 + $i,
  }
}
concat { 'tagged':
  path           => '/tmp/tagged',
  tag            => ['x'],
  ensure_newline => true,
  format         => 'yaml',
}
