# A grant without its user.
include mysql::server
mysql::db { 'bad':
  password => 'x',
}
