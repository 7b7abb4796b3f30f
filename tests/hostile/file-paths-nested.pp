Integer[1, 3000].reduce('') |$m, $i| { file { "${m}/a": ensure => directory }
 "${m}/a" }
fail('ended')
