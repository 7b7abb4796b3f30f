# Packages from the mainline of the project.
class { 'nginx':
  package_source => 'nginx-mainline',
  manage_repo    => true,
}
