//! Memory and processors, as the kernel reports them now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::read_file;

/// Returns sizes in bytes, counts, the speed in hertz, and the model of each processor on a line.
pub fn read() -> BTreeMap<String, String> {
    let text = |path: &str| String::from_utf8_lossy(&read_file(Path::new(path)).unwrap_or_default()).into_owned();
    let mut pairs = memory(&text("/proc/meminfo"));
    pairs.extend(processors(&text("/proc/cpuinfo")));
    pairs
}

fn memory(text: &str) -> BTreeMap<String, String> {
    const NAMES: [(&str, &str); 4] = [
        ("MemTotal", "memory.total"),
        ("MemAvailable", "memory.available"),
        ("SwapTotal", "swap.total"),
        ("SwapFree", "swap.free"),
    ];
    let bytes = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        rest.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes.saturating_mul(1024))
    };
    NAMES.iter().filter_map(|(theirs, ours)| Some(((*ours).to_owned(), bytes(theirs)?.to_string()))).collect()
}

fn processors(text: &str) -> BTreeMap<String, String> {
    let mut models = Vec::new();
    let (mut sockets, mut cores, mut threads) = (BTreeSet::new(), BTreeSet::new(), 0_usize);
    let (mut socket, mut hertz) = (String::new(), None);
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match name.trim() {
            "processor" => threads += 1,
            "model name" | "cpu" => models.push(value.to_owned()),
            "physical id" => {
                value.clone_into(&mut socket);
                sockets.insert(value.to_owned());
            }
            "core id" => {
                cores.insert((socket.clone(), value.to_owned()));
            }
            "cpu MHz" => hertz = hertz.or_else(|| value.parse::<f64>().ok().map(|megahertz| megahertz * 1e6)),
            _ => {}
        }
    }
    if models.is_empty() {
        models = vec![String::new(); threads];
    }
    let (sockets, cores) = (sockets.len().max(1), cores.len().max(1));
    let mut pairs = BTreeMap::from([
        ("processors.models".to_owned(), models.join("\n")),
        ("processors.sockets".to_owned(), sockets.to_string()),
        ("processors.cores".to_owned(), (cores / sockets).max(1).to_string()),
        ("processors.threads".to_owned(), (threads / cores).max(1).to_string()),
    ]);
    if let Some(hertz) = hertz {
        pairs.insert("processors.hertz".into(), format!("{hertz:.0}"));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::{memory, processors};

    #[test]
    fn counts_sockets_cores_and_threads() {
        let one = |processor: usize, core: usize| {
            format!(
                "processor : {processor}\nmodel name\t: A B\ncpu MHz\t: 2449.998\nphysical id\t: 0\ncore id\t: {core}\n\n"
            )
        };
        let pairs = processors(&(one(0, 0) + &one(1, 0) + &one(2, 1) + &one(3, 1)));
        let of = |name: &str| pairs.get(name).map(String::as_str);
        assert_eq!(of("processors.models"), Some("A B\nA B\nA B\nA B"));
        assert_eq!(
            [of("processors.sockets"), of("processors.cores"), of("processors.threads")],
            [Some("1"), Some("2"), Some("2")]
        );
        assert_eq!(of("processors.hertz"), Some("2449998000"));
        let pairs = memory("MemTotal:       1000 kB\nMemAvailable: 10 kB\n");
        assert_eq!(pairs.get("memory.total").map(String::as_str), Some("1024000"));
        assert_eq!(pairs.len(), 2);
    }
}
