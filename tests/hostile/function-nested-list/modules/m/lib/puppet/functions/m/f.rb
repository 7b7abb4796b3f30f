Puppet::Functions.create_function(:'m::f') do
  def f(x)
    a = []
    1000000.times { a = [a] }
    a
  end
end
