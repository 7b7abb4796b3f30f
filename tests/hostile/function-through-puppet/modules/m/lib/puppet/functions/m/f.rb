Puppet::Functions.create_function(:'m::f') do
  def f(x)
    call_function('m::f', x)
  end
end
