# Looks up names and addresses of machines for workbench: one JSON document a line in, one a line out. It runs no code of
# modules, and uses Ruby's own `resolv` and `socket`, as that code would.
require 'json'
require 'resolv'
require 'timeout'

module Lookup
  # Seconds for one look-up. A caller waits longer for an answer.
  LIMIT = 8
  # Name servers that are silent are not waited for again and again.
  SILENT = 3
  REST = 60

  class Late < Exception; end

  class << self
    def answer(request)
      return { 'ready' => RUBY_VERSION } if request.key?('load')

      what, *words = request.fetch('ask')
      return { 'late' => true } if silent?

      begin
        { 'value' => Timeout.timeout(LIMIT, Late) { __send__("of_#{what}", *words) } }
      rescue Late
        late << now
        { 'late' => true }
      end
    rescue StandardError => e
      { 'value' => { '$hash' => [['raised', [e.class.name, e.message.to_s.scrub]]] } }
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def late
      @late ||= []
    end

    def silent?
      late.reject! { |at| at < now - REST }
      late.size >= SILENT
    end

    # The replies to a question, each in the form of DNS and with the name that was asked for. Their age is left out: it
    # changes with every second.
    def of_dns(name, type, servers, search, ndots, timeouts)
      own = { nameserver: servers, search: search, ndots: ndots }.compact if servers
      found = []
      Resolv::DNS.open(own) do |dns|
        dns.timeouts = timeouts || [2, 3, 4]
        dns.fetch_resource(name, Resolv::DNS::Resource.const_get(type.sub('.', '::'))) do |reply, at|
          found << [[ageless(reply).encode].pack('m0'), "#{at}#{'.' if at.absolute?}"]
        end
      end
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
