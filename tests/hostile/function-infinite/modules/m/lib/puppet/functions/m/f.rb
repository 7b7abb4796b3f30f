Puppet::Functions.create_function(:'m::f') do
  def f(x)
    while true
      x = x + ''
    end
  end
end
