define d() { @d { "${title}a": }
 @d { "${title}b": } }
@d { 'x': }
D <| |>
fail('ended')
