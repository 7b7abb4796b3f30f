function a($n) { b($n + 1) }
function b($n) { a($n + 1) }
a(1)
fail('ended')
