$z = generate('/bin/sh', '-c', 'yes')
fail('ended')
