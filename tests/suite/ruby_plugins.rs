//! Ruby code of Puppet modules with `--run-plugins`: what it may use, and hostile code that reaches nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::skip::skip;
use crate::terminal::PROGRAM;

const CANARY: &str = "canary-4711";

/// Whether this machine has Ruby.
fn has_ruby() -> bool {
    let found = Command::new("ruby").arg("--version").output().is_ok();
    if !found {
        skip("ruby", "Ruby is not installed");
    }
    found
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Compiles an entry within the home of a user with secrets.
fn run(home: &Path, entry: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(["--error-format", "json", "graph", "--format", "puppet-catalog", "--node", "n.example.com"]);
    command.args(more).arg(entry);
    command.env("HOME", home).env("SECRET", CANARY).env("WORKBENCH_STATE", home.join("state"));
    command.stdin(Stdio::null()).output().expect("the program starts")
}

/// The parameters of a resource, or an explanation.
fn parameters(output: &Output, ty: &str, title: &str) -> Value {
    let catalog: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let found = catalog["resources"].as_array().into_iter().flatten();
    let mut found = found.filter(|one| one["type"] == ty && one["title"] == title);
    match found.next() {
        Some(one) => one["parameters"].clone(),
        None => json!(String::from_utf8_lossy(&output.stderr)),
    }
}

/// A module that uses every interface.
const MODULE: &[(&str, &str)] = &[
    (
        "lib/puppet/functions/m/typed.rb",
        "require_relative '../../../puppet_x/m/helper'\n\
         Puppet::Functions.create_function(:'m::typed') do\n  \
         local_types do\n    type 'Name = Pattern[/^[a-z]+$/]'\n  end\n  \
         dispatch :named do\n    param 'Name', :name\n    optional_param 'Integer[1]', :times\n    return_type 'String'\n  end\n  \
         dispatch :list do\n    required_repeated_param 'Integer', :numbers\n  end\n  \
         argument_mismatch :wrong do\n    param 'Boolean', :flag\n  end\n  \
         def named(name, times = 1)\n    PuppetX::M::Helper.shout(name) * times\n  end\n  \
         def list(*numbers)\n    numbers.sum.pow(3, 1000)\n  end\n  \
         def wrong(flag)\n    \"takes no truth such as #{flag}\"\n  end\nend\n",
    ),
    (
        "lib/puppet_x/m/helper.rb",
        "module PuppetX\n  module M\n    module Helper\n      def self.shout(text)\n        text.upcase.unpack('a*').first + '!'\n      end\n    end\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/block.rb",
        "Puppet::Functions.create_function(:'m::block') do\n  dispatch :run do\n    param 'Array', :list\n    \
         required_block_param 'Callable[1,1]', :block\n  end\n  \
         def run(list)\n    list.map { |one| yield(one) }.each_with_object({}) { |one, made| made[one] = one.to_s.hash.class.name }\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/scoped.rb",
        "Puppet::Functions.create_function(:'m::scoped', Puppet::Functions::InternalFunction) do\n  dispatch :run do\n    \
         scope_param\n    param 'String', :name\n  end\n  \
         def run(scope, name)\n    [scope[name], scope.include?('nothing'), closure_scope['facts'].is_a?(Hash), \
         call_function('m::typed', 'abc'), scope.call_function('join', [[1, 2], '-']), ObjectSpace.garbage_collect]\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/values.rb",
        "Puppet::Functions.create_function(:'m::values') do\n  dispatch :run do\n    repeated_param 'Any', :values\n  end\n  \
         def run(*values)\n    values.map { |one| [one.class.name.split('::').last.freeze, one] }.to_a.tap { |list| list.method(:size).unbind }\n  end\nend\n",
    ),
    (
        "lib/puppet/parser/functions/m_old.rb",
        "module Puppet::Parser::Functions\n  newfunction(:m_old, :type => :rvalue, :arity => -2) do |args|\n    \
         Puppet::Parser::Functions.function('m_older')\n    return function_m_older([args[0]]) + lookupvar('here').to_s + Facter.value('kernel').to_s + args[1].inspect\n  end\nend\n",
    ),
    (
        "lib/puppet/parser/functions/m_none.rb",
        "module Puppet::Parser::Functions\n  newfunction(:m_none, :type => :rvalue) do |args|\n    \
         found = call_function('lookup', [args[0], {'default_value' => :none}])\n    \
         found == :none ? 'absent' : found\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/answers.rb",
        "class Answering\n  def method_missing(name, *)\n    \"answer to #{name}\"\n  end\nend\n\
         Puppet::Functions.create_function(:'m::answers') do\n  def answers\n    any = Answering.new\n    \
         [any.require('json'), any.require_relative('json'), any.system('true')].map { |one| one.unpack('a*')[0] }\n  end\nend\n",
    ),
    (
        "lib/puppet/parser/functions/m_older.rb",
        "Puppet::Parser::Functions.newfunction(:m_older, :type => :rvalue) { |args| args[0].tr('a-y', 'b-z').unpack('a*')[0] }\n",
    ),
    (
        "lib/puppet/functions/m/data.rb",
        "Puppet::Functions.create_function(:'m::data') do\n  dispatch :run do\n    param 'Hash[String, Any]', :options\n    \
         param 'Puppet::LookupContext', :context\n  end\n  \
         def run(options, context)\n    context.cached_file_data(options['path']) { |text| text.lines.map { |line| line.chomp.split('=', 2) }.to_h.transform_keys(&:itself) }\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/key.rb",
        "Puppet::Functions.create_function(:'m::key') do\n  dispatch :run do\n    param 'String', :key\n    \
         param 'Hash', :options\n    param 'Puppet::LookupContext', :context\n  end\n  \
         def run(key, options, context)\n    context.not_found unless key.start_with?('k_')\n    \
         return context.cached_value(key) if context.cache_has_key(key)\n    context.explain { 'found' }\n    \
         context.cache(key, context.interpolate(\"#{options['word']} %{facts.kernel} #{key.unpack('a*')[0]}\"))\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/dig.rb",
        "Puppet::Functions.create_function(:'m::dig') do\n  dispatch :run do\n    param 'Array', :parts\n    \
         param 'Hash', :options\n    param 'Puppet::LookupContext', :context\n  end\n  \
         def run(parts, _options, context)\n    { 'deep' => { 'er' => 7 } }.dig(*parts.map(&:itself)) || context.not_found\n  end\nend\n",
    ),
    (
        "templates/t.erb",
        "<%- require 'digest' -%>\n<%= Digest::SHA256.hexdigest(@here)[0, 8].unpack('a*').first %>\n\
         <% if has_variable?('here') -%>\n  <%= scope['m::own'] %> <%= scope.lookupvar('m::own') %> <%= @nothing.inspect %>\n<% end -%>\n\
         <%= scope.call_function('m::typed', ['x']) %> <%= scope.function_m_older(['abc']) %>\n",
    ),
    (
        "lib/facter/m_fact.rb",
        "Facter.add(:m_fact) do\n  confine kernel: 'Linux'\n  setcode { { 'a' => [1, 'x'], 'k' => Facter.value(:kernel) } }\nend\n\
         Facter.add(:m_sum, type: :aggregate) do\n  chunk(:one) { { 'a' => 1 } }\n  chunk(:two, require: :one) { |one| { 'b' => one['a'] + 1 } }\nend\n\
         Facter.add(:m_command) { setcode 'id -u' }\nFacter.add(:m_never) do\n  confine kernel: 'Plan9'\n  setcode { 1 }\nend\n",
    ),
    (
        "lib/puppet/functions/m/passes.rb",
        "Puppet::Functions.create_function(:'m::passes') do\n  dispatch(:run) { param 'Array', :list }\n  def run(list)\n    sum = 0\n    \
         doubled = call_function('map', list) { |x| sum += x; call_function('m::twice', x) }\n    \
         named = call_function('filter', { 'a' => 1, 'b' => 2 }) { |_k, v| v > 1 }\n    [doubled, sum, named]\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/twice.rb",
        "Puppet::Functions.create_function(:'m::twice') do\n  dispatch(:run) { param 'Integer', :x }\n  \
         def run(x)\n    call_function('reduce', [x, x], 0) { |a, b| a + b }\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/leaves.rb",
        "Puppet::Functions.create_function(:'m::leaves') do\n  def leaves(list)\n    call_function('each', list) { |x| return x }\n  end\nend\n",
    ),
    (
        "lib/puppet/functions/m/takes.rb",
        "Puppet::Functions.create_function(:'m::takes') do\n  dispatch :run do\n    param 'Any', :scope\n    repeated_param 'Any', :args\n  end\n  \
         def call(scope, *args)\n    self.class.dispatcher.dispatch(self, scope, [scope] + args)\n  end\n  \
         def run(scope, *args)\n    scope.send('function_m_older', args)\n  end\nend\n",
    ),
    (
        "lib/puppet/type/m_pair.rb",
        "Puppet::Type.newtype(:m_pair) do\n  def self.title_patterns\n    [[/^(\\w+)@(\\w+)$/, [[:user], [:place]]], [/^(\\w+)$/, [[:user]]]]\n  end\n  \
         newparam(:user) { isnamevar }\n  newparam(:place) { isnamevar }\n  autorequire(:file) { provider.class.path_of(self[:user]) }\nend\n",
    ),
    (
        "lib/puppet/provider/m_pair/ruby.rb",
        "Puppet::Type.type(:m_pair).provide(:ruby) do\n  def self.path_of(user)\n    \"/home/#{user}\"\n  end\nend\n",
    ),
    (
        "lib/puppet/type/m_thing.rb",
        "Puppet::Type.newtype(:m_thing) do\n  ensurable\n  def self.title_patterns\n    [[/^(\\w+):(\\d+)$/, [[:name], [:port, ->(text) { text }]]], [/^(\\w+)$/, [[:name]]]]\n  end\n  \
         newparam(:name) { isnamevar }\n  newparam(:port) do\n    isnamevar\n    munge { |value| Integer(value) }\n    \
         validate { |value| raise ArgumentError, \"port #{value} is too large\" if value.to_i > 65_535 }\n  end\n  \
         newproperty(:mode) do\n    newvalues(:fast, :slow)\n    defaultto :fast\n  end\n  \
         newproperty(:files, array_matching: :all) { munge { |value| \"/srv/#{value}\" } }\n  \
         autorequire(:file) { self[:files] }\n  autobefore(:service) { 'web' }\n  autorequire(:class) { 'main' }\n  autosubscribe(:package) { 'p' if self[:port] == 80 }\n  \
         validate { raise Puppet::Error, 'slow is not for port 80' if self[:mode] == :slow && self[:port] == 80 }\nend\n",
    ),
];

#[test]
fn ruby_code_of_modules_computes_values() {
    if !has_ruby() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    fs::create_dir_all(&home).expect("a folder");
    for (name, text) in MODULE {
        write(&work, &format!("modules/m/{name}"), text);
    }
    write(&work, "modules/m/manifests/init.pp", "class m { $own = 'mine' }\n");
    write(
        &work,
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - name: a\n    data_hash: m::data\n    path: a.txt\n  - name: k\n    lookup_key: m::key\n    options: {word: hi}\n  \
         - name: d\n    data_dig: m::dig\n",
    );
    write(&work, "data/a.txt", "first=one\nsecond=two\n");
    let entry = work.join("site.pp");
    let program = "$here = 'here'\ninclude m\n\
        notify { 'typed': message => [m::typed('abc', 2), m::typed(1, 2, 3)] }\n\
        notify { 'block': message => m::block([1, 'a']) |$x| { \"<${x}>\" } }\n\
        notify { 'scoped': message => m::scoped('here') }\n\
        notify { 'values': message => m::values(1, 1.5, true, undef, default, /a b/, [1], {'k' => undef}, \
          Sensitive('s'), SemVer('1.2.3'), Timespan('1-00:00:00'), Notify['typed'], Integer[1, 2]) }\n\
        notify { 'old': message => m_old('abc', undef) }\n\
        notify { 'data': message => [lookup('first'), lookup('k_x'), lookup('k_x'), lookup('deep.er'), lookup('none', undef, undef, 'no')] }\n\
        notify { 'erb': message => template('m/t.erb') }\n\
        notify { 'inline': message => inline_template('<%= [1, 2].pack(\"C*\").unpack(\"C*\").inspect %>') }\n\
        notify { 'facts': message => [$facts['m_fact'], $facts['m_sum'], $facts['m_never']] }\n\
        notify { 'none': message => [m_none('nothing'), m_none('first')] }\n\
        function last() { m::typed('abc') }\n$branch = if true { m::typed('abc') }\n\
        notify { 'last': message => [last(), $branch, ['abc'].map |$v| { m::typed($v) }] }\n\
        notify { 'answers': message => m::answers() }\n\
        notify { 'passes': message => m::passes([1, 2]) }\nnotify { 'takes': message => m::takes('abc') }\n\
        m_pair { 'u@v': }\nfile { '/home/u': }\n\
        m_thing { 'a:80': files => ['x', 'y'] }\nfile { '/srv/y': }\nservice { 'web': }\npackage { 'p': }\n";
    fs::write(&entry, program).expect("a file");
    let output = run(&home, &entry, &["--run-plugins", "--allow-unknown"]);
    let message = |title: &str| parameters(&output, "Notify", title)["message"].clone();
    assert_eq!(message("typed"), json!(["ABC!ABC!", 216]), "{output:?}");
    assert_eq!(message("block"), json!({"<1>": "Integer", "<a>": "Integer"}));
    assert_eq!(message("scoped"), json!(["here", false, true, "ABC!", "1-2", null]));
    assert_eq!(message("none"), json!(["absent", "one"]), "{output:?}");
    // The last statement of a body is its value.
    assert_eq!(message("last"), json!(["ABC!", "ABC!", ["ABC!"]]), "{output:?}");
    let classes: Vec<Value> = message("values").as_array().into_iter().flatten().map(|one| one[0].clone()).collect();
    let expected = [
        "Integer",
        "Float",
        "TrueClass",
        "NilClass",
        "Symbol",
        "Regexp",
        "Array",
        "Hash",
        "Sensitive",
        "Version",
        "Timespan",
        "PResourceType",
        "PAnyType",
    ];
    assert_eq!(classes, expected);
    // Ruby's own methods are private, so that an object may answer to their names.
    let answers = ["require", "require_relative", "system"].map(|name| format!("answer to {name}"));
    assert_eq!(message("answers"), json!(answers), "{output:?}");
    assert_eq!(message("passes"), json!([[2, 4], 3, {"b": 2}]), "{output:?}");
    assert_eq!(message("takes"), json!("bcd"), "{output:?}");
    assert_eq!(message("old"), json!("bcdhereLinux\"\""));
    assert_eq!(message("data"), json!(["one", "hi Linux k_x", "hi Linux k_x", 7, "no"]));
    // The first eight digits of the SHA-256 of `here`.
    assert_eq!(message("erb"), json!("fcec9150\n  mine mine nil\nX! bcd\n"));
    assert_eq!(message("inline"), json!("[1, 2]"));
    assert_eq!(message("facts"), json!([{"a": [1, "x"], "k": "Linux"}, {"a": 1, "b": 2}, null]));
    let catalog: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let relation = |source: &str, target: &str, refresh: bool| {
        let wanted = json!({ "source": source, "target": target, "refresh": refresh });
        let all = catalog["relationships"].as_array().cloned().unwrap_or_default();
        all.iter().any(|one| {
            one["source"] == wanted["source"]
                && one["target"] == wanted["target"]
                && one["refresh"] == wanted["refresh"]
        })
    };
    assert!(relation("File[/srv/y]", "M_thing[a:80]", false), "{}", catalog["relationships"]);
    assert!(relation("M_thing[a:80]", "Service[web]", false), "{}", catalog["relationships"]);
    assert!(relation("Package[p]", "M_thing[a:80]", true), "{}", catalog["relationships"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("m_command") && errors.contains("id -u"), "{errors}");
    // Without the switch, each value is unknown, and the message names the switch.
    fs::write(&entry, "notify { 'typed': message => [m::typed('abc')] }\n").expect("a file");
    let output = run(&home, &entry, &["--allow-unknown"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("--run-plugins"), "{errors}");
    assert_eq!(parameters(&output, "Notify", "typed")["message"][0], json!({"__ptype": "Unknown"}), "{errors}");
    for (text, word) in [
        ("m::typed('A')", "expects"),
        ("m::typed(true)", "takes no truth such as true"),
        ("m::block([1])", "expects a block"),
        ("m::leaves([1])", "a block that ends its function"),
    ] {
        fs::write(&entry, format!("notify {{ 'a': message => {text} }}\n")).expect("a file");
        let errors = run(&home, &entry, &["--run-plugins"]).stderr;
        let errors = String::from_utf8_lossy(&errors);
        assert!(errors.contains(word), "{text}: {errors}");
    }
    for (text, word) in [
        ("m_thing { 'a:70000': }", "port 70000 is too large"),
        ("m_thing { 'a': mode => medium }", "Valid values are fast, slow"),
        ("m_thing { 'a:80': mode => slow }", "slow is not for port 80"),
        ("m_pair { 'u@v': }\nm_pair { 'x': user => 'u', place => 'v' }", "resource M_pair[u@v] already declared"),
    ] {
        fs::write(&entry, format!("{text}\n")).expect("a file");
        let output = run(&home, &entry, &["--run-plugins"]);
        let catalog: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert!(catalog["ral_error"].as_str().is_some_and(|error| error.contains(word)), "{text}: {output:?}");
    }
}

/// Bodies of functions, each with a word of its diagnostic. A value that is unknown counts as a refusal.
const CALLS: &[(&str, &str)] = &[
    ("File.read('$HOME/.ssh/id_rsa')", "Permission denied"),
    ("Dir.entries('$HOME').inspect", "Permission denied"),
    ("Dir.glob('$HOME/.ssh/*').inspect", "not read"),
    ("File.read('/etc/shadow')", "Permission denied"),
    ("begin; File.read('/etc/shadow'); rescue StandardError; 'hidden'; end", "Permission denied"),
    ("File.read(\"/proc/#{Process.ppid}/environ\")", "Permission denied"),
    ("File.read('/proc/self/environ')", "Permission denied"),
    ("File.write('$HOME/written', 'x')", "Permission denied"),
    ("File.write('$MODULES/bad/written', 'x')", "Permission denied"),
    ("File.chmod(0o777, '$HOME/.ssh/id_rsa')", "not permitted"),
    ("File.utime(0, 0, '$HOME/.ssh/id_rsa')", "not permitted"),
    ("File.unlink('$HOME/.ssh/id_rsa')", "Permission denied"),
    ("File.rename('$HOME/.ssh', '$HOME/ssh')", "Permission denied"),
    ("File.symlink('$HOME', ENV['TMPDIR'] + '/h'); File.read(ENV['TMPDIR'] + '/h/.ssh/id_rsa')", "Permission denied"),
    ("require 'socket'; UNIXSocket.new('$SOCKET').write('x')", "not permitted"),
    ("require 'socket'; TCPSocket.new('127.0.0.1', 22)", "not permitted"),
    ("require 'socket'; UDPSocket.new.send('x', 0, '127.0.0.1', 53)", "not permitted"),
    ("loop { fork }", "not permitted"),
    ("system('id') ? 'yes' : 'no'", "not permitted"),
    ("`id`", "not permitted"),
    ("IO.popen(['/bin/cat', '$HOME/.ssh/id_rsa']).read", "not permitted"),
    ("require 'open3'; Open3.capture2('id').first", "not permitted"),
    ("exec('/bin/cat', '$HOME/.ssh/id_rsa')", "Permission denied"),
    ("Process.kill(9, Process.ppid)", "not permitted"),
    ("Process.kill(9, -1)", "not permitted"),
    ("Process.setrlimit(Process::RLIMIT_AS, Process::RLIM_INFINITY)", "not"),
    ("'x'.unpack('a*').first * (2 << 30)", "memory"),
    ("Array.new(1 << 28) { |at| at.to_s * 8 }.size", ""),
    ("while true; end", "bad.rb:"),
    ("loop { }", "bad.rb:"),
    ("sleep 1000", "bad.rb:"),
    ("def self.again; again; end; again", "nests too deep"),
    ("exit!(3)", "ended"),
    ("exit(3)", "exit"),
    ("abort('x')", "SystemExit"),
    ("Process.kill(9, Process.pid); sleep 1", "ended"),
    ("raise KeyError, ENV['SECRET'].inspect", "the variable SECRET of the environment"),
    ("raise KeyError, ENV.keys.sort.inspect", "KeyError"),
    ("ObjectSpace.each_object(IO) { |io| io.close unless io.closed? rescue nil }; 'x'", ""),
];

/// Bodies that are harmless: what they print or register reaches nobody.
const HARMLESS: &[&str] = &[
    "STDOUT.puts('{\"value\":\"forged\"}'); STDERR.puts('$CANARY'); puts 'x'; warn 'x'; 'fine'.unpack('a*').first",
    "at_exit { File.write('$HOME/written', 'x') }; 'fine'.unpack('a*').first",
    "ObjectSpace.each_object(String).count; 'fine'.unpack('a*').first",
    "Thread.new { 1 }.join; 'fine'.unpack('a*').first",
    "require 'tempfile'; Tempfile.create('x') { |f| f.write('fine'); f.flush; f.rewind; f.read }",
];

#[test]
fn hostile_ruby_reaches_nothing() {
    if !has_ruby() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    let (modules, secret, socket) = (work.join("modules"), home.join(".ssh/id_rsa"), home.join("socket"));
    fs::create_dir_all(home.join(".ssh")).expect("a folder");
    fs::write(&secret, CANARY).expect("a file");
    let listener = UnixListener::bind(&socket).expect("a socket");
    listener.set_nonblocking(true).expect("it is a socket");
    let text = |path: &Path| path.to_str().expect("is text").to_owned();
    let filled = |body: &str| {
        body.replace("$HOME", &text(&home)).replace("$MODULES", &text(&modules)).replace("$SOCKET", &text(&socket))
    };
    let begin = Instant::now();
    let entry = work.join("site.pp");
    let call = |body: &str| {
        let ruby =
            format!("Puppet::Functions.create_function(:'bad::bad') do\n  def bad\n    {}\n  end\nend\n", filled(body));
        write(&modules, "bad/lib/puppet/functions/bad/bad.rb", &ruby);
        write(&work, "site.pp", "\nnotify { 'a': message => bad::bad() }\n");
        let begin = Instant::now();
        let output = run(&home, &entry, &["--run-plugins"]);
        let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(begin.elapsed() < Duration::from_secs(90), "{body} took {:?}", begin.elapsed());
        assert!(!out.contains(CANARY) && !errors.contains(CANARY), "{body}: {out}{errors}");
        output
    };
    for body in HARMLESS {
        let output = call(body);
        assert_eq!(parameters(&output, "Notify", "a")["message"], json!("fine"), "{body}");
    }
    for (body, word) in CALLS {
        let output = call(body);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{body}: {output:?}");
        let first: Value = serde_json::from_str(errors.lines().next().unwrap_or_default()).unwrap_or_default();
        assert_eq!(first["line"], 2, "{body}: {errors}");
        assert!(first["label"].as_str().is_some_and(|label| label.contains(word)), "{body}: {errors}");
    }
    println!("{} functions in {:?}", CALLS.len() + HARMLESS.len(), begin.elapsed());
    assert_eq!(fs::read_to_string(&secret).expect("is a file"), CANARY);
    assert_eq!(fs::metadata(&secret).expect("is a file").permissions().mode() & 0o111, 0);
    assert!(!home.join("written").exists() && !modules.join("bad/written").exists());
    assert!(listener.accept().is_err(), "a function connected");
}
