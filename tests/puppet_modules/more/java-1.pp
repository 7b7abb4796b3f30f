class { 'java': distribution => 'jre' }
