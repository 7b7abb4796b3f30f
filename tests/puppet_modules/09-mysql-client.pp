# The client, and bindings for Python.
include mysql::client
class { 'mysql::bindings':
  python_enable => true,
}
