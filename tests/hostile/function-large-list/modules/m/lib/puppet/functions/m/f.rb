Puppet::Functions.create_function(:'m::f') do
  def f(x)
    a = ['x' * 1000000]
    10.times { a = a + a }
    a
  end
end
