$a = Integer[1, 4000].map |$i| { "a${i}" }
notify { $a: }
exec { $a.map |$x| { "/bin/${x}" }: }
Notify<| |> -> Exec<| |>
