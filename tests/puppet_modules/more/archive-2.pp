class { 'archive': aws_cli_install => true, gsutil_install => false, seven_zip_provider => '' }
archive::artifactory { '/tmp/f.zip': url => 'http://f/artifactory/r/f.zip' }
