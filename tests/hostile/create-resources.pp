$h = Hash(Integer[1, 900000].map |$i| { ["n${i}", {}] })
create_resources(notify, $h)
