# The requests.
module Workbench
  module Work
    class << self
      def function(request)
        Workbench.load_once(Workbench.file(request['file']))
        made = Puppet::Functions.known[request['name']]
        raise Outside, "a file without the function `#{request['name']}`" unless made

        made
      end

      # What a function takes.
      def do_describe(request)
        if request['old']
          Functions3.load(request['name'])
          Workbench.load_once(Workbench.file(request['file']))
          known = Puppet::Parser::Functions.known[request['name']]
          raise Outside, "a file without the function `#{request['name']}`" unless known

          return { 'function' => { 'dispatches' => [], 'types' => [], 'statement' => !known[:rvalue] } }
        end
        made = function(request)
        count = made.dispatches.empty? || made.takes_all? ? 1 : made.dispatches.size
        { 'function' => { 'dispatches' => made.all.first(count).map(&:sent),
                          'mismatches' => made.all.drop(count).map(&:sent), 'types' => made.local_type_texts } }
      end

      def do_call(request)
        args = request['args'].map { |arg| Values.in(arg) }
        found = catch(NOTHING) do
          request['old'] ? old(request, args) : new(request, args)
        end
        return { 'nothing' => true } if found.equal?(NOTHING)

        { 'value' => Values.out(found) }
      end

      def old(request, args)
        Functions3.load(request['name'])
        Workbench.load_once(Workbench.file(request['file']))
        found = Scope.new.__send__("function_#{request['name']}", args)
        Puppet::Parser::Functions.rvalue?(request['name']) ? found : nil
      end

      def new(request, args)
        made = function(request)
        dispatch = made.all[request['dispatch']]
        args.unshift(Scope.new) if dispatch.scope || made.takes_all?
        block = request['block'] && Block.new(request['block']).to_proc
        catch(:undefined_variable) { return made.new.__send__(dispatch.method_name, *args, &block) }
        nil
      end

      # Calls the block that a call has passed to a function of the evaluation.
      def do_yield(request)
        outer = request['of']
        block = waiting_block(outer) || found_block(outer)
        raise Outside, 'a block of another call' unless block

        args = request['args'].map { |arg| Values.in(arg) }
        is_done = false
        begin
          value = block.call(*args)
          is_done = true
        ensure
          # It must not leave the functions that the evaluation is in.
          raise Outside, 'a block that ends its function' unless is_done || $!
        end
        { 'value' => Values.out(value) }
      end

      def waiting_block(outer)
        Workbench.waiting.last&.block_at(outer)
      end

      # Another worker runs the call up to its block.
      def found_block(outer)
        own = Workbench.call
        catch(:block) do
          Workbench.call = Call.new(outer)
          Workbench.call.seek_block
          Workbench.perform(outer)
          nil
        end
      ensure
        Workbench.call = own
      end

      def do_template(request)
        Workbench.text_name = request['name']
        wrapper = Template.new(request)
        erb = ERB.new(request['text'], trim_mode: '-')
        erb.filename = request['name']
        { 'value' => Values.out(erb.result(wrapper.own_binding)) }
      ensure
        Workbench.text_name = nil
      end

      # The facts of files, and the names of those that are not known.
      def do_facts(request)
        unknown = []
        request['files'].each do |path|
          before = Facter.added.keys
          Workbench.denied = nil
          begin
            Workbench.load_once(Workbench.file(path))
            why = Workbench.denied
          rescue Outside, Unknown, LoadError, StandardError => e
            why = e.message.to_s.scrub
          end
          next unless why

          # A fact may be missing because something before it was refused.
          written = File.read(Workbench.file(path)).scan(/Facter\.add[( ]+[:'"](\w+)/).flatten
          unknown << { 'file' => path, 'why' => why, 'names' => (Facter.added.keys - before) | written }
        end
        values = Facter.added.map do |name, added|
          Workbench.denied = nil
          value = Values.out(added.value)
          if Workbench.denied
            unknown << { 'file' => nil, 'why' => Workbench.denied, 'names' => [name] }
            next
          end
          [name, value]
        rescue Outside, Unknown, LoadError, StandardError => e
          unknown << { 'file' => nil, 'why' => e.message.to_s.scrub, 'names' => [name] }
          nil
        end
        Workbench.denied = nil
        { 'value' => { '$hash' => values.compact }, 'unknown' => unknown }
      end
    end
  end

  # A lambda of the language.
  class Block
    def initialize(sent)
      @arity = sent['arity']
    end

    def to_proc
      arity = @arity
      made = proc { |*args| Workbench.ask('block', args) }
      made.define_singleton_method(:arity) { arity }
      made
    end
  end

  # What a template is evaluated in.
  class Template
    def initialize(request)
      @__name__ = request['name']
      (request['variables'] || []).each do |name, value|
        instance_variable_set("@#{name.gsub(/\W/, '_')}", Values.in(value))
      end
    end

    def own_binding
      binding
    end

    def scope
      @__scope__ ||= Scope.new
    end

    def file
      @__name__
    end

    def has_variable?(name)
      scope.include?(name)
    end

    def classes
      Catalog.new.classes
    end

    def all_tags
      raise Outside, 'the tags of a catalog'
    end

    def tags
      raise Outside, 'the tags of a scope'
    end

    def to_hash
      scope.to_hash
    end

    Puppet::Logging.instance_methods.each { |name| define_method(name) { |*| nil } }
  end
end

module Workbench
  request = next_request
  request = run(request) || next_request while request
end
