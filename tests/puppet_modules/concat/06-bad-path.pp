# A file with a relative path.
concat { 'etc/x': }
