class a { require b }
class b { require a }
require a
fail('ended')
