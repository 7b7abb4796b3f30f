//! A real etcd on loopback for a test, where this machine has one.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use workbench::deploy::target::etcd::{Address, Gateway, Op, Span, TlsFiles};
use workbench::deploy::target::mgmt::Mgmt;
use workbench::deploy::target::{Target, TargetError, Tree};
use workbench::session::Cancel;

use crate::ports::free_port;
use crate::promises;
use crate::skip::skip;

/// It ends with the test, and so does all that it kept.
pub struct Etcd {
    child: Child,
    folder: tempfile::TempDir,
    ports: (u16, u16),
    more: Vec<String>,
    scheme: &'static str,
}

/// Where etcd is: what `WORKBENCH_ETCD` says, or on the path.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("WORKBENCH_ETCD").map(PathBuf::from);
    let usual = ["/usr/bin/etcd", "/usr/local/bin/etcd"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|path| path.is_file())
}

impl Etcd {
    /// Nothing, with a word about it, where there is no etcd.
    pub fn start() -> Option<Self> {
        Self::start_with("http", &[])
    }

    pub fn start_with(scheme: &'static str, more: &[&str]) -> Option<Self> {
        let Some(program) = program() else {
            skip("etcd", "there is no etcd (`apt-get install etcd-server`, or name one in WORKBENCH_ETCD)");
            return None;
        };
        let folder = promises::folder();
        let ports = (free_port(), free_port());
        let more: Vec<String> = more.iter().map(|word| (*word).to_owned()).collect();
        let child = begin(&program, folder.path(), ports, scheme, &more);
        let etcd = Self { child, folder, ports, more, scheme };
        etcd.wait();
        Some(etcd)
    }

    /// Until it listens.
    fn wait(&self) {
        let until = Instant::now() + Duration::from_secs(30);
        while std::net::TcpStream::connect(("127.0.0.1", self.ports.0)).is_err() {
            assert!(Instant::now() < until, "etcd listens within half a minute");
            std::thread::sleep(Duration::from_millis(20));
        }
        // It listens before it knows who leads.
        if self.scheme == "http" {
            while !self.is_ready() {
                assert!(Instant::now() < until, "etcd answers within half a minute");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    fn is_ready(&self) -> bool {
        matches!(self.mgmt().probe(&Cancel::default()), Ok(_) | Err(TargetError::NoGateway { .. }))
    }

    pub fn port(&self) -> u16 {
        self.ports.0
    }

    pub fn address(&self) -> String {
        format!("etcd://127.0.0.1:{}", self.ports.0)
    }

    pub fn gateway(&self) -> Gateway {
        let address = Address::parse(&self.address(), false).expect("it is an address");
        Gateway::new(&address, &TlsFiles::default(), None).expect("no file is needed")
    }

    pub fn mgmt(&self) -> Mgmt {
        let address = Address::parse(&self.address(), false).expect("it is an address");
        Mgmt::new(&address, &TlsFiles::default(), None).expect("no file is needed")
    }

    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let got = self.gateway().txn(&[], &[Op::Get(key.into())], &Cancel::default()).expect("it answers").gets();
        got.into_iter().next().flatten().map(|pair| pair.value)
    }

    pub fn put(&self, key: &str, value: &[u8]) {
        let put = Op::Put(key.into(), value.to_vec());
        self.gateway().txn(&[], &[put], &Cancel::default()).expect("it answers");
    }

    pub fn delete(&self, key: &str) {
        self.gateway().txn(&[], &[Op::Delete(key.into())], &Cancel::default()).expect("it answers");
    }

    /// All keys below a prefix.
    pub fn keys(&self, prefix: &str) -> Vec<String> {
        let (mut keys, mut from) = (Vec::new(), prefix.as_bytes().to_vec());
        loop {
            let span = Span { prefix, from: &from, limit: 1000, revision: 0, keys_alone: true };
            let page = self.gateway().page(span, &Cancel::default()).expect("it answers");
            let Some(last) = page.kvs.last() else { return keys };
            from = [last.key.as_slice(), &[0]].concat();
            keys.extend(page.kvs.iter().map(|pair| String::from_utf8_lossy(&pair.key).into_owned()));
        }
    }

    /// Whether every file of a tree is there, whole.
    pub fn holds(&self, tree: &Tree) -> bool {
        use sha2::{Digest, Sha256};
        tree.0.values().all(|leaf| {
            let found = self.get(&format!("/_mgmt/storage/{{sha256}}{}", leaf.hash)).unwrap_or_default();
            Sha256::digest(&found).iter().map(|byte| format!("{byte:02x}")).collect::<String>() == leaf.hash
        })
    }

    /// Kills it as if the power failed, and starts it again on what it kept.
    pub fn restart(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let program = program().expect("it was there a moment ago");
        self.child = begin(&program, self.folder.path(), self.ports, self.scheme, &self.more);
        self.wait();
    }
}

fn begin(program: &Path, folder: &Path, (client, peer): (u16, u16), scheme: &str, more: &[String]) -> Child {
    let (client, peer) = (format!("{scheme}://127.0.0.1:{client}"), format!("http://127.0.0.1:{peer}"));
    Command::new(program)
        .arg("--data-dir")
        .arg(folder.join("data"))
        .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
        .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
        .args(["--initial-cluster", &format!("default={peer}")])
        .args(more)
        .env_clear()
        // Debian's knows this machine only when it is told.
        .env("ETCD_UNSUPPORTED_ARCH", std::env::consts::ARCH.replace("aarch64", "arm64"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("etcd starts")
}

impl Drop for Etcd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
