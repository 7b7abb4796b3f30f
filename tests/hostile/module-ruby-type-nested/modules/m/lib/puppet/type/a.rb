Puppet::Type.newtype(:a) do
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
if true
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
