class { 'puppet': server => true, server_foreman => false, server_external_nodes => '', autosign_entries => ['*.example.com'], server_jvm_min_heap_size => '1G' }
