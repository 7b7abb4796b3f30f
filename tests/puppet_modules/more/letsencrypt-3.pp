class { 'letsencrypt': unsafe_registration => false }
