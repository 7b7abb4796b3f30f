# Packages that several places ask for.
stdlib::ensure_packages(['curl', 'wget'])
stdlib::ensure_packages('curl')
stdlib::ensure_packages({ 'git' => { 'ensure' => 'latest' }, 'vim' => {} }, { 'provider' => 'apt' })
package { 'jq': ensure => present }
stdlib::ensure_packages('jq')
ensure_resource('user', ['alice', 'bob'], { 'ensure' => 'present', 'shell' => '/bin/bash' })
ensure_resource('user', 'alice', { 'shell' => '/bin/bash' })
ensure_resources('group', { 'staff' => { 'gid' => 50 }, 'web' => {} }, { 'ensure' => 'present' })
