Puppet::Type.newtype(:a) do
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
newparam(:b) do
end
end
