$z = file('/proc/self/environ', '/proc/kcore')
fail('ended')
