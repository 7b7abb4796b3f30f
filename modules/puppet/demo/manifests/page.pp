# One page, and an entry for it in the log of changes.
define demo::page (
  String[1] $folder,
  String[1] $title_text,
  Array[Demo::Entry] $links = [],
) {
  file { "${folder}/${title}.html":
    ensure  => file,
    content => epp('demo/page.html.epp', { 'title' => $title_text, 'links' => $links }),
  }

  exec { "log ${title}":
    command     => "echo '${title} changed' >> changes.log",
    provider    => shell,
    cwd         => $folder,
    refreshonly => true,
    subscribe   => File["${folder}/${title}.html"],
  }
}
