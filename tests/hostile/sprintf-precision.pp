$z = sprintf('%.999999999f', 1.5)
$y = sprintf('%.999999999s', 'a')
$q = sprintf('%.999999999e', 1)
fail('ended')
