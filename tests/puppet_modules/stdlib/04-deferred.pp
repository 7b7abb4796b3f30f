# Values that are computed on the node, and secret ones.
file { '/etc/secret':
  content => stdlib::deferrable_epp('apache/vhost/_serveralias.epp', { 'serveraliases' => Deferred('split', ['a,b', ',']) }),
}
file { '/etc/plain':
  content => stdlib::deferrable_epp('apache/vhost/_serveralias.epp', { 'serveraliases' => ['a', 'b'] }),
}
file { '/etc/token':
  content => Deferred('unwrap', [Sensitive('x')]),
  mode    => '0600',
}
$hidden = stdlib::rewrap_sensitive_data({ 'a' => Sensitive('b'), 'c' => ['d', Sensitive('e')] })
notify { 'hidden':
  message => $hidden,
}
