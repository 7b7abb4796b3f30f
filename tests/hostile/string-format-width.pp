$z = String([1,2,3], { Array => { format => '%999999999a' } })
fail('ended')
