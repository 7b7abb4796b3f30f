# Resource types: what they do with the title and the parameters of a resource, without any provider.
module Puppet
  # The values that an attribute allows.
  class Values
    attr_reader :words, :patterns, :aliases

    def initialize
      @words = []
      @patterns = []
      @aliases = {}
    end

    def add(value)
      value.is_a?(Regexp) ? @patterns << value : @words << value.to_s
    end

    def empty?
      @words.empty? && @patterns.empty?
    end

    def word(value)
      text = value.to_s
      text = @aliases.fetch(text, text)
      @words.include?(text) ? text : nil
    end

    def validate(value)
      return if empty? || word(value) || @patterns.any? { |pattern| value.to_s =~ pattern }

      text = "Invalid value #{value.inspect}."
      text += " Valid values are #{@words.map { |one| shown(one) }.join(', ')}." unless @words.empty?
      text += " Valid values match #{@patterns.map(&:inspect).join(', ')}." unless @patterns.empty?
      raise ArgumentError, text
    end

    def shown(word)
      same = @aliases.select { |_, other| other == word }.keys
      same.empty? ? word : "#{word} (also called #{same.join(', ')})"
    end

    def munge(value)
      return value if empty?

      found = word(value)
      found ? found.to_sym : value
    end
  end

  class Parameter
    include Util
    include Util::Errors
    include Logging

    class << self
      include Util
      attr_reader :name, :default, :allowed, :needs
      attr_accessor :owner, :is_boolean

      def inherited(made)
        super
        made.instance_variable_set(:@allowed, Puppet::Values.new)
        made.instance_variable_set(:@default, @default)
      end

      def initvars(name, options)
        @name = name.to_sym
        @namevar = true if options[:namevar]
        @needs = options[:required_features]
        @all = options[:array_matching] == :all
      end

      def desc(_text = nil) end
      alias doc desc

      def doc=(_text) end

      def nodoc; end

      def metaparam; end

      def isnamevar
        @namevar = true
      end

      def isnamevar?
        @namevar || false
      end

      def isrequired
        @required = true
      end

      def required?
        @required || false
      end

      def required_features=(*) end

      def required_features(*) end

      def array_matching
        @all ? :all : :first
      end

      def array_matching=(word)
        @all = word == :all
      end

      def defaultto(value = nil, &block)
        @default = block || proc { value }
      end

      def nodefault
        @default = nil
      end

      def validate(&block)
        define_method(:unsafe_validate, &block)
      end

      def munge(&block)
        define_method(:unsafe_munge, &block)
      end

      def unmunge(&block)
        define_method(:unmunge, &block)
      end

      def sensitive(&block)
        define_method(:is_sensitive, &block)
      end

      def newvalue(name, _options = {}, &_block)
        @allowed.add(name)
      end

      def newvalues(*names)
        names.each { |name| @allowed.add(name) }
      end

      def aliasvalue(name, other)
        @allowed.aliases[name.to_s] = other.to_s
      end

      def value_collection
        @allowed
      end

      def defaultvalues
        newvalue(:present)
        newvalue(:absent)
        defaultto { nil }
        @default = nil
      end

      def retrieve(*) end

      def proxymethods(*) end

      def unmanaged; end

      def to_s
        @name ? "Puppet::Type::#{owner && owner.name.to_s.capitalize}::#{@name}" : super
      end
    end

    attr_accessor :resource, :file, :line
    attr_reader :value

    def initialize(resource: nil, **)
      @resource = resource
    end

    def name
      self.class.name
    end

    def unsafe_validate(value)
      self.class.allowed.validate(value)
    end

    def unsafe_munge(value)
      self.class.allowed.munge(value)
    end

    def unmunge(value)
      value
    end

    def validate(value)
      failing { unsafe_validate(value) }
    end

    def munge(value)
      failing { unsafe_munge(value) }
    end

    def failing
      yield
    rescue ArgumentError, Puppet::Error => e
      raise e if e.is_a?(Puppet::ResourceError)

      made = Puppet::ResourceError.new("Parameter #{name} failed on #{resource.ref}: #{e.message}")
      made.set_backtrace(e.backtrace)
      raise made
    end

    def value=(value)
      validate(value)
      @value = munge(value)
    end

    def should
      value
    end

    def provider
      resource.provider
    end

    def to_s
      name.to_s
    end

    def path
      "/#{resource.ref}/#{name}"
    end

    def metaparam?
      false
    end

    def isnamevar?
      self.class.isnamevar?
    end

    def log(*) end
  end

  class Property < Parameter
    def value=(value)
      self.should = value
    end

    def value
      should
    end

    def should=(values)
      values = [values] unless values.is_a?(Array)
      @should = values
      values.each { |value| validate(value) }
      @should = values.map { |value| munge(value) }
    end

    def should
      return nil unless defined?(@should) && @should

      match_all? ? @should.map { |value| unmunge(value) } : unmunge(@should[0])
    end

    def shouldorig
      @should
    end

    def match_all?
      self.class.array_matching == :all
    end

    def is_to_s(value)
      value.to_s
    end

    def should_to_s(value)
      value.to_s
    end
  end

  module CoercedBoolean
    def unsafe_validate(_value) end

    def unsafe_munge(value)
      case value
      when true, :true, 'true', :yes, 'yes' then true
      when false, :false, 'false', :no, 'no', :undef, nil then false
      else raise ArgumentError, "Invalid value #{value.inspect}. Valid values are true, false, yes, no."
      end
    end
  end

  class Parameter::Boolean < Parameter
    include CoercedBoolean

    def unsafe_validate(value)
      unsafe_munge(value)
    end

    def self.initvars(name, options)
      super
      self.is_boolean = true
    end
  end

  class Property::Boolean < Property
    def unsafe_munge(value)
      # Only truth is coerced.
      case value
      when true, :true, 'true', :yes, 'yes' then true
      when false, :false, 'false', :no, 'no', :undef, nil then false
      else raise ArgumentError, "expected a boolean value, got #{value.inspect}"
      end
    end

    def unsafe_validate(value)
      unsafe_munge(value)
    end
  end

  class Parameter::Path < Parameter
    def self.accept_arrays(flag = true)
      @arrays = flag
    end

    def self.arrays?
      @arrays
    end

    def unsafe_validate(paths)
      raise ArgumentError, "#{name} only accepts a single path, not an array of paths" if paths.is_a?(Array) && !self.class.arrays?

      [paths].flatten.each do |path|
        raise ArgumentError, "#{name} must be a fully qualified path" unless Puppet::Util.absolute_path?(path)
      end
    end
  end

  class Parameter::PackageOptions < Parameter
    def unsafe_munge(values)
      [values].flatten.map { |value| value.is_a?(Hash) ? value : value.to_s }
    end
  end

  class Property::List < Property
    def match_all?
      true
    end

    def should
      return nil unless defined?(@should) && @should

      @should.map { |value| unmunge(value) }.uniq.sort.join(delimiter)
    end

    def membership
      :membership
    end

    def delimiter
      ','
    end
  end

  class Property::OrderedList < Property::List
    def should
      return nil unless defined?(@should) && @should

      @should.join(delimiter)
    end
  end

  class Property::KeyValue < Property
    def should
      return nil unless defined?(@should) && @should

      hash = @should[0].is_a?(Hash) ? @should[0] : @should.map { |pair| pair.split('=', 2) }.to_h
      hash.map { |key, value| "#{key}=#{value}" }.join(';')
    end

    def match_all?
      true
    end
  end

  class Property::Ensure < Property
    def self.initvars(name, options)
      @name = :ensure
      super
    end
  end

  # A replacement for a provider: it has the methods of its file, but no commands.
  class Provider
    class << self
      attr_accessor :resource_type, :name
    end
    attr_accessor :resource

    def initialize(resource = nil)
      @resource = resource
      @property_hash = {}
    end

    def self.method_missing(name, *)
      raise Workbench::Outside, "`#{name}` of a provider"
    end

    def self.respond_to_missing?(*)
      false
    end

    def method_missing(name, *)
      raise Workbench::Outside, "`#{name}` of a provider"
    end

    def respond_to_missing?(*)
      false
    end

    # A provider that a type refers to is in the file of its name.
    def self.const_missing(name)
      path = Workbench.find("puppet/provider/#{name.to_s.gsub(/(?<=[a-z])(?=[A-Z])/, '_').downcase}.rb")
      Workbench.load_once(path) if path
      const_defined?(name, false) ? const_get(name, false) : super
    end

    def self.commands(names)
      @needs_command = true
      optional_commands(names)
    end

    def self.optional_commands(names)
      names.each_key { |name| define_command(name) }
    end

    def self.has_command(name, *)
      @needs_command = true
      define_command(name)
    end

    def self.confine(facts = {}, &_block)
      (@confines ||= []) << facts
    end

    def self.defaultfor(facts = {}, &_block)
      (@defaults ||= []) << facts
    end

    # Whether its conditions hold; they may depend on more than facts.
    def self.suitable?
      return false unless (@confines || []).all? { |facts| !facts.empty? && fits?(facts) }
      raise Workbench::Outside, 'the default provider' if @needs_command

      true
    end

    def self.notdefaultfor(*)
      @has_exceptions = true
    end

    def self.default?
      found = (@defaults || []).any? { |facts| fits?(facts) }
      raise Workbench::Outside, 'the default provider' if found && @has_exceptions

      found
    end

    def self.fits?(facts)
      facts.all? do |name, values|
        actual = Facter.value(name.to_s)
        raise Workbench::Outside, 'the default provider' if actual.nil?

        [values].flatten.any? { |value| value.to_s.casecmp?(actual.to_s) }
      end
    end

    def self.define_command(name)
      define_singleton_method(name) { |*| raise Workbench::Outside, "the command `#{name}`" }
    end

    [:mk_resource_methods, :desc, :initvars, :has_feature, :has_features].each do |name|
      define_singleton_method(name) { |*| nil }
    end

    def self.inherited(*) end
  end

  class Type
    include Util
    include Util::Errors
    include Logging

    META = [:noop, :schedule, :audit, :loglevel, :alias, :tag, :require, :subscribe, :before, :notify, :stage,
            :export, :consume, :provider].freeze
    RELATIONS = [:require, :subscribe, :before, :notify].freeze

    class << self
      include Util
      include Logging
      attr_reader :name

      def known
        @known ||= {}
      end

      def newtype(name, _options = {}, &body)
        name = name.to_sym
        made = Class.new(Type)
        made.prepare(name)
        Type.known[name] = made
        const = name.to_s.capitalize
        Type.send(:remove_const, const) if Type.const_defined?(const, false)
        Type.const_set(const, made) if const =~ /\A[A-Z]\w*\z/
        made.class_eval(&body) if body
        made
      end

      def type(name)
        name = name.to_s.downcase.to_sym
        return Type.known[name] if Type.known.key?(name)

        path = Workbench.find("puppet/type/#{name}.rb")
        Workbench.load_once(path) if path
        Type.known[name] || raise(Workbench::Outside, "the type `#{name}`")
      end

      def prepare(name)
        @name = name
        @attributes = []
        @relations = {}
      end

      attr_reader :attributes, :relations

      def desc(*) end

      def doc=(*) end

      def doc(*) end

      def feature(*) end

      def features
        []
      end

      def apply_to(*) end
      alias apply_to_device apply_to
      alias apply_to_host apply_to
      alias apply_to_all apply_to

      def provide(name, options = {}, &body)
        @provided = [name.to_sym, options, body]
        (@all_provided ||= {})[name.to_sym] = [options, body]
        nil
      end

      # The provider of resources that name none, where facts alone decide it.
      def default_provider
        @default_provider ||= begin
          fit = provider_classes.select(&:suitable?)
          best = fit.select(&:default?)
          best = fit if best.empty?
          raise Workbench::Outside, 'the default provider' unless best.size == 1

          best.first.name
        end
      end

      def provider_classes
        files = provider_files.each { |file| Workbench.load_once(file) }
        all = @all_provided || {}
        raise Workbench::Outside, 'the default provider' unless all.size == files.size

        made = {}
        all.each_key { |word| provider_class(word, made) }
        made.values
      end

      def provider_class(word, made)
        return made[word] if made.key?(word)

        options, body = @all_provided.fetch(word)
        parent = options[:parent] || Provider
        parent = provider_class(parent.to_sym, made) unless parent.is_a?(Class)
        one = Class.new(parent)
        one.resource_type = self
        one.name = word
        one.class_eval(&body) if body
        made[word] = one
      rescue ScriptError, StandardError
        raise Workbench::Outside, 'the default provider'
      end

      def provider_files
        Workbench.modules.values.flat_map { |folder| Dir.glob(File.join(folder, 'lib/puppet/provider', name.to_s, '*.rb')) }
      end

      # The provider of a type that has only one.
      def only_provider
        return @only_provider if defined?(@only_provider)

        @only_provider = Provider
        files = provider_files
        return Provider unless files.size == 1

        Workbench.load_once(files.first)
        word, options, body = @provided
        parent = options && (options[:parent] || Provider)
        return Provider unless parent.is_a?(Class) && parent <= Provider

        made = Class.new(parent)
        made.resource_type = self
        made.name = word
        made.class_eval(&body) if body
        @only_provider = made
      rescue Workbench::Outside, ScriptError, StandardError
        Provider
      end

      def isomorphic?
        instance_variable_defined?(:@isomorphic) ? @isomorphic : true
      end

      def newparam(name, options = {}, &body)
        attribute(name, options, options[:parent] || Parameter, body)
      end

      def newproperty(name, options = {}, &body)
        attribute(name, options, options[:parent] || Property, body)
      end

      def newmetaparam(name, options = {}, &body)
        attribute(name, options, options[:parent] || Parameter, body)
      end

      def newcheck(name, options = {}, &body)
        attribute(name, options, options[:parent] || Parameter, body)
      end

      def attribute(name, options, parent, body)
        raise Workbench::Outside, "the parent #{parent}" unless parent.is_a?(Class) && parent <= Parameter

        made = Class.new(parent)
        made.owner = self
        made.initvars(name, options)
        made.class_eval(&body) if body
        attributes.reject! { |one| one.name == made.name }
        attributes << made
        if options[:boolean]
          define_method("#{name}?") { self[name] == true || self[name].to_s == 'true' }
        end
        const = name.to_s.capitalize
        const_set(const, made) if const =~ /\A[A-Z]\w*\z/ && !const_defined?(const, false)
        made
      end

      def ensurable(&body)
        newproperty(:ensure, parent: Property::Ensure) do
          body ? class_eval(&body) : defaultvalues
        end
      end

      def validate(&block)
        define_method(:own_validate, &block)
      end

      [:autorequire, :autobefore, :autonotify, :autosubscribe].each do |kind|
        # A later block of the same type replaces the first one.
        define_method(kind) { |type, &block| (@relations ||= {})[[kind, type.to_s.downcase]] = block }
      end

      def properties
        attributes.select { |one| one <= Property }
      end

      def parameters
        attributes.reject { |one| one <= Property }.map(&:name)
      end

      def validproperties
        properties.map(&:name)
      end

      def validproperty?(name)
        validproperties.include?(name.to_sym)
      end

      def validparameter?(name)
        parameters.include?(name.to_sym) || META.include?(name.to_sym)
      end

      def validattr?(name)
        name.to_sym == :name || attributes.any? { |one| one.name == name.to_sym } || META.include?(name.to_sym)
      end

      def attrclass(name)
        attributes.find { |one| one.name == name.to_sym }
      end
      alias paramclass attrclass
      alias propertybyname attrclass
      alias paramclass attrclass

      def metaparams
        META - [:provider]
      end

      def metaparam?(name)
        metaparams.include?(name.to_sym)
      end

      def key_attribute_parameters
        attributes.select(&:isnamevar?)
      end

      def key_attributes
        found = key_attribute_parameters.map(&:name)
        found.empty? && attrclass(:name) ? [:name] : found
      end

      def title_patterns
        keys = key_attributes
        return [] if keys.empty?
        return [[/(.*)/m, [[keys.first]]]] if keys.size == 1

        raise Puppet::DevError, 'a type with several names needs title patterns'
      end

      def instances
        []
      end

      def suitable_providers
        raise Workbench::Outside, 'the providers of a type'
      end
      alias defaultprovider suitable_providers
      alias providers suitable_providers
      alias suitableprovider suitable_providers

      def provider(*)
        raise Workbench::Outside, 'the providers of a type'
      end

      def allattrs
        (key_attributes + [:provider] + properties.map(&:name) + parameters + META).uniq
      end

      # The attributes that a title gives.
      def from_title(title)
        title_patterns.each do |pattern, parts|
          match = pattern.match(title.to_s)
          next unless match

          found = {}
          parts.zip(match.captures).each do |(name, convert), text|
            found[name] = convert ? convert.call(text) : text
          end
          return found
        end
        raise Puppet::Error, "no title pattern fits the title #{title.to_s.inspect}"
      end
    end

    attr_accessor :title, :file, :line, :original_parameters

    def initialize(title, parameters)
      parameters = parameters.map { |key, value| [key.to_sym, value] }.to_h
      if title.is_a?(Hash)
        raise Workbench::Outside, 'a resource that a type makes'
      end
      @title = title
      @parameters = {}
      hash = self.class.from_title(title).merge(parameters)
      @original_parameters = hash.dup
      names = self.class.allattrs
      unset = []
      (names + hash.keys).uniq.each do |name|
        next if META.include?(name) && !hash.key?(name)

        if hash.key?(name)
          self[name] = hash[name]
        else
          unset << name
        end
      end
      unset.each { |name| set_default(name) }
      checked
    end

    def checked
      own_validate if respond_to?(:own_validate)
    rescue ArgumentError, Puppet::Error => e
      raise e if e.is_a?(Puppet::ResourceError)

      made = Puppet::ResourceError.new("Validation of #{ref} failed: #{e.message}")
      made.set_backtrace(e.backtrace)
      raise made
    end

    def validate
      own_validate if respond_to?(:own_validate)
    end

    def set_default(name)
      kind = self.class.attrclass(name)
      return if kind.nil? || @parameters.key?(name) || kind.default.nil?

      made = kind.new(resource: self)
      @parameters[name] = made
      value = made.instance_eval(&kind.default)
      @parameters.delete(name)
      # Puppet takes a default `false` for none.
      return if value.nil? || (value == false && !kind.instance_variable_get(:@keeps_false))

      made.value = value
      @parameters[name] = made
    end

    def []=(name, value)
      name = name.to_sym
      kind = self.class.attrclass(name)
      if kind.nil?
        raise Puppet::Error, "no parameter named '#{name}'" unless META.include?(name)

        @parameters[name] = Plain.new(name, value)
        return
      end
      raise Puppet::Error, "#{name} has no value" if value.nil?

      made = @parameters[name] || kind.new(resource: self)
      @parameters[name] = made
      made.value = value
    end

    def [](name)
      name = name.to_sym
      raise ArgumentError, "Invalid parameter #{name}(#{name.inspect})" unless self.class.validattr?(name)

      keys = self.class.key_attributes
      name = keys.first if name == :name && self.class.attrclass(:name).nil? && keys.size == 1
      return self.class.default_provider if name == :provider && @relating && !@parameters.key?(name)

      @parameters[name]&.value
    end

    def value(name)
      self[name]
    end

    def should(name)
      @parameters[name.to_sym]&.should
    end

    def parameter(name)
      @parameters[name.to_sym]
    end

    def property(name)
      found = @parameters[name.to_sym]
      found.is_a?(Property) ? found : nil
    end

    def properties
      @parameters.values.select { |one| one.is_a?(Property) }
    end

    def parameters
      @parameters.dup
    end

    def eachproperty(&block)
      properties.each(&block)
    end

    def newattr(name)
      kind = name.is_a?(Class) ? name : self.class.attrclass(name)
      @parameters[kind.name] ||= kind.new(resource: self)
    end

    def delete(name)
      @parameters.delete(name.to_sym)
    end

    def to_hash
      @parameters.map { |name, one| [name, one.value] }.to_h
    end

    def set?(name)
      @parameters.key?(name.to_sym)
    end

    def name
      self[:name] || title
    end

    def uniqueness_key
      self.class.key_attributes.map { |key| self[key] }
    end

    def ref
      "#{type.to_s.split('::').map(&:capitalize).join('::')}[#{title}]"
    end

    def to_s
      ref
    end

    def path
      "/#{ref}"
    end

    def type
      self.class.name
    end

    def catalog
      Workbench::Catalog.new
    end

    def provider
      self.class.only_provider.new(self)
    end

    def managed?
      properties.any?
    end

    def noop?
      self[:noop] == true
    end

    def resource_type
      self.class
    end

    def exported?
      false
    end

    def virtual?
      false
    end

    def property?(name)
      @parameters[name.to_sym].is_a?(Property)
    end

    def retrieve
      raise Workbench::Outside, 'the state of a resource'
    end

    def metaparam?
      false
    end

    # A parameter that every resource has.
    Plain = Struct.new(:name, :value) do
      def should
        value
      end
    end

    # The relationships that the type adds.
    def sent
      # Several attributes make the name, which no other resource may have.
      keys = self.class.key_attributes.size > 1 && isomorphic? && self[:name] != title ? uniqueness_key : []
      { 'relations' => related, 'key' => keys.map(&:to_s), 'unread' => @unread }.compact
    end

    def isomorphic?
      self.class.isomorphic?
    end

    def related
      @relating = true
      self.class.relations.flat_map do |(kind, type), block|
        # A class is of no resource type, so Puppet does not find it.
        found = type == 'class' ? nil : instance_eval(&block)
        [found].flatten.compact.map do |one|
          text = one.is_a?(Resource) || one.is_a?(Type) ? one.ref : "#{Resource.cap(type)}[#{one}]"
          [kind.to_s, text]
        end
      rescue Workbench::Outside => e
        @unread ||= "#{e.message} for its relationships with #{type}"
        []
      end
    end
  end

  module Util
    module Warnings
      def warnonce(*) end
    end
  end

  # Types that are declared by their attributes.
  module ResourceApi
    def self.register_type(definition)
      attributes = definition[:attributes]
      made = Type.newtype(definition[:name]) {}
      attributes.each do |name, about|
        behaviour = about[:behaviour] || about[:behavior]
        ty = about[:type]
        kind = %i[namevar parameter].include?(behaviour) ? :newparam : :newproperty
        made.public_send(kind, name, namevar: behaviour == :namevar, array_matching: :all) do
          define_method(:unsafe_validate) { |_value| nil }
          @keeps_false = true
          defaultto { about[:default] } unless about[:default].nil?
          define_method(:value=) do |value|
            raise Puppet::ResourceError, "#{resource.ref}: #{name} expects a value of the type #{ty}" unless ResourceApi.fits?(value, ty)

            @value = ResourceApi.converted(value, ty)
            @should = @value
          end
          define_method(:value) { @value }
          define_method(:should) { @value }
        end
      end
      patterns = definition[:title_patterns]
      if patterns
        made.define_singleton_method(:title_patterns) do
          patterns.map { |one| [one[:pattern], one[:pattern].names.map { |name| [name.to_sym] }] }
        end
      end
      [:autorequire, :autobefore, :autonotify, :autosubscribe].each do |kind|
        (definition[:"#{kind}s"] || definition[kind] || {}).each do |type, values|
          made.public_send(kind, type) do
            [values].flatten.flat_map { |value| value.start_with?('$') ? [self[value[1..-1].to_sym]].flatten : [value] }.compact
          end
        end
      end
      made
    end

    def self.register_provider(*) end

    def self.register_transport(*) end

    def self.fits?(value, ty)
      [value, converted(value, ty)].any? { |one| Workbench.ask('is', one, ty) }
    end

    # Texts that stand for numbers and truth, where the type wants them.
    def self.converted(value, ty)
      return value unless value.is_a?(String) && !Workbench.ask('is', value, ty)

      tries = []
      tries << Integer(value) if value =~ /\A-?\d+\z/
      tries << Float(value) if value =~ /\A-?\d+\.\d+\z/
      tries << true if value == 'true'
      tries << false if value == 'false'
      tries.find { |one| Workbench.ask('is', one, ty) } || value
    end
  end
end

module Workbench
  module Work
    class << self
      # What a type makes of resources, each with an error or its relationships.
      def do_type(request)
        Workbench.load_once(Workbench.file(request['file']))
        type = Puppet::Type.type(request['name'])
        sent = request['resources'].map do |one|
          denied = Workbench.denied
          made = resource(type, one)
          made = { 'outside' => Workbench.denied, 'title' => made['title'] }.compact if Workbench.denied && !denied
          Workbench.denied = denied
          made
        end
        { 'resources' => sent, 'isomorphic' => type.isomorphic?, 'keys' => type.key_attributes.map(&:to_s) }
      end

      def resource(type, sent)
        made = checked(type, sent)
        # Several attributes that name a resource are parameters of it.
        made['title'] = Values.out(type.from_title(sent['title'])) if type.key_attributes.size > 1
        made
      rescue Outside, Unknown, StandardError
        made
      end

      def checked(type, sent)
        tries ||= 0
        parameters = Values.in(sent['parameters'])
        type.new(sent['title'], parameters).sent
      rescue Puppet::Error, ArgumentError, RuntimeError => e
        Workbench.raised(e)
      rescue Outside, Unknown, StandardError => e
        # Its provider may define a constant that the type reads.
        retry if e.is_a?(NameError) && e.name.to_s =~ /\A[A-Z]/ && (tries += 1) == 1 && type.only_provider != Puppet::Provider
        # Providers are not loaded, so that another error may be due to that.
        { 'outside' => e.message.to_s.scrub, 'at' => Workbench.place(e) }
      end
    end
  end
end
