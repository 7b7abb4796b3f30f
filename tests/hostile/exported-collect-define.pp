define d() { @@d { "x${title}": } }
@@d { 'a': }
D <<| |>>
fail('ended')
