Integer[1, 3000].each |$i| { stage { "s${i}": } }
Integer[1, 2999].each |$i| { Stage["s${i}"] -> Stage["s${$i+1}"] }
Integer[1,3000].each |$i| { Integer[1,100].each |$j| { Stage["s${i}"] -> Stage["s${i}"] } }
