function f($x) { inline_epp('<%= f(1) %>') }
f(1)
