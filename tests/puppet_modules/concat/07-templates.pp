# Fragments from templates inside the program.
define entry($key, $value, $order = 50) {
  concat::fragment { "entry ${title}":
    target  => '/etc/app.ini',
    order   => $order,
    content => inline_template("[<%= @title %>]\n<%- [@value].flatten.each do |v| -%>\n<%= @key %> = <%= v %>\n<%- end -%>\n"),
  }
}
concat { '/etc/app.ini':
  ensure_newline => true,
}
concat::fragment { 'head':
  target  => '/etc/app.ini',
  content => inline_epp(@(END), { 'names' => ['a', 'b'] }),
    <%- | Array[String] $names | -%>
    # <%= $facts['networking']['hostname'] %> <%# nothing %>
    <% $names.each |$i, $name| { -%>
    ; <%= $i + 1 %> <%= $name.upcase %>
    <% } -%>
    | END
  order   => '00',
}
entry { 'main': key => 'x', value => ['1', '2'] }
entry { 'other': key => 'y', value => 3, order => 9 }
