# Data in every format.
['yaml', 'json', 'json-array', 'json-pretty', 'json-array-pretty', 'plain'].each |$format| {
  concat { "/etc/data.${format}":
    format => $format,
    force  => $format == 'yaml',
  }
  concat::fragment { "one of ${format}":
    target  => "/etc/data.${format}",
    content => stdlib::to_json({ 'one' => 1, 'list' => [1, 2] }),
    order   => 1,
  }
  concat::fragment { "two of ${format}":
    target  => "/etc/data.${format}",
    content => stdlib::to_json({ 'two' => { 'nested' => true } }),
    order   => '02',
  }
}
