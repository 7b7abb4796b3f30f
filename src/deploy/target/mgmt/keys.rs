//! The keys of a mgmt cluster, all below one namespace.

use super::super::tree::{HASH, STORAGE};

const NAMESPACE: &str = "/_mgmt";
/// The prefix of a tree's key in a record. The key has no namespace there.
const SCHEME: &str = "etcdfs://";
/// The parent of all trees.
pub const TREES: &str = "/_mgmt/fs/deploy/";

/// The parent of all deploys.
pub const DEPLOYS: &str = "/_mgmt/deploy/";

/// The parts of a deploy. Readers skip an unknown part if it has only one level.
pub const PAYLOAD: &str = "payload";
/// The part that has the commit of the published repository.
pub const COMMIT: &str = "hash";
/// The part that has the record of workbench itself.
pub const WRITER: &str = "workbench";

/// Returns the key of a deploy's part.
pub fn part(id: u64, part: &str) -> String {
    format!("{DEPLOYS}{id}/{part}")
}

/// Returns the deploy and the part that a key names; `None` for a key that readers ignore.
pub fn parse_part(key: &[u8]) -> Option<(u64, &str)> {
    let (id, part) = std::str::from_utf8(key).ok()?.strip_prefix(DEPLOYS)?.split_once('/')?;
    Some((id.parse().ok()?, part)).filter(|(_, part)| !part.contains('/'))
}

/// Returns the key of a content. The braces belong to it.
pub fn content(hash: &str) -> String {
    format!("{NAMESPACE}{STORAGE}/{{{HASH}}}{hash}")
}

/// Returns a unique key for a tree.
pub fn tree(id: u64, unique: &str) -> String {
    format!("{TREES}{id}-{unique}")
}

/// Returns the deploy number in a tree's key; `None` if the key has another form.
pub fn number_of(tree: &str) -> Option<u64> {
    let (id, unique) = tree.strip_prefix(TREES)?.split_once('-')?;
    Some(id.parse().ok()?).filter(|_| !unique.is_empty() && !unique.contains('/'))
}

/// Returns the name of a tree in a record.
pub fn uri(tree: &str) -> String {
    format!("{SCHEME}{}", tree.trim_start_matches(NAMESPACE))
}

/// Returns the key of the tree that a record names.
pub fn tree_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix(SCHEME)?;
    path.starts_with("/fs/").then(|| format!("{NAMESPACE}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        assert_eq!(part(7, PAYLOAD), "/_mgmt/deploy/7/payload");
        assert_eq!(parse_part(b"/_mgmt/deploy/7/payload"), Some((7, "payload")));
        for bad in ["/_mgmt/deploy/x/payload", "/_mgmt/deploy/7", "/_mgmt/deploy/7/a/b", "/_mgmt/deploy//payload"] {
            assert_eq!(parse_part(bad.as_bytes()), None, "{bad}");
        }
        let key = tree(3, "u");
        assert_eq!((key.as_str(), number_of(&key)), ("/_mgmt/fs/deploy/3-u", Some(3)));
        for bad in
            ["/_mgmt/fs/deploy/3", "/_mgmt/fs/deploy/x-u", "/_mgmt/fs/deploy/3-", "/_mgmt/fs/deploy/3-u/v", "3-u"]
        {
            assert_eq!(number_of(bad), None, "{bad}");
        }
        assert_eq!(uri(&key), "etcdfs:///fs/deploy/3-u");
        assert_eq!(tree_of(&uri(&key)), Some(key));
        assert_eq!(tree_of("etcdfs:///deploy/1/payload"), None);
        assert_eq!(content("ab"), "/_mgmt/storage/{sha256}ab");
    }
}
