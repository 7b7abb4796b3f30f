class { 'python': version => '3', dev => 'present', venv => 'present' }
python::pyvenv { '/srv/v': ensure => present, version => '3.11', owner => 'a' }
python::pip { 'flask': ensure => '1.0', virtualenv => '/srv/v', proxy => 'http://p', install_args => '-x' }
python::requirements { '/srv/r.txt': virtualenv => '/srv/v' }
python::gunicorn { 'g': virtualenv => '/srv/v', dir => '/srv', bind => '0.0.0.0:80', environment => 'p', timeout => 30 }
python::dotfile { '/d': config => { 'global' => { 'a' => 'b' } } }
