# One page of the site.
type Demo::Entry = Struct[{ name => Pattern[/\A[a-z]+\z/], title => String[1] }]
