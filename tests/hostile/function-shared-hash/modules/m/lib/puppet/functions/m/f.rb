Puppet::Functions.create_function(:'m::f') do
  def f(x)
    a = {'k' => 1}
    60.times { a = {'a' => a, 'b' => a} }
    a
  end
end
