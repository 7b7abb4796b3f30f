//! Ports on loopback for servers that tests start.

use std::net::TcpListener;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

/// Where the search begins and ends: below what the kernel gives to whoever asks for any port (`ip_local_port_range` in ip(7)), so
/// that no connection of another test takes one between this and the server's start.
const FIRST: u16 = 18_000;
const PAST: u16 = 32_000;

/// A port that nobody listens on, and that no other test gets.
pub fn free_port() -> u16 {
    static NEXT: OnceLock<AtomicU16> = OnceLock::new();
    // Two runs at once begin apart.
    let begin = || AtomicU16::new(FIRST + (std::process::id() % u32::from(PAST - FIRST)) as u16);
    let next = NEXT.get_or_init(begin);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let tried = (FIRST..PAST).map(|_| {
        let port = next.fetch_add(1, Ordering::Relaxed);
        FIRST + port.wrapping_sub(FIRST) % (PAST - FIRST)
    });
    tried.into_iter().find(is_free).expect("loopback has a free port")
}
