Puppet::Functions.create_function(:"m::f") do
  def f(x)
    f(x)
  end
end
