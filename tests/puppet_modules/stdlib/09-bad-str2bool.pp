# A word that is neither yes nor no.
notify { 'x':
  message => str2bool('maybe'),
}
