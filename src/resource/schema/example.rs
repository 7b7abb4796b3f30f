//! A small complete program for every kind, which `doc` shows below its parameters.

/// Returns the example of a kind, in mcl.
pub fn example(kind: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(known, _)| *known == kind).map(|(_, program)| *program)
}

/// By kind.
pub static EXAMPLES: &[(&str, &str)] = &[
    (
        "augeas",
        r#"augeas "sshd" {
	file => "/etc/ssh/sshd_config",
	lens => "Sshd.lns",
	sets => [struct{path => "PermitRootLogin", value => "no"}],
}
"#,
    ),
    (
        "aws:ec2",
        r#"aws:ec2 "web" {
	state => "running",
	region => "eu-central-1",
	type => "t3.micro",
	imageid => "ami-0123456789abcdef0",
}
"#,
    ),
    (
        "bmc:firmware",
        r#"bmc:firmware "https://bmc1.example.com/" {
	username => "admin",
	password => "secret",
	provider => "dell",
	file => "/srv/firmware/bios.bin",
	version => "2.4",

	Meta:poll => 3600,
}
"#,
    ),
    (
        "bmc:power",
        r#"bmc:power "https://bmc1.example.com/" {
	username => "admin",
	password => "secret",
	driver => "rpc",
	state => "on",

	Meta:poll => 60,
}
"#,
    ),
    (
        "consul:kv",
        r#"consul:kv "motd" {
	key => "web/motd",
	value => "hello",
	address => "127.0.0.1:8500",
}
"#,
    ),
    (
        "cron",
        r#"cron "cleanup" {
	trigger => "OnCalendar",
	time => "daily",
	unit => "cleanup.service",
}
"#,
    ),
    (
        "deploy:tar",
        r#"deploy:tar "/tmp/deploy.tar" {}
"#,
    ),
    (
        "dhcp:host",
        r#"dhcp:server ":67" {
	interface => "lan0",
}
dhcp:host "printer" {
	server => ":67",
	mac => "00:11:22:33:44:55",
	ip => "192.168.42.20/24",
}
"#,
    ),
    (
        "dhcp:range",
        r#"dhcp:server ":67" {
	interface => "lan0",
}
dhcp:range "guests" {
	server => ":67",
	from => "192.168.42.100/24",
	to => "192.168.42.199/24",
	skip => ["192.168.42.150"],
}
"#,
    ),
    (
        "dhcp:server",
        r#"dhcp:server ":67" {
	interface => "lan0",
	leasetime => "10m",
	dns => ["192.168.42.1"],
	routers => ["192.168.42.1"],
}
"#,
    ),
    (
        "docker:container",
        r#"docker:container "web" {
	image => "nginx:1.27",
	env => ["TZ=UTC"],
	ports => {"tcp" => {8080 => 80}},
}
"#,
    ),
    (
        "docker:image",
        r#"docker:image "nginx:1.27" {}
"#,
    ),
    (
        "exec",
        r#"exec "unpack" {
	cmd => "tar -xf /srv/site.tar -C /srv/site",
	shell => "/bin/sh",
	creates => "/srv/site/index.html",
}
"#,
    ),
    (
        "exit",
        r#"exit "done" {
	code => 0,
}
"#,
    ),
    (
        "file",
        r#"file "/etc/motd" {
	state => $const.res.file.state.exists,
	content => "welcome to ${hostname}\n",
	mode => "u=rw,go=r",
}
"#,
    ),
    (
        "firewalld",
        r#"firewalld "web" {
	zone => "public",
	state => $const.res.firewalld.state.exists,
	services => ["http", "https"],
	ports => ["8080/tcp"],
}
"#,
    ),
    (
        "fwattr",
        r#"fwattr "boot" {
	driver => "thinklmi",
	key => "WakeOnLAN",
	value => "Disable",
}
"#,
    ),
    (
        "fwupd:device",
        r#"fwupd:device "bios" {
	device => "System Firmware",
	version => "1.20",
}
"#,
    ),
    (
        "fwupd:remote",
        r#"fwupd:remote "lvfs" {
	enabled => true,
}
"#,
    ),
    (
        "fwupd:system",
        r#"fwupd:system "all" {
	state => "newest",
	exclude => ["UEFI dbx"],
}
"#,
    ),
    (
        "group",
        r#"group "deploy" {
	state => "exists",
	gid => 1500,
}
"#,
    ),
    (
        "gsettings",
        r#"gsettings "dark" {
	user => "ann",
	schema => "org.gnome.desktop.interface",
	key => "color-scheme",
	type => "str",
	value => "prefer-dark",
}
"#,
    ),
    (
        "gzip",
        r#"gzip "/srv/site/index.html.gz" {
	content => "<h1>hello</h1>\n",
	level => $const.res.gzip.level.best_compression,
}
"#,
    ),
    (
        "hetzner:vm",
        r#"hetzner:vm "web1" {
	apitoken => "token",
	state => "running",
	servertype => "cx22",
	datacenter => "nbg1-dc3",
	image => "debian-12",

	Meta:poll => 60,
}
"#,
    ),
    (
        "hostname",
        r#"hostname "web1.example.com" {}
"#,
    ),
    (
        "http:client",
        r#"http:client "/srv/site.tar" {
	url => "https://example.com/site.tar",
}
"#,
    ),
    (
        "http:server",
        r#"http:server ":8080" {
	root => "/srv/site/",
}
"#,
    ),
    (
        "http:server:file",
        r#"http:server ":8080" {}
http:server:file "/hello" {
	server => ":8080",
	data => "hello\n",
}
"#,
    ),
    (
        "http:server:flag",
        r#"http:server ":8080" {}
http:server:flag "/done" {
	server => ":8080",
	key => "status",
}
value "status" {
	any => "", # replaced by what is sent
}
Http:Server:Flag["/done"].value -> Value["status"].any
"#,
    ),
    (
        "http:server:proxy",
        r#"http:server ":8080" {}
http:server:proxy "/mirror/" {
	server => ":8080",
	sub => "/mirror/",
	head => "https://mirror.example.com/debian/",
	cache => "/var/cache/mirror/",
}
"#,
    ),
    (
        "http:server:ui",
        r#"http:server ":8080" {}
http:server:ui "/ui/" {
	server => ":8080",
	data => struct{
		title => "settings",
		head => "",
	},
}
"#,
    ),
    (
        "http:server:ui:input",
        r#"http:server ":8080" {}
http:server:ui "/ui/" {
	server => ":8080",
}
http:server:ui:input "colour" {
	path => "/ui/",
	value => "blue",
}
"#,
    ),
    (
        "json:edit",
        r#"json:edit "/etc/app.json" {
	edits => [".server.port = 8080"],
}
"#,
    ),
    (
        "kv",
        r#"kv "leader" {
	key => "web/leader",
	value => $hostname,
}
"#,
    ),
    (
        "line",
        r#"line "web1" {
	file => "/etc/hosts",
	state => "exists",
	content => "192.0.2.1 web1",
}
"#,
    ),
    (
        "mount",
        r#"mount "/srv" {
	state => "exists",
	device => "/dev/vdb1",
	type => "ext4",
	options => {"noatime" => ""},
}
"#,
    ),
    (
        "msg",
        r#"msg "note" {
	body => "the site was changed",
	priority => "Info",
	journal => true,
}
"#,
    ),
    (
        "net",
        r#"net "eth0" {
	state => $const.res.net.state.up,
	addrs => ["192.0.2.10/24"],
	gateway => "192.0.2.1",
}
"#,
    ),
    (
        "noop",
        r#"noop "middle" {
	comment => "something for others to be ordered by",
}
"#,
    ),
    (
        "nspawn",
        r#"nspawn "build" {
	state => "running",
}
"#,
    ),
    (
        "password",
        r#"password "database" {
	length => 24,
}
file "/etc/app.password" {
	state => $const.res.file.state.exists,
	mode => "u=rw,go=",
}
Password["database"].password -> File["/etc/app.password"].content
"#,
    ),
    (
        "pkg",
        r#"pkg ["nginx", "curl"] {
	state => "installed",
}
"#,
    ),
    (
        "print",
        r#"print "greeting" {
	msg => "hello, ${hostname}",
}
"#,
    ),
    (
        "remote",
        r#"remote "ssh://root@web2.example.com/" {
	hostname => "web2",
	ssh_id => "~/.ssh/id_ed25519",
}
"#,
    ),
    (
        "schedule",
        r#"schedule "web" {
	strategy => "rr",
	max => 2,
}
"#,
    ),
    (
        "ssh:authorized_key",
        r#"ssh:authorized_key "ann@laptop" {
	state => "exists",
	user => "ann",
	type => "ssh-ed25519",
	key => "AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE",
	comment => "ann@laptop",
}
"#,
    ),
    (
        "svc",
        r#"pkg "nginx" {
	state => "installed",
}
svc "nginx" {
	state => "running",
	startup => "enabled",
	Depend => Pkg["nginx"],
}
"#,
    ),
    (
        "sysctl",
        r#"sysctl "net.ipv4.ip_forward" {
	value => "1",
}
"#,
    ),
    (
        "tar",
        r#"tar "/srv/backup.tar" {
	inputs => ["/etc/hosts", "/etc/motd"],
}
"#,
    ),
    (
        "test",
        r#"test "try" {
	anotherstr => "a value",
	int8 => 42,
	slicestring => ["one", "two"],
}
"#,
    ),
    (
        "tftp:file",
        r#"tftp:server ":69" {}
tftp:file "/boot/menu" {
	server => ":69",
	data => "default linux\n",
}
"#,
    ),
    (
        "tftp:server",
        r#"tftp:server ":69" {
	root => "/srv/tftp/",
}
"#,
    ),
    (
        "timer",
        r#"timer "every minute" {
	interval => 60,
	Notify => Print["tick"],
}
print "tick" {
	refresh_only => true,
}
"#,
    ),
    (
        "user",
        r#"user "deploy" {
	state => "exists",
	groups => ["www-data"],
	homedir => "/home/deploy/",
	shell => "/bin/sh",
}
"#,
    ),
    (
        "value",
        r#"import "value"

value "answer" {
	any => 42,
}
$got = value.get_int("answer")
print "got" {
	msg => if $got->ready { "it is there" } else { "not yet" },
}
"#,
    ),
    (
        "virt",
        r#"virt "build" {
	uri => "qemu:///session",
	state => "running",
	cpus => 2,
	memory => 1048576,
	boot => ["hd"],
	disk => [struct{source => "/srv/images/build.qcow2", type => "qcow2"}],
}
"#,
    ),
    (
        "virt:builder",
        r#"virt:builder "/srv/images/build.qcow2" {
	os_version => "debian-12",
	format => "qcow2",
	packages => ["git"],
	run_cmd => ["systemctl enable ssh"],
}
"#,
    ),
    (
        "virt:network",
        r#"virt:network "lab" {
	uri => "qemu:///system",
	state => "up",
	mac => "52:54:00:00:00:fe",
	ip => "192.168.42.1/24",
}
"#,
    ),
    (
        "virt:network:host",
        r#"virt:network "lab" {
	mac => "52:54:00:00:00:fe",
	ip => "192.168.42.1/24",
}
virt:network:host "web1" {
	network => "lab",
	mac => "52:54:00:00:00:01",
	ip => "192.168.42.11/24",
}
"#,
    ),
    (
        "virt:network:range",
        r#"virt:network "lab" {
	mac => "52:54:00:00:00:fe",
	ip => "192.168.42.1/24",
}
virt:network:range "guests" {
	network => "lab",
	start => "192.168.42.100",
	end => "192.168.42.199",
}
"#,
    ),
];

#[cfg(test)]
mod tests {
    use super::EXAMPLES;
    use crate::resource::SCHEMAS;

    #[test]
    fn every_kind_has_one() {
        let kinds = |names: Vec<&'static str>| names;
        assert_eq!(
            kinds(EXAMPLES.iter().map(|(kind, _)| *kind).collect()),
            kinds(SCHEMAS.iter().map(|schema| schema.kind).collect())
        );
    }
}
