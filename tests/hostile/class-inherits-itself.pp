class a inherits a { }
include a
fail('ended')
