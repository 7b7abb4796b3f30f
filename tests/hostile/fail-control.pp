fail("\u{1b}]0;x\u{7}\u{202e}")
fail('ended')
