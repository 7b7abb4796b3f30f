# Libraries that Puppet has loaded.
{ URI: 'uri', IPAddr: 'ipaddr', OpenSSL: 'openssl', Digest: 'digest', YAML: 'yaml', Psych: 'psych', Base64: 'base64',
  SecureRandom: 'securerandom', Pathname: 'pathname', FileUtils: 'fileutils', Tempfile: 'tempfile', StringIO: 'stringio',
  CGI: 'cgi', Timeout: 'timeout', Shellwords: 'shellwords', Open3: 'open3', Benchmark: 'benchmark', Etc: 'etc',
  Zlib: 'zlib', Forwardable: 'forwardable', Singleton: 'singleton', Monitor: 'monitor', Logger: 'logger',
  Socket: 'socket', IPSocket: 'socket', TCPSocket: 'socket', UDPSocket: 'socket', Addrinfo: 'socket', SocketError: 'socket',
  Resolv: 'resolv', Net: 'net/http', OptionParser: 'optparse', PP: 'pp', OpenStruct: 'ostruct', Find: 'find', StringScanner: 'strscan', English: 'English' }
  .each { |name, library| autoload(name, library) }

# What modules refer to.
module Puppet
  PUPPETVERSION = '7.23.0'

  class Error < RuntimeError
    attr_accessor :original, :file, :line

    def initialize(message = nil, original = nil)
      super(message)
      @original = original
    end
  end

  class ParseError < Error
    def initialize(message = nil, *_place)
      super(message)
    end
  end

  class ResourceError < Error; end
  class DevError < Error; end
  class ExecutionFailure < Error; end
  class PreformattedError < Error; end
  class ParseErrorWithIssue < ParseError; end
  class MissingCommand < Error; end

  module Logging
    [:debug, :info, :notice, :warning, :err, :alert, :emerg, :crit].each do |level|
      define_method(level) { |*| nil }
    end

    def warnonce(*) end

    def warn_once(*) end

    def deprecation_warning(*) end

    def puppet_deprecation_warning(*) end

    def log_exception(*) end
  end

  extend Logging

  class << self
    def version
      PUPPETVERSION
    end

    def [](name)
      found = Workbench.ask('setting', name.to_s)
      raise Workbench::Outside, "the setting `#{name}`" if found.equal?(Workbench::NOTHING)

      name.to_s == 'strict' ? found.to_sym : found
    end

    def settings
      self
    end

    def features
      Features
    end

    def lookup(name)
      case name
      when :current_environment, :root_environment then Workbench::Environment.new
      when :global_scope then Workbench::Scope.new(true)
      else raise Workbench::Outside, "Puppet.lookup(:#{name})"
      end
    end

    def run_mode
      Features
    end
  end

  module Features
    def self.method_missing(name, *_args)
      case name.to_s
      when 'microsoft_windows?' then false
      when 'posix?', 'root?', 'json?', 'user?', 'server?', 'master?' then true
      when 'agent?' then false
      when 'name' then :user
      else raise Workbench::Outside, "the feature `#{name}`"
      end
    end

    def self.respond_to_missing?(*)
      true
    end
  end

  # Calls of the evaluation by Ruby.
  class Module
    attr_reader :name, :path

    def initialize(name, path)
      @name = name
      @path = path
    end

    def self.find(name, _environment = nil)
      folder = Workbench.folder(name)
      folder && new(name.to_s, folder)
    end

    def file(part)
      path = File.join(@path, 'files', part.to_s)
      File.exist?(path) ? path : nil
    end

    def template(part)
      path = File.join(@path, 'templates', part.to_s)
      File.exist?(path) ? path : nil
    end

    def metadata
      JSON.parse(File.read(File.join(@path, 'metadata.json')))
    end

    def metadata_file
      File.join(@path, 'metadata.json')
    end

    def version
      metadata['version']
    end

    def to_s
      name
    end
  end

  module Util
    extend Logging

    module_function

    def which(name)
      return name if name.start_with?('/') && File.executable?(name)

      ENV['PATH'].to_s.split(':').map { |folder| File.join(folder, name) }.find { |path| File.file?(path) }
    end

    def absolute_path?(path, platform = nil)
      windows = %r{\A(?:[A-Za-z]:[\\/]|[\\/][\\/][^\\/]+[\\/][^\\/]+|[\\/][\\/]\?[\\/][^\\/]+)}
      path.to_s.match?(platform.to_s == 'windows' ? windows : %r{\A/})
    end

    def symbolizehash(hash)
      hash.each_with_object({}) { |(key, value), made| made[key.respond_to?(:to_sym) ? key.to_sym : key] = value }
    end

    def deterministic_rand(seed, max)
      deterministic_rand_int(seed, max).to_s
    end

    def deterministic_rand_int(seed, max)
      Random.new(seed).rand(max)
    end

    def uri_encode(text, *_options)
      ERB::Util.url_encode(text).gsub('%2F', '/')
    end

    def execute(*)
      raise Workbench::Outside, 'a command'
    end

    module Execution
      class << self
        def execute(*)
          raise Workbench::Outside, 'a command'
        end
        alias execpipe execute
        alias exec execute
      end
    end

    module Platform
      def self.windows?
        false
      end
    end

    module Package
      module_function

      def versioncmp(left, right, ignore_trailing_zeroes = false)
        Workbench.invoke('versioncmp', [left, right, *(ignore_trailing_zeroes ? [true] : [])], true)
      end
    end

    module Json
      def self.load(text)
        JSON.parse(text)
      end

      def self.dump(value, options = {})
        options[:pretty] ? JSON.pretty_generate(value) : JSON.generate(value)
      end
    end

    module Yaml
      YamlLoadError = Class.new(Puppet::Error)

      def self.safe_load(text, allowed = [], _name = nil)
        YAML.safe_load(text, permitted_classes: allowed, aliases: true)
      rescue Psych::Exception => e
        raise YamlLoadError, e.message
      end

      def self.safe_load_file(path, allowed = [])
        safe_load(File.read(path), allowed, path)
      end
    end

    module Errors
      def fail(*args)
        kind = args.first.is_a?(Class) ? args.shift : Puppet::Error
        raise kind, args.join(' ')
      end

      def devfail(text)
        raise Puppet::DevError, text
      end
    end
  end

  module FileSystem
    module_function

    def exist?(path)
      File.exist?(path.to_s)
    end

    def file?(path)
      File.file?(path.to_s)
    end

    def directory?(path)
      File.directory?(path.to_s)
    end

    def read(path, **options)
      File.read(path.to_s, **options)
    end

    def read_preserve_line_endings(path)
      File.read(path.to_s, mode: 'rb', encoding: 'bom|utf-8')
    end

    def binread(path)
      File.binread(path.to_s)
    end

    def readable?(path)
      File.readable?(path.to_s)
    end

    def symlink?(path)
      File.symlink?(path.to_s)
    end

    def size(path)
      File.size(path.to_s)
    end

    def dir_string(path)
      File.dirname(path.to_s)
    end

    def basename_string(path)
      File.basename(path.to_s)
    end

    def path_string(path)
      path.to_s
    end

    def pathname(path)
      Pathname.new(path)
    end
  end

  # A resource as functions see it.
  class Resource
    attr_reader :type, :title

    def initialize(type, title = nil, options = {})
      if title.nil?
        @type, @title = self.class.type_and_title(type, title)
      else
        @type = self.class.cap(type.respond_to?(:name) && !type.is_a?(String) ? type.name : type)
        @title = title
      end
      @parameters = (options[:parameters] || {}).map { |key, value| [key.to_sym, value] }.to_h
    end

    def self.of(sent)
      new(sent['type'], sent['title'], parameters: sent['parameters'])
    end

    def self.cap(type)
      type.to_s.split('::').map(&:capitalize).join('::')
    end

    def self.type_and_title(type, title)
      return [cap(type), title] unless title.nil?
      return [type.type, type.title] if type.is_a?(Resource)

      text = type.to_s
      raise ArgumentError, "#{text.inspect} is no reference to a resource" unless text =~ /\A([^\[\]]+)\[(.+)\]\z/m

      [cap($1), $2.gsub(/\A(['"])(.*)\1\z/m, '\2')]
    end

    def [](name)
      @parameters[name.to_sym]
    end

    def []=(name, value)
      @parameters[name.to_sym] = value
    end

    def to_hash
      @parameters.dup
    end
    alias to_h to_hash
    alias parameters to_hash

    def name
      self[:name] || title
    end

    def key?(name)
      @parameters.key?(name.to_sym)
    end
    alias has_key? key?

    def each(&block)
      @parameters.each(&block)
    end

    def keys
      @parameters.keys
    end

    def evaluated?
      true
    end

    def ref
      "#{type}[#{title}]"
    end

    def to_s
      ref
    end

    def ==(other)
      other.is_a?(Resource) && other.ref == ref
    end
    alias eql? ==

    def hash
      ref.hash
    end
  end

  module Pops
    module Types
      # A type: known by its text.
      class PAnyType
        def initialize(text)
          @text = text
        end

        def to_s
          @text
        end
        alias name to_s
        alias inspect to_s

        def ==(other)
          other.is_a?(PAnyType) && other.to_s == to_s
        end
        alias eql? ==

        def hash
          @text.hash
        end

        def instance?(value)
          Workbench.ask('is', value, @text)
        end

        def simple_name
          @text[/\A[^\[]+/]
        end

        def method_missing(name, *_args)
          raise Workbench::Outside, "`#{name}` of a type"
        end

        def respond_to_missing?(*)
          false
        end
      end

      class PResourceType < PAnyType
        attr_reader :title

        def initialize(text, title)
          super(text)
          @title = title
        end

        def type_name
          @text[/\A[^\[]+/]
        end

        def [](name)
          found = Workbench::Catalog.new.resource(to_s)
          found && found[name]
        end
      end

      class PClassReferenceType < PResourceType
        def class_name
          title
        end
        alias class_name= class_name
      end
      PHostClassType = PClassReferenceType
      PClassType = PClassReferenceType

      def self.type(text, title)
        return PAnyType.new(text) if title.nil?

        (text.start_with?('Class[') ? PClassReferenceType : PResourceType).new(text, title)
      end

      class PSensitiveType < PAnyType
        class Sensitive
          def initialize(value)
            @value = value
          end

          def unwrap
            @value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            '#<Sensitive [value redacted]>'
          end

          def hash
            @value.hash
          end

          def ==(other)
            other.is_a?(Sensitive) && other.hash == hash
          end
          alias eql? ==
        end
      end

      class PBinaryType < PAnyType
        class Binary
          def initialize(encoded)
            @encoded = encoded
          end

          def self.from_base64(text)
            new([text.unpack1('m')].pack('m0'))
          end

          def self.from_string(text)
            new([text].pack('m0'))
          end

          def self.from_binary_string(bytes)
            new([bytes].pack('m0'))
          end

          def binary_buffer
            @encoded.unpack1('m')
          end

          def to_s
            @encoded
          end

          def ==(other)
            other.is_a?(Binary) && other.to_s == to_s
          end
        end
      end

      module TypeCalculator
        class << self
          def instance?(type, value)
            Workbench.ask('is', value, type.to_s)
          end

          def infer(value)
            PAnyType.new(Workbench.ask('type_of', value, false))
          end

          def infer_set(value)
            PAnyType.new(Workbench.ask('type_of', value, true))
          end

          def instance
            self
          end
          alias singleton instance
        end
      end

      class TypeParser
        def self.singleton
          new
        end

        def parse(text, *_loader)
          PAnyType.new(text.to_s)
        end
      end

      class TypeFactory
        def self.method_missing(name, *_args)
          raise Workbench::Outside, "TypeFactory.#{name}"
        end
      end
    end

    module Time
      class Timestamp < Workbench::Scalar; end
      class Timespan < Workbench::Scalar; end
    end

    class Uri < Workbench::Scalar; end

    module PuppetStack
      def self.stacktrace
        [['', 0]]
      end

      def self.top_of_stack
        ['', 0]
      end
    end
  end

  # A reference to what is computed while the catalog is applied.
  module Functions
    class Dispatch
      attr_reader :method_name, :params, :scope, :block, :returns

      def initialize(method_name, body)
        @method_name = method_name
        @params = []
        @scope = false
        @block = nil
        instance_eval(&body) if body
      end

      { param: [false, false], required_param: [false, false], optional_param: [true, false],
        repeated_param: [true, true], optional_repeated_param: [true, true],
        required_repeated_param: [false, true] }.each do |kind, (optional, repeated)|
        define_method(kind) do |type, name|
          @params << { 'type' => type.to_s, 'name' => name.to_s, 'optional' => optional, 'repeated' => repeated }
        end
      end

      def scope_param(*)
        @scope = true
      end

      def required_block_param(*words)
        @block = { 'optional' => false, 'type' => words.size > 1 ? words.first.to_s : 'Callable' }
        @block['type'] = words.first.to_s if words.size == 1 && words.first.is_a?(String)
      end
      alias block_param required_block_param

      def optional_block_param(*words)
        required_block_param(*words)
        @block['optional'] = true
      end

      def return_type(type)
        @returns = type.to_s
      end

      def method_missing(name, *_args)
        raise Workbench::Outside, "`#{name}` of a dispatch"
      end

      def takes?(args)
        least = @params.count { |one| !one['optional'] }
        most = @params.any? { |one| one['repeated'] } ? args.size : @params.size
        args.size.between?(least, most) && args.each_with_index.all? do |arg, at|
          type = (@params[at] || @params.last)['type']
          type == 'Any' || Workbench.ask('is', arg, type)
        end
      end

      def sent
        { 'params' => @params, 'block' => @block, 'returns' => @returns }
      end
    end

    class LocalTypes
      attr_reader :texts

      def initialize(body)
        @texts = []
        instance_eval(&body)
      end

      def type(text)
        @texts << text.to_s
      end
    end

    class Function
      include Puppet::Util

      class << self
        attr_accessor :function_name

        def argument_mismatch(name, &body)
          mismatches << Dispatch.new(name, body)
        end

        def dispatches
          @dispatches ||= []
        end

        def mismatches
          @mismatches ||= []
        end

        def local_types(&body)
          local_type_texts.concat(LocalTypes.new(body).texts)
        end

        def local_type_texts
          @local_type_texts ||= []
        end

        # A function may take its arguments before any dispatch does.
        def takes_all?
          instance_methods(false).include?(:call)
        end

        def dispatcher
          self
        end

        def dispatch(name, *args, &body)
          return dispatches << Dispatch.new(name, body) unless name.is_a?(Function)

          _scope, args = args
          found = dispatches.find { |one| one.takes?(args) }
          raise ArgumentError, "'#{function_name}' takes no such arguments" unless found

          name.__send__(found.method_name, *args, &body)
        end

        # Every dispatch, those of mismatches last.
        def all
          return [Dispatch.new(:call, proc { optional_repeated_param 'Any', :args })] if takes_all?
          return dispatches + mismatches unless dispatches.empty?

          name = function_name.split('::').last.to_sym
          takes = instance_methods(false).include?(name) ? instance_method(name).parameters : []
          [Dispatch.new(name, proc do
            takes.each_with_index do |(kind, word), at|
              case kind
              when :req then param('Any', word || "arg#{at}")
              when :opt then optional_param('Any', word || "arg#{at}")
              when :rest then optional_repeated_param('Any', word || "arg#{at}")
              when :block then optional_block_param
              end
            end
          end)] + mismatches
        end
      end

      def call_function(name, *args, &block)
        Workbench.invoke(name, args, true, &block)
      end

      def closure_scope
        Workbench::Scope.new(true)
      end

      def loader
        self
      end

      def call(scope, *args, &block)
        raise Workbench::Outside, 'a function called as an object'
      end

      def self.builder
        raise Workbench::Outside, 'the builder of a function'
      end
    end

    class PuppetFunction < Function; end

    class InternalFunction < Function; end

    def self.create_function(name, base = Function, &body)
      made = Class.new(base)
      made.function_name = name.to_s
      made.class_eval(&body) if body
      known[name.to_s] = made
    end

    def self.create_loaded_function(name, _loader, base = Function, &body)
      create_function(name, base, &body)
    end

    def self.known
      @known ||= {}
    end
  end

  module Parser
    module Functions
      class << self
        def known
          @known ||= {}
        end

        def newfunction(name, options = {}, &body)
          name = name.to_s
          known[name] = { rvalue: options[:type] == :rvalue, arity: options[:arity] || -1 }
          arity = known[name][:arity]
          Workbench::Scope.send(:define_method, "real_function_#{name}", &body)
          Workbench::Scope.send(:define_method, "function_#{name}") do |*args|
            unless args.size == 1 && args.first.is_a?(Array)
              raise ArgumentError, "function_#{name} takes one array with its arguments"
            end

            list = args.first
            if arity >= 0 && list.size != arity
              raise ArgumentError, "#{name}() takes #{arity} arguments, got #{list.size}"
            elsif arity < 0 && list.size < (arity + 1).abs
              raise ArgumentError, "#{name}() takes at least #{(arity + 1).abs} arguments, got #{list.size}"
            end
            __send__("real_function_#{name}", list)
          end
        end

        # Functions of Puppet itself that have this form.
        OWN = %w[
          assert_type binary_file break contain create_resources defined dig digest each epp fail file filter find_file
          fqdn_rand generate hiera hiera_array hiera_hash hiera_include include inline_epp inline_template lest lookup
          map match md5 new next realize reduce regsubst require return reverse_each scanf sha1 sha256 shellquote slice
          split sprintf step strftime tag tagged template then type versioncmp with
          debug info notice warning err alert emerg crit
        ].freeze

        def function(name, _environment = nil)
          name = name.to_s
          Workbench::Functions3.load(name)
          known.key?(name) || OWN.include?(name) ? "function_#{name}" : false
        end

        def rvalue?(name)
          known.fetch(name.to_s, {})[:rvalue]
        end

        def autoloader
          self
        end

        def loadall(*) end

        def load(name, *)
          Workbench::Functions3.load(name.to_s)
        end

        def environment_module(*)
          self
        end
      end
    end

    module Files
      class << self
        def find_template(name, _environment = nil)
          return name if name.start_with?('/') && File.exist?(name)

          owner, rest = name.split('/', 2)
          folder = Workbench.folder(owner)
          path = folder && rest && File.join(folder, 'templates', rest)
          path && File.exist?(path) ? path : nil
        end

        def find_file(name, _environment = nil)
          return name if name.start_with?('/') && File.exist?(name)

          owner, rest = name.split('/', 2)
          folder = Workbench.folder(owner)
          path = folder && rest && File.join(folder, 'files', rest)
          path && File.exist?(path) ? path : nil
        end
      end
    end

    Scope = Workbench::Scope
  end

  # What a function that provides data gets.
  class LookupContext
    def initialize(sent)
      @sent = sent['$context']
      @environment = sent['environment']
      @module = sent['module']
    end

    def environment_name
      @environment
    end

    def module_name
      @module
    end

    def not_found
      throw Workbench::NOTHING, Workbench::NOTHING
    end

    def interpolate(value)
      Workbench.ask('context', @sent, 'interpolate', [value])
    end

    def cache(key, value)
      Workbench.ask('context', @sent, 'cache', [key, value])
      value
    end

    def cache_all(hash)
      Workbench.ask('context', @sent, 'cache_all', [hash])
      nil
    end

    def cache_has_key(key)
      Workbench.ask('context', @sent, 'cache_has_key', [key])
    end

    def cached_value(key)
      Workbench.ask('context', @sent, 'cached_value', [key])
    end

    def cached_entries(&block)
      pairs = Workbench.ask('context', @sent, 'cached_entries', [])
      return pairs.each_entry unless block

      pairs.each { |pair| block.arity == 2 ? yield(*pair) : yield(pair) }
      nil
    end

    def explain
      Workbench.ask('context', @sent, 'report', [yield.to_s]) if Workbench.ask('context', @sent, 'explains', [])
      nil
    end

    def cached_file_data(path)
      text = Workbench.ask('context', @sent, 'cached_file_data', [path.to_s])
      return text unless block_given?

      @@parsed ||= {}
      key = [path.to_s, text]
      @@parsed[key] = yield(text) unless @@parsed.key?(key)
      @@parsed[key]
    end

    # Data providers of the third version of Hiera.
    def lookup(key, *_rest)
      Workbench.invoke('lookup', [key], true)
    end
  end

  module DataTypes; end
end

module SemanticPuppet
  class Version < Workbench::Scalar
    def self.parse(text)
      made = allocate
      made.fill('$semver', text, text)
      raise ArgumentError, "#{text.inspect} is no version" unless made.parts

      made
    end

    def self.valid?(text)
      text.to_s.match?(/\A\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?\z/)
    end

    def parts
      @parts ||= sent.to_s.match(/\A(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+([\w.-]+))?\z/)
    end

    def major
      parts[1].to_i
    end

    def minor
      parts[2].to_i
    end

    def patch
      parts[3].to_i
    end

    def prerelease
      parts[4]
    end

    def build
      parts[5]
    end

    def key
      rest = parts[4] ? parts[4].split('.').map { |one| one =~ /\A\d+\z/ ? [0, one.to_i, ''] : [1, 0, one] } : nil
      [major, minor, patch, rest ? 0 : 1, rest || []]
    end
  end

  class VersionRange < Workbench::Scalar
    def self.parse(text, *_strict)
      made = allocate
      made.fill('$semver_range', text, text)
      made
    end

    def include?(version)
      Workbench.ask('in_range', self, version)
    end
    alias cover? include?
    alias === include?
  end
end

class Symbol
  def undef?
    self == :undef
  end
end

# A library of Puppet that the stand-in has already, or a file of a module.
module Kernel
  # These give nothing where a process cannot be started.
  private def system(*)
    raise Errno::EPERM, 'a command'
  end

  private def `(_command)
    raise Errno::EPERM, 'a command'
  end

  alias workbench_require require
  private :workbench_require

  private def require(name)
    name = name.to_s
    own = name.start_with?('puppet', 'facter', 'hiera') || name == 'semantic_puppet'
    if own || name.start_with?('puppet_x', 'puppetx')
      path = Workbench.find(name.end_with?('.rb') ? name : "#{name}.rb")
      return Workbench.load_once(path) if path && !(own && Workbench::BROUGHT.include?(name))
      return false if own && name !~ %r{\Apuppet_?x/}
    end
    workbench_require(name)
  end

  private def require_relative(name)
    at = caller_locations(1..1).first
    path = File.expand_path(name.to_s, File.dirname(File.expand_path(at.path)))
    path += '.rb' unless path.end_with?('.rb')
    return Workbench.load_once(path) if path.start_with?(*Workbench.modules.values)

    workbench_require(path)
  end

  def _(text)
    text
  end

  def n_(one, many, count)
    count == 1 ? one : many
  end
end

module Workbench
  BROUGHT = %w[puppet puppet/util puppet/parameter puppet/property puppet/type puppet/functions puppet/error].to_set
end

# What a module is refused here. It may hide the error.
module Workbench
  REFUSED = [Errno::EPERM, Errno::EACCES, Errno::ENOSYS].freeze

  def self.refused_socket?(error)
    Object.autoload?(:SocketError).nil? && error.is_a?(::SocketError) && !error.instance_variable_defined?(:@workbench_answer)
  end

  def self.refusal?(error)
    # Accounts are in files. A socket that fails needs the network, unless the caller has looked up its name.
    REFUSED.any? { |one| error.is_a?(one) } || refused_socket?(error) ||
      (error.is_a?(ArgumentError) && error.message.match?(/\Acan't find (user|group)/))
  end
end

TracePoint.new(:raise) do |point|
  error = point.raised_exception
  Workbench.denied ||= "a refused access (#{error.message})" if Workbench.refusal?(error)
end.enable

module Workbench
  LIBRARIES = [*Gem.path, Gem.default_dir, ENV['TMPDIR'] || '/nowhere'].freeze
end

# The environment is not that of the user.
class << ENV
  [:[], :fetch, :key?, :include?, :has_key?].each do |name|
    read = instance_method(name)
    define_method(name) do |word, *more, &block|
      path = caller_locations(1..1).first&.path.to_s
      hidden = !%w[PATH LANG LANGUAGE TZ STDLIB_LOG_DEPRECATIONS].include?(word) && path.start_with?(*Workbench.modules.values)
      Workbench.denied ||= "the variable #{word} of the environment" if hidden
      read.bind(self).call(word, *more, &block)
    end
  end
end

# A folder that cannot be listed looks empty.
class << Dir
  [:glob, :[], :entries, :children, :foreach].each do |name|
    listed = instance_method(name)
    define_method(name) do |*args, **options, &block|
      path = args.first.is_a?(Array) ? args.first.first : args.first
      path = path.to_s
      inside = !path.start_with?('/') || path.start_with?(*Workbench.modules.values, *$LOAD_PATH, *Workbench::LIBRARIES)
      Workbench.denied ||= "a folder that is not read (#{path})" unless inside
      listed.bind(self).call(*args, **options, &block)
    end
  end
end

module PuppetX; end
