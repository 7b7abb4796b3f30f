
# Names and addresses of machines. There is no network here: the caller looks them up, and everything else of `resolv` and
# `socket` is Ruby's own.
module Workbench
  module Names
    HOST = /\A[A-Za-z0-9_*.:%-]{1,255}\z/.freeze
    TYPE = /\AResolv::DNS::Resource::((?:IN::)?\w+)\z/.freeze
    ADDRESS = /\A[0-9.]+\z|:/.freeze
    # What a look-up may raise where a network is.
    RAISED = %w[SocketError Resolv::ResolvError Socket::ResolutionError ArgumentError TypeError].to_set

    class << self
      # Covers what a library has just brought.
      def cover
        if !@sockets && here?(:Addrinfo) && here?(:TCPSocket)
          @sockets = true
          [::IPSocket, ::TCPSocket, ::Socket].each { |one| one.singleton_class.prepend(Sockets) }
          ::Addrinfo.singleton_class.prepend(Addresses)
          ::Addrinfo.prepend(Address)
        end
        return if @resolv || !here?(:Resolv) || !defined?(::Resolv::DNS::Resource::IN::SRV)

        @resolv = true
        ::Resolv::DNS.prepend(Dns)
        ::Resolv::Hosts.prepend(Hosts)
      end

      # Whether a library was loaded, and not only named.
      def here?(name)
        Object.autoload?(name).nil? && Object.const_defined?(name)
      end

      def look_up(what, *words)
        found = Workbench.ask('name', what, *words.map { |word| plain(word) })
        return found unless found.is_a?(Hash) && found.key?('raised')

        name, text = found['raised']
        raise Outside, "a look-up that raises #{name}" unless RAISED.include?(name)

        error = Object.const_get(name).new(text)
        error.instance_variable_set(:@workbench_answer, true)
        raise error
      end

      def plain(word)
        case word
        when nil, Numeric, true, false then word
        when Array then word.map { |one| plain(one) }
        when String, Symbol
          raise Outside, 'a look-up of a text that is not a host name' unless HOST.match?(word.to_s)

          word.to_s
        else raise Outside, "a look-up of a #{word.class}"
        end
      end

      # Whether no name is to be looked up.
      def known?(host)
        host.nil? || host.is_a?(Integer) || host.to_s.empty? || ADDRESS.match?(host.to_s)
      end

      # Name servers of the module's own, as a list of their settings.
      def servers(config)
        own = config.instance_variable_get(:@config_info)
        timeouts = config.instance_variable_get(:@timeouts)
        return [nil, nil, nil, timeouts] if own.nil?

        known = own.is_a?(Hash) && (own.keys - %i[nameserver search ndots]).empty?
        servers = known ? [*own[:nameserver]] : []
        known &&= !servers.empty? && servers.all? { |one| ADDRESS.match?(one.to_s) }
        raise Outside, 'name servers that are not given by their address' unless known

        [servers, own[:search] && [*own[:search]], own[:ndots], timeouts]
      end
    end

    module Dns
      def fetch_resource(name, typeclass)
        type = typeclass.name.to_s[TYPE, 1]
        raise Outside, "DNS records of the type #{typeclass}" unless type

        name = "#{name}#{'.' if name.absolute?}" if name.is_a?(::Resolv::DNS::Name)
        found = Names.look_up('dns', name, type.sub('::', '.'), *Names.servers(@config))
        found.each { |reply, at| yield ::Resolv::DNS::Message.decode(reply.unpack1('m')), ::Resolv::DNS::Name.create(at) }
      end

      def use_ipv6?
        Names.look_up('ipv6')
      end
    end

    module Hosts
      # Each look-up reads it, so that a call asks the same whenever it runs.
      def lazy_initialize
        return super unless @filename == self.class::DefaultFileName

        text = Workbench.ask('hosts')
        raise Errno::ENOENT, @filename if text.equal?(NOTHING)

        path = File.join(ENV.fetch('TMPDIR'), 'hosts')
        File.binwrite(path, text)
        read = self.class.new(path).lazy_initialize
        %i[@name2addr @addr2name].each { |name| instance_variable_set(name, read.instance_variable_get(name)) }
        self
      end
    end

    module Sockets
      def getaddress(host)
        Names.known?(host) ? super : Names.look_up('socket', 'getaddress', host)
      end

      def getaddrinfo(host, *more)
        Names.known?(host) ? super : Names.look_up('socket', 'getaddrinfo', host, *more)
      end

      def getnameinfo(address, *more)
        raise Outside, 'the name of an address in bytes' unless address.is_a?(Array)

        Names.look_up('socket', 'getnameinfo', address, *more)
      end
    end

    module Addresses
      def getaddrinfo(host, *more, **options)
        return options.empty? ? super(host, *more) : super(host, *more, **options) if Names.known?(host)
        raise Outside, 'the canonical name of a machine' unless (more[4].to_i & ::Socket::AI_CANONNAME).zero?

        found = Names.look_up('addresses', host, *more)
        found.map { |port, ip, pfamily, type, proto| new(::Socket.sockaddr_in(port, ip), pfamily, type, proto) }
      end

      def ip(host)
        Names.known?(host) ? super : super(getaddrinfo(host, nil).first.ip_address)
      end

      def tcp(host, port)
        Names.known?(host) ? super : getaddrinfo(host, port, nil, :STREAM, ::Socket::IPPROTO_TCP).first
      end

      def udp(host, port)
        Names.known?(host) ? super : getaddrinfo(host, port, nil, :DGRAM, ::Socket::IPPROTO_UDP).first
      end
    end

    module Address
      def getnameinfo(flags = 0)
        return super unless ip?

        ::Socket.getnameinfo([ipv6? ? 'AF_INET6' : 'AF_INET', ip_port, ip_address, ip_address], flags)
      end
    end
  end
end

module Kernel
  alias workbench_require_covered require
  private :workbench_require_covered

  private def require(name)
    loaded = workbench_require_covered(name)
    Workbench::Names.cover
    loaded
  end
end
