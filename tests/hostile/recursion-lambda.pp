function f($x) { [1].each |$i| { [1].each |$j| { f($x) } } }
f(1)
