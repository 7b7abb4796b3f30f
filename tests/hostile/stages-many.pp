$z = Integer[1, 20000].map |$i| { stage { "s${i}": before => Stage['main'] } }
fail('ended')
