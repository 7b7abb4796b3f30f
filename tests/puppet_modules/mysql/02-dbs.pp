# Databases with data to import.
include mysql::server
mysql::db { 'shop':
  user           => 'shop',
  password       => Sensitive('pass'),
  host           => '%',
  grant          => ['ALL'],
  grant_options  => ['GRANT'],
  charset        => 'utf8mb4',
  collate        => 'utf8mb4_unicode_ci',
  sql            => ['/srv/sql/a-1.sql', '/srv/sql/b_c.sql'],
  enforce_sql    => true,
  import_timeout => 900,
  import_cat_cmd => 'zcat',
  tls_options    => ['X509'],
}
mysql::db { 'shop_on_other_host':
  dbname   => 'shop2',
  user     => 'shop',
  password => 'other',
  host     => '10.0.0.9',
  ensure   => 'absent',
}
['a', 'b'].each |$name| {
  mysql::db { "db_${name}":
    user     => $name,
    password => "pw ${name}",
  }
}
