class { 'java': distribution => 'none' }
