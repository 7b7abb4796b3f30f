# A site of a web server: a file that nginx would include.
type Web::Site inherits Web::Base {
  # The names of the site; its own name comes first.
  attr aliases, String { max => unbound, validate => { unique($it) == $it } }
  attr port, Integer { default => 80, check => { if $it < 1 or $it > 65535 { "${it} is no port" } } }
  attr root, String
  # Where requests go, for example `127.0.0.1:8081`.
  attr upstream, String { check => $it =~ /\A[\w.-]+:\d+\z/ }
  attr path, String { derived => || { "${folder}/sites/${name}.conf" } }
  attr text, String {
    derived => || {
      $names = join([$name] + $aliases, ' ')
      $serves = if $upstream == undef { "root ${root};" } else { "location / { proxy_pass http://${upstream}; }" }
      # An absent file has no content.
      if $ensure == present { "server {\n    listen ${port};\n    server_name ${names};\n    ${serves}\n}\n" }
    }
  }
  invariant "a site has either a root or an upstream" { ($root == undef) != ($upstream == undef) or $ensure == absent }
  implemented_by file { name => path, content => text, state => state }
}
