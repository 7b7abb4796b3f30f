# Looks up names and addresses of machines for workbench: one JSON document a line in, one a line out. It runs no code of
# modules, and uses Ruby's own `resolv` and `socket`, as that code would.
require 'json'
require 'resolv'

module Lookup
  # A look-up that may succeed later, which nothing is known from.
  class Later < Exception; end

  # How name servers answered: the code of each reply, or nothing.
  module Watched
    def request(*)
      found = super
      Lookup.replies << found.first.rcode
      found
    rescue Resolv::ResolvTimeout
      Lookup.replies << nil
      raise
    end
  end
  Resolv::DNS::Requester.prepend(Watched)

  class << self
    # The caller ends this process if an answer is late.
    def answer(request)
      return { 'ready' => RUBY_VERSION } if request.key?('load')

      what, *words = request.fetch('ask')
      begin
        { 'value' => __send__("of_#{what}", *words) }
      rescue SocketError => e
        raise Later if later?(e) && !never?(words)

        raise
      end
    rescue Later
      { 'later' => true }
    rescue StandardError => e
      { 'value' => { '$hash' => [['raised', [e.class.name, e.message.to_s.scrub]]] } }
    end

    # Whether the system had no answer. The text is that of `EAI_AGAIN`; an older Ruby has no code.
    def later?(error)
      return error.error_code == Socket::EAI_AGAIN if error.respond_to?(:error_code)

      error.message.match?(/Temporary failure|Try again/i)
    end

    # Names that no machine can have, whatever name servers answer (RFC 6761).
    def never?(words)
      words.flatten.any? { |word| word.to_s.chomp('.').end_with?('.invalid') }
    end

    def replies
      @replies ||= []
    end

    # The replies to a question, each in the form of DNS and with the name that was asked for. Their age is left out: it
    # changes with every second.
    def of_dns(name, type, servers, search, ndots, timeouts)
      own = { nameserver: servers, search: search, ndots: ndots }.compact if servers
      found = []
      replies.clear
      Resolv::DNS.open(own) do |dns|
        dns.timeouts = timeouts || [2, 3, 4]
        dns.fetch_resource(name, Resolv::DNS::Resource.const_get(type.sub('.', '::'))) do |reply, at|
          found << [[ageless(reply).encode].pack('m0'), "#{at}#{'.' if at.absolute?}"]
        end
      end
      # A name server that does not reply, or that fails, is an empty list for Ruby, as is a name without records.
      is_lost = !replies.empty? && [nil, Resolv::DNS::RCode::ServFail].include?(replies.last)
      raise Later if found.empty? && is_lost && !never?([name])

      found
    end

    def ageless(reply)
      made = Resolv::DNS::Message.new(0)
      made.qr = 1
      reply.each_question { |name, type| made.add_question(name, type) }
      reply.each_answer { |name, _, data| made.add_answer(name, 0, data) }
      reply.each_authority { |name, _, data| made.add_authority(name, 0, data) }
      reply.each_additional { |name, _, data| made.add_additional(name, 0, data) }
      made
    end

    def of_ipv6
      Resolv::DNS.new.__send__(:use_ipv6?)
    end

    def of_socket(method, *words)
      case method
      when 'getaddress' then IPSocket.getaddress(*words)
      when 'getaddrinfo' then Socket.getaddrinfo(*words)
      when 'getnameinfo' then Socket.getnameinfo(*words)
      end
    end

    def of_addresses(*words)
      Addrinfo.getaddrinfo(*words).map { |one| [one.ip_port, one.ip_address, one.pfamily, one.socktype, one.protocol] }
    end
  end
end

while (line = STDIN.gets)
  STDOUT.write(JSON.generate(Lookup.answer(JSON.parse(line))) + "\n")
  STDOUT.flush
end
