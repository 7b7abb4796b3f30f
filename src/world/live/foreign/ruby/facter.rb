# The facts of the node, and those that modules add.
module Facter
  module Core
    module Execution
      class ExecutionFailure < StandardError; end
    end

    Aggregate = Class.new
  end

  module Util
    module Resolution; end

    class Fact; end
  end

  module Commands
    def which(name)
      Puppet::Util.which(name)
    end

    def execute(*_words, **_options)
      raise Workbench::Outside, 'a command'
    end

    def exec(*_words)
      raise Workbench::Outside, 'a command'
    end

    def execute_command(*_words)
      raise Workbench::Outside, 'a command'
    end

    def with_env(_pairs)
      yield
    end
  end

  Core::Execution.extend(Commands)
  Util::Resolution.extend(Commands)

  # One way to compute a fact.
  class Resolution
    attr_reader :rank

    def initialize(_name, options)
      @confines = []
      @chunks = {}
      @weight = nil
      @aggregates = options[:type].to_s == 'aggregate'
      @options = options
    end

    def has_weight(weight)
      @weight = weight
    end

    def weight
      @weight || @confines.size
    end

    def timeout=(_seconds) end

    def timeout(*) end

    def value=(value)
      @code = proc { value }
    end

    def confine(facts = nil, *values, &block)
      case facts
      when nil then @confines << block
      when Hash then facts.each { |name, allowed| @confines << proc { fits(name, allowed) } }
      else
        @confines << (block ? proc { block.call(Facter.value(facts)) } : proc { fits(facts, values) })
      end
    end

    def fits(name, allowed)
      value = Facter.value(name)
      return false if value.nil?

      value = value.to_s.downcase if value.is_a?(String) || value.is_a?(Symbol)
      [allowed].flatten.any? do |one|
        one = one.to_s.downcase if one.is_a?(String) || one.is_a?(Symbol)
        one.is_a?(Proc) ? one.call(value) : one === value
      end
    end

    def suitable?
      @confines.all? { |one| one.call }
    end

    def setcode(command = nil, &block)
      @code = block || proc { raise Workbench::Outside, "the command `#{command}`" }
    end

    def chunk(name, require: [], &block)
      @chunks[name] = [[require].flatten, block]
    end

    def aggregate(&block)
      @aggregate = block
    end

    def on_flush; end

    def self.which(name)
      Puppet::Util.which(name)
    end

    def compute
      return @code&.call unless @aggregates

      done = {}
      until done.size == @chunks.size
        name, (needs, block) = @chunks.find { |one, (list, _)| !done.key?(one) && list.all? { |need| done.key?(need) } }
        raise Puppet::Error, 'the chunks of a fact depend on one another' unless name

        done[name] = block.call(*needs.map { |need| done[need] })
      end
      return @aggregate.call(done) if @aggregate

      done.values.compact.reduce { |left, right| merge(left, right) }
    end

    def merge(left, right)
      return left.merge(right) { |_, one, other| merge(one, other) } if left.is_a?(Hash) && right.is_a?(Hash)
      return left + right if left.is_a?(Array) && right.is_a?(Array)

      right
    end
  end

  # A fact that a module adds.
  class Added
    attr_reader :name, :resolutions

    def initialize(name)
      @name = name
      @resolutions = []
    end

    def add(_name = nil, options = {}, &block)
      made = Resolution.new(@name, options)
      made.has_weight(options[:weight]) if options[:weight]
      made.instance_eval(&block) if block
      @resolutions << made
      self
    end

    def value
      return @value if @known

      raise Workbench::Outside, "the fact `#{name}`, which depends on itself" if @open

      @open = true
      suitable = @resolutions.each_with_index.select { |one, _| one.suitable? }
      suitable = suitable.sort_by { |one, at| [-one.weight, at] }
      found = nil
      suitable.each do |one, _|
        found = one.compute
        break unless found.nil?
      end
      found = Facter.built_in(name) if found.nil?
      @open = false
      @known = true
      @value = found
    end
  end

  Found = Struct.new(:name, :value)

  class << self
    include Puppet::Logging

    def added
      @added ||= {}
    end

    def add(name, options = {}, &block)
      name = name.to_s.downcase
      (added[name] ||= Added.new(name)).add(nil, options, &block)
    end

    def define_fact(name, options = {}, &block)
      name = name.to_s.downcase
      made = (added[name] ||= Added.new(name))
      made.instance_eval(&block) if block
      made
    end

    def built_in(name)
      found = Workbench.ask('fact', name.to_s.downcase)
      found.equal?(Workbench::NOTHING) ? nil : found
    end

    def value(name)
      name = name.to_s.downcase
      added.key?(name) ? added[name].value : built_in(name)
    end

    def fact(name)
      found = value(name)
      found.nil? ? nil : Found.new(name.to_s, found)
    end
    alias [] fact

    def to_hash
      Workbench.ask('variable', 'facts', true)
    end
    alias to_h to_hash

    def version
      '4.3.0'
    end

    def debugging?
      false
    end

    def debugonce(*) end

    def log_exception(*) end

    def clear; end

    def flush; end

    def loadfacts; end

    def search(*) end
  end
end
