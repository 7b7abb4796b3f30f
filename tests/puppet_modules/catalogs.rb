# Compiles manifests with Puppet's own compiler. Prints each catalog, or the error, as JSON, one a line.
# Arguments: the module path, a file of facts, the name of the node, the manifests.
require 'json'
require 'puppet'
require 'tmpdir'

def node_of(name, facts, environment)
  node = Puppet::Node.new(name, environment: environment, facts: Puppet::Node::Facts.new(name, facts))
  node.merge(facts)
  node.trusted_data = {
    'authenticated' => 'local', 'certname' => name, 'extensions' => {},
    'hostname' => name[/^[^.]+/], 'domain' => name[/\.(.*)/, 1],
  }
  node
end

def catalog_of(file, modules, name, facts)
  environment = Puppet::Node::Environment.create(:production, modules, file)
  context = {
    current_environment: environment,
    environments: Puppet::Environments::Static.new(environment),
    loaders: Puppet::Pops::Loaders.new(environment),
    rich_data: true,
  }
  Puppet.override(context) do
    catalog = Puppet::Parser::Compiler.compile(node_of(name, facts, environment))
    catalog.filter(&:virtual?).to_data_hash
  end
end

# What modules print while they are loaded does not belong to the answers.
answers = $stdout.dup
$stdout.reopen($stderr)

modules, facts, name, *files = ARGV
facts = JSON.parse(File.read(facts))
Dir.mktmpdir do |home|
  settings = ['--confdir', "#{home}/conf", '--vardir', "#{home}/var", '--strict', 'error', '--strict_variables', 'true']
  Puppet.initialize_settings(settings)
  Puppet[:rich_data] = true
  Puppet::Util::Log.level = :err
  files.each do |file|
    answer = begin
      { 'catalog' => catalog_of(file, modules.split(':'), name, facts.dup) }
    rescue StandardError, ScriptError, SystemStackError => e
      { 'error' => e.message }
    end
    answers.puts JSON.generate({ 'file' => file }.merge(answer))
  end
end
