class { 'borg': backupserver => 'b.example.com', excludes => ['/x'], manage_package => false }
