# Runs the Ruby code of Puppet modules for workbench: one JSON document a line in, one a line out.
#
# It brings the documented interfaces of functions, templates, data providers, facts and resource types, and nothing
# else of Puppet. What it does not bring ends a call as `outside`, so that no value is guessed.
require 'json'
require 'erb'
require 'set'
require 'date'
require 'time'
require 'yaml'

module Workbench
  LONGEST = Integer(ARGV.shift || 16_777_216)
  NOTES = STDERR.dup
  REQUESTS = STDIN.dup
  ANSWERS = STDOUT.dup
  [NOTES, REQUESTS, ANSWERS].each { |io| io.close_on_exec = true }
  REQUESTS.set_encoding('UTF-8')
  STDIN.reopen('/dev/null', 'r')
  STDOUT.reopen('/dev/null', 'w')
  STDERR.reopen('/dev/null', 'w')
  Encoding.default_external = Encoding::UTF_8
  Encoding.default_internal = Encoding::UTF_8

  # The caller asks for the place by a signal, and reads it in the notes.
  trap('USR1') do
    lines = caller.map { |line| line[/\A(.+?):(\d+)/] && "  File \"#{Workbench.shown($1)}\", line #{$2} in ruby\n" }.compact
    NOTES.syswrite("(most recent call first):\n#{lines.first(200).join}")
  end

  # Something that this stand-in does not have. Modules rescue standard errors, not this.
  class Outside < Exception; end

  # An unknown value decides the result.
  class Unknown < Exception; end

  # The value of a provider that has none.
  NOTHING = Object.new

  # The keys of a complete answer.
  ENDS = %w[value nothing raised].freeze

  class << self
    attr_accessor :modules, :call, :denied, :waiting

    def folder(name)
      modules[name.to_s]
    end

    # A file of a module.
    def file(place)
      File.join(modules.fetch(place[0]) { raise Outside, "the module `#{place[0]}`" }, place[1])
    end

    # A path as the evaluation knows it.
    def shown(path)
      @folders.each { |full, sent| return sent + path[full.size..-1] if path.start_with?("#{full}/") }
      path
    end

    # The first file of this name below `lib` of a module, the named module first.
    def find(part, first = nil)
      folders = [modules[first], *modules.values].compact
      folders.map { |folder| File.join(folder, 'lib', part) }.find { |path| File.file?(path) }
    end

    def load_once(path)
      @loaded ||= {}
      return false if @loaded[path]

      @loaded[path] = true
      note(path)
      load_file(path)
      true
    end

    def note(path)
      NOTES.syswrite("  File \"#{shown(path)}\", line 1 in <file>\n")
    end

    def load_file(path)
      Kernel.load(path)
    end

    def ask(*question, &block)
      raise Outside, 'a question while files are loaded' unless call

      call.ask(question, block)
    end
  end
  self.modules = {}
  self.waiting = []
  @folders = []

  # A call may be interrupted by questions to the evaluation, during which other calls are made.
  class Call
    attr_reader :request

    def initialize(request)
      @request = request
      @base = request.reject { |key, _| key == 'known' }
      @known = request['known'] || []
      @next = 0
      @depth = request['depth'] || 0
      @open = true
    end

    # Sends a question; its answer may be known already. The evaluation may call the block while it answers.
    def ask(question, block = nil)
      raise Outside, 'a question after the end of the call' unless @open

      throw :block, block if @seeks_block && @next >= @known.size
      @block = block
      wait(question) if @next >= @known.size
      answer = @known[@next]
      @next += 1
      return Values.in(answer['value']) if answer.key?('value')
      return NOTHING if answer['nothing']
      raise Outside, (Workbench.denied ||= answer['outside']) if answer.key?('outside')

      raise Puppet::Error, answer['failed'].to_s
    end

    # The block that the call passes on where it has these answers.
    def block_at(request)
      @block if @base == request.reject { |key, _| key == 'known' } && @next == (request['known'] || []).size
    end

    def seek_block
      @seeks_block = true
    end

    def wait(question)
      Workbench.waiting.push(self)
      wait_for_answer(question)
    ensure
      Workbench.waiting.pop
    end

    def wait_for_answer(question)
      Workbench.reply('needs' => question.map { |part| Values.out(part) })
      request = Workbench.next_request
      loop do
        if (request['depth'] || 0) > @depth
          outer, denied = Workbench.call, Workbench.denied
          request = Workbench.run(request) || Workbench.next_request
          Workbench.call, Workbench.denied = outer, denied
        elsif request.reject { |key, _| key == 'known' } == @base && request['known'].size > @next
          @known = request['known']
          return
        else
          @open = false
          throw self, request
        end
      end
    end

    def close
      @open = false
    end
  end

  class << self
    def next_request
      line = REQUESTS.gets
      Kernel.exit!(0) unless line
      JSON.parse(line, max_nesting: 400)
    end

    def reply(answer)
      text = JSON.generate(answer, max_nesting: 400)
      text = JSON.generate('refused' => 'its result is too large') if text.bytesize > LONGEST
      ANSWERS.write(text + "\n")
      ANSWERS.flush
    rescue JSON::GeneratorError, EncodingError
      ANSWERS.write(JSON.generate('refused' => 'a text of its result is not UTF-8') + "\n")
      ANSWERS.flush
    rescue JSON::NestingError
      ANSWERS.write(JSON.generate('refused' => 'its result nests too deep') + "\n")
      ANSWERS.flush
    end

    # Answers a request. Gives another request if that one has ended the call.
    def run(request)
      made = Call.new(request)
      catch(made) do
        self.call = made
        self.denied = nil
        answer = perform(request)
        # A module may hide that it was refused something, and give another value or error than it would elsewhere.
        answer = { 'outside' => denied, 'at' => answer.dig('raised', 'at') } if denied && ENDS.any? { |one| answer.key?(one) }
        made.close
        reply(answer)
        nil
      end
    end

    def perform(request)
      if request.key?('load')
        load_modules(request)
      else
        Work.public_send("do_#{request['do']}", request)
      end
    rescue Unknown
      { 'unknown' => true }
    rescue Outside => e
      { 'outside' => e.message, 'at' => place(e) }
    rescue LoadError => e
      { 'missing' => e.path || e.message, 'at' => place(e) }
    rescue NoMemoryError => e
      { 'raised' => { 'class' => 'NoMemoryError', 'text' => 'it needs too much memory', 'at' => place(e) } }
    rescue SystemStackError => e
      { 'raised' => { 'class' => 'SystemStackError', 'text' => 'it nests too deep', 'at' => place(e) } }
    rescue NameError => e
      return { 'outside' => "`#{e.name}`", 'at' => place(e) } unless e.is_a?(NoMethodError) || e.name.to_s !~ /\A[A-Z]/

      stand_in = begin
        receiver = e.receiver
        owner = receiver.is_a?(Module) ? receiver : receiver.class
        [receiver, owner].any? { |one| one.is_a?(Module) && one.name.to_s =~ /\A(Puppet|Facter|Workbench|Hiera)/ }
      rescue ArgumentError
        false
      end
      return { 'outside' => "`#{e.name}` of #{e.receiver.is_a?(Module) ? e.receiver : e.receiver.class}", 'at' => place(e) } if stand_in

      raised(e)
    rescue Exception => e # rubocop:disable Lint/RescueException
      raised(e)
    end

    def raised(error)
      text = error.message.to_s.dup.force_encoding('UTF-8').scrub
      # It is no error where Ruby is not contained.
      return { 'outside' => "a refused access (#{text})", 'at' => place(error) } if refusal?(error)

      { 'raised' => { 'class' => error.class.name, 'text' => text, 'at' => place(error) } }
    end

    # The innermost place in a file of a module, or else in the text that is run.
    def place(error)
      lines = (error.backtrace_locations || []).map { |at| [at.path.to_s, at.lineno] }
      if error.is_a?(SyntaxError) && error.message =~ /\A(.+?):(\d+):/
        lines.unshift([$1, $2.to_i])
      end
      found = lines.find { |path, _| path.start_with?(*modules.values) || path == @text_name }
      found && [shown(found[0]), found[1]]
    end

    attr_writer :text_name

    def load_modules(request)
      self.modules = request['load'].map { |one| [one['name'], File.expand_path(one['folder'])] }.to_h
      @folders = request['load'].map { |one| [File.expand_path(one['folder']), one['folder']] }
      modules.values.each { |folder| $LOAD_PATH.push(File.join(folder, 'lib')) }
      { 'ready' => RUBY_VERSION }
    end
  end

  # Values as JSON and back.
  module Values
    DEPTH = 250

    def self.in(sent)
      case sent
      when Array then sent.map { |item| self.in(item) }
      when Hash
        tag, inner = sent.first
        case tag
        when '$hash' then inner.each_with_object({}) { |(key, item), made| made[self.in(key)] = self.in(item) }
        when '$partial' then Partial.of(inner, sent['unknown'])
        when '$symbol' then inner.to_sym
        when '$default' then :default
        when '$sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(self.in(inner))
        when '$regexp' then Regexp.new(inner)
        when '$float' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY, '-Infinity' => -Float::INFINITY }[inner] || Float(inner)
        when '$type' then Puppet::Pops::Types.type(inner, sent['title'])
        when '$timestamp', '$timespan', '$semver', '$semver_range', '$uri' then Scalar.make(tag, inner, sent)
        when '$binary' then Puppet::Pops::Types::PBinaryType::Binary.new(inner)
        when '$held' then Held.new(inner, sent['text'], sent['class'])
        when '$context' then Puppet::LookupContext.new(sent)
        else raise Outside, "a value #{tag}"
        end
      else sent
      end
    end

    def self.out(value, depth = 0)
      raise Outside, 'a value that nests too deep' if depth > DEPTH

      case value
      when nil, true, false then value
      when String
        text = value.encoding == Encoding::UTF_8 ? value : (value.encoding == Encoding::BINARY ? value.dup.force_encoding('UTF-8') : value.encode('UTF-8'))
        raise Outside, 'a text that is not UTF-8' unless text.valid_encoding?

        String.new(text)
      when Symbol then value == :undef ? nil : { (value == :default ? '$default' : '$symbol') => value.to_s }
      when Integer
        raise Outside, 'an integer of more than 64 bits' if value.bit_length > 63

        value
      when Float then value.finite? ? value : { '$float' => value.to_s }
      when Array then value.map { |item| out(item, depth + 1) }
      when Hash then { '$hash' => value.map { |key, item| [out(key, depth + 1), out(item, depth + 1)] } }
      when Regexp then { '$regexp' => pattern(value) }
      when Puppet::Pops::Types::PSensitiveType::Sensitive then { '$sensitive' => out(value.unwrap, depth + 1) }
      when Puppet::Pops::Types::PAnyType then { '$type' => value.to_s }
      when Puppet::Pops::Types::PBinaryType::Binary then { '$binary' => value.to_s }
      when Scalar then { value.tag => value.sent }
      when Held then { '$held' => value.number }
      when Puppet::Resource then { '$type' => value.to_s }
      when Time then { '$timestamp' => (value.to_r * 1_000_000_000).to_i.to_s }
      when Set then out(value.to_a, depth)
      when Range
        raise Outside, 'a large range' if value.size.nil? || value.size > 100_000

        value.map { |item| out(item, depth + 1) }
      when Enumerator then out(value.first(100_000), depth)
      when Scope then raise Outside, 'a scope as a value'
      else
        return out(value.to_s) if value.class < String

        raise Outside, "a value of the class #{value.class}"
      end
    end

    def self.pattern(value)
      letters = { Regexp::IGNORECASE => 'i', Regexp::EXTENDED => 'x', Regexp::MULTILINE => 'm' }
      set = letters.select { |bit, _| value.options & bit != 0 }.values.join
      set.empty? ? value.source : value.to_s
    end
  end

  # A hash of which some values are unknown.
  class Partial < Hash
    SINGLE = %i[[] fetch dig key? has_key? include? member? is_a? kind_of? instance_of? class nil? respond_to? object_id
                hash equal? frozen? freeze !].freeze

    def self.of(known, unknown)
      made = new
      known.each { |key, value| made.store(Values.in(key), Values.in(value)) }
      made.hide(unknown.map { |key| Values.in(key) })
      made
    end

    def hide(names)
      @unknown = names
      singleton_class.prepend(Guarded)
    end

    module Guarded
      (Hash.instance_methods(false) + Enumerable.instance_methods - SINGLE).uniq.each do |name|
        define_method(name) { |*| raise Unknown }
      end

      def [](key)
        @unknown.include?(key) ? raise(Unknown) : super
      end

      def fetch(key, *more, &block)
        @unknown.include?(key) ? raise(Unknown) : super
      end

      def dig(key, *more)
        @unknown.include?(key) ? raise(Unknown) : super
      end

      %i[key? has_key? include? member?].each { |name| define_method(name) { |key| @unknown.include?(key) || super(key) } }
    end
  end

  # A value of the evaluation that Ruby only passes on.
  class Held
    attr_reader :number

    def initialize(number, text, kind)
      @number = number
      @text = text
      @kind = kind
    end

    def to_s
      @text.to_s
    end

    def ==(other)
      other.is_a?(Held) && other.number == number
    end

    def method_missing(name, *_args)
      raise Outside, "`#{name}` of #{@kind}"
    end

    def respond_to_missing?(_name, _private = false)
      false
    end
  end

  # Times, versions and addresses: known by their text.
  class Scalar
    include Comparable
    attr_reader :tag, :sent

    def self.make(tag, inner, sent)
      made = { '$timestamp' => Puppet::Pops::Time::Timestamp, '$timespan' => Puppet::Pops::Time::Timespan,
               '$semver' => SemanticPuppet::Version, '$semver_range' => SemanticPuppet::VersionRange,
               '$uri' => Puppet::Pops::Uri }[tag].allocate
      made.fill(tag, inner, sent['text'])
      made
    end

    def fill(tag, sent, text)
      @tag = tag
      @sent = sent
      @text = text || sent
    end

    def to_s
      @text.to_s
    end

    def key
      tag =~ /time/ ? Integer(sent) : sent
    end

    def <=>(other)
      other.is_a?(Scalar) && other.tag == tag ? key <=> other.key : nil
    end

    def hash
      key.hash
    end

    def eql?(other)
      self == other
    end

    def nanoseconds
      key
    end

    def to_i
      key / 1_000_000_000
    end

    def to_f
      key / 1_000_000_000.0
    end
  end

  # The variables and functions that Ruby sees.
  class Scope
    def initialize(top = false)
      @top = top
    end

    def lookupvar(name, _options = {})
      found = find(name)
      found.equal?(NOTHING) ? nil : found
    end
    alias lookup_qualified_variable lookupvar

    def find(name)
      name = name.to_s
      name = name[2..-1] if name.start_with?('::') && !name[2..-1].include?('::')
      Workbench.ask('variable', name, @top)
    end

    def [](name, options = {})
      lookupvar(name, options)
    end

    def include?(name)
      found = find(name)
      !found.equal?(NOTHING) && !found.nil?
    end

    def exist?(name)
      !find(name).equal?(NOTHING)
    end
    alias bound? exist?

    def to_hash(*)
      Workbench.ask('variables', @top)
    end

    def setvar(name, value, _options = {})
      raise Outside, 'a variable set in the global scope' if @top

      Workbench.ask('set', name.to_s, value)
      value
    end

    def []=(name, value, options = {})
      setvar(name, value, options)
    end

    def call_function(name, args = [], *more, &block)
      args = [args, *more] unless args.is_a?(Array) && more.empty?
      Workbench.invoke(name, args, @top, &block)
    end

    def catalog
      Catalog.new
    end

    def compiler
      Compiler.new
    end

    def environment
      Environment.new
    end

    def resource
      found = Workbench.ask('resource_around')
      found.equal?(NOTHING) ? nil : Puppet::Resource.of(found)
    end

    def source
      Named.new(Workbench.ask('module_around'))
    end

    def findresource(type, title = nil)
      catalog.resource(type, title)
    end

    def tags
      raise Outside, 'tags of a scope'
    end

    def class_scope(_name)
      raise Outside, 'the scope of a class'
    end

    def send(name, *args, &block)
      __send__(name, *args, &block)
    end

    def method_missing(name, *args, &block)
      text = name.to_s
      raise Outside, "`scope.#{text}`" unless text.start_with?('function_')
      raise Outside, "a block for `#{text}`" if block

      Functions3.load(text.delete_prefix('function_'))
      return __send__(name, *args) if Scope.method_defined?(name)

      raise ArgumentError, "#{text} takes one array with its arguments" unless args.size == 1 && args.first.is_a?(Array)

      Workbench.ask('call', text.delete_prefix('function_'), args.first, @top)
    end

    def respond_to_missing?(name, _private = false)
      name.to_s.start_with?('function_')
    end

    def inspect
      'Scope()'
    end
    alias to_s inspect
  end

  class << self
    # Calls a function of the evaluation, which may be one in Ruby.
    def invoke(name, args, top = false, &block)
      question = ['call', name.to_s.delete_prefix('::'), args, top]
      question << block.arity if block
      found = ask(*question, &block)
      return nil if found.equal?(NOTHING)

      found.is_a?(String) ? symbol_in(args, found) || found : found
    end

    # A symbol of the arguments that came back, such as the default of a lookup. The evaluation has texts only.
    def symbol_in(value, text)
      case value
      when Symbol then value if value.to_s == text
      when Partial then nil
      when Array then value.each { |one| (found = symbol_in(one, text)) && (return found) } && nil
      when Hash then symbol_in(value.values, text)
      end
    end
  end

  Named = Struct.new(:name) do
    def module_name
      name
    end

    def to_s
      name.to_s
    end
  end

  class Environment
    def name
      Workbench.environment_name.to_sym
    end

    def to_s
      Workbench.environment_name
    end

    def modules
      Workbench.modules.map { |name, path| Puppet::Module.new(name, path) }
    end

    def module(name)
      Puppet::Module.find(name)
    end

    def modulepath
      Workbench.modules.values.map { |path| File.dirname(path) }.uniq
    end
    alias full_modulepath modulepath
  end

  class << self
    def environment_name
      ask('variable', 'environment', true).to_s
    end
  end

  class Compiler
    def environment
      Environment.new
    end

    def catalog
      Catalog.new
    end

    def topscope
      Scope.new(true)
    end

    def node
      Node.new
    end
  end

  class Node
    def name
      Workbench.ask('variable', 'trusted', true).to_h['certname'] || Workbench.ask('fact', 'fqdn')
    end

    def environment
      Environment.new
    end

    def facts
      Facts.new
    end
  end

  class Facts
    def values
      Workbench.ask('variable', 'facts', true)
    end
  end

  # Resources that are in the catalog now.
  class Catalog
    def resource(type, title = nil)
      ref = type.is_a?(Puppet::Resource) || type.is_a?(Puppet::Pops::Types::PAnyType) ? type.to_s : nil
      ref ||= title.nil? ? type.to_s : "#{Puppet::Resource.cap(type)}[#{title}]"
      found = Workbench.ask('resource', ref)
      found.equal?(NOTHING) ? nil : Puppet::Resource.of(found)
    end
    alias [] resource

    def resources
      Workbench.ask('resources').map { |one| Puppet::Resource.of(one) }
    end

    def classes
      Workbench.ask('classes')
    end

    def tags
      raise Outside, 'tags of a catalog'
    end

    def resource_refs
      resources.map(&:to_s)
    end

    def host_config?
      true
    end

    def environment_instance
      Environment.new
    end
  end

  # Functions of the third form, by the file of their name.
  module Functions3
    def self.load(name)
      @seen ||= {}
      return if @seen[name]

      @seen[name] = true
      path = Workbench.find("puppet/parser/functions/#{name}.rb")
      Workbench.load_once(path) if path
    end
  end
end
