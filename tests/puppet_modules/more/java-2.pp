class { 'java': package => 'openjdk-17-jdk', version => '17.0.1', java_alternative => 'x', java_alternative_path => '/usr/lib/x' }
java::adoptium { 'a': ensure => 'present', version_major => '17', version_minor => '0', version_patch => '1', version_build => '12' }
