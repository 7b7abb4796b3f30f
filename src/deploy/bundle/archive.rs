//! The archive around a manifest and its files: one way to write it, and a reader that takes no other.

use std::io::{self, Read, Write};

use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{EntryType, Header};

use super::{BundleError, Content, FileLine, Manifest};
use crate::fetch::TreeLimits;
use crate::source::hex;
use crate::source::printable;

/// The comment in a bundle's gzip header. The number is the version of the archive format.
const COMMENT: &str = "workbench bundle 1";
/// A gzip header with nothing but a comment.
const MAGIC: [u8; 4] = [0x1f, 0x8b, 8, 0x10];
/// The offset of the comment in such a header.
const COMMENT_AT: usize = 10;

/// Unknown: the same bytes on every system.
const SYSTEM: u8 = 255;

const MANIFEST: &str = "manifest.toml";
/// 50,000 lines take 10 MiB.
const MANIFEST_LIMIT: u64 = 16 << 20;
/// A larger file cannot be a bundle.
pub(super) const SIZE_LIMIT: u64 = 256 << 20;
/// The largest ratio of unpacked to packed size, except for small archives.
const RATIO: u64 = 200;
const SMALL: u64 = 1 << 20;
const BLOCK: usize = 512;

/// Whether a file with these first bytes is a bundle, of this format version or a later one.
pub fn is_bundle(start: &[u8]) -> bool {
    let comment = COMMENT.trim_end_matches(|c: char| c.is_ascii_digit());
    start.starts_with(&MAGIC) && start.get(COMMENT_AT..).is_some_and(|rest| rest.starts_with(comment.as_bytes()))
}

/// Packs files, sorted by path, after a manifest that receives their lines. Returns the bundle's bytes.
pub fn write_bundle(manifest: &mut Manifest, files: &[Content]) -> Result<Vec<u8>, BundleError> {
    manifest.list(files)?;
    let text = manifest.text();
    let mut tar = Vec::new();
    append(&mut tar, &header(MANIFEST, text.len() as u64, false)?, text.as_bytes());
    for file in files {
        append(&mut tar, &header(&file.path, file.bytes.len() as u64, file.executable)?, &file.bytes);
    }
    tar.extend_from_slice(&[0; 2 * BLOCK]);
    let packed = gzip(&tar, Compression::default());
    // A reader would reject a very high ratio as a decompression bomb.
    let packed = if is_bomb(tar.len() as u64, packed.len() as u64) { gzip(&tar, Compression::none()) } else { packed };
    // The result must pass our own reader.
    verify(&packed)?;
    Ok(packed)
}

fn gzip(tar: &[u8], level: Compression) -> Vec<u8> {
    let builder = GzBuilder::new().comment(COMMENT).operating_system(SYSTEM);
    let mut out = builder.write(Vec::new(), level);
    out.write_all(tar).expect("memory takes all that is written");
    out.finish().expect("memory takes all that is written")
}

fn append(tar: &mut Vec<u8>, header: &Header, bytes: &[u8]) {
    tar.extend_from_slice(header.as_bytes());
    tar.extend_from_slice(bytes);
    tar.resize(tar.len().next_multiple_of(BLOCK), 0);
}

/// Returns the only valid header for a file in a bundle.
fn header(path: &str, size: u64, executable: bool) -> Result<Header, BundleError> {
    let mut header = Header::new_ustar();
    header.set_path(path).map_err(|_| BundleError::LongName(printable(path).to_string()))?;
    header.set_entry_type(EntryType::Regular);
    header.set_mode(if executable { 0o755 } else { 0o644 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(size);
    header.set_cksum();
    Ok(header)
}

/// Reads and validates the manifest, without the files.
pub fn read_manifest(packed: &[u8]) -> Result<Manifest, BundleError> {
    Unpacker::new(packed)?.manifest()
}

/// Validates a whole bundle and writes nothing.
pub(super) fn verify(packed: &[u8]) -> Result<Manifest, BundleError> {
    unpack(packed, &mut |_, _| Ok(()))
}

/// Validates a whole bundle, and passes on each file with a correct hash.
pub(super) fn unpack(
    packed: &[u8],
    take: &mut impl FnMut(&FileLine, &[u8]) -> Result<(), BundleError>,
) -> Result<Manifest, BundleError> {
    let mut unpacker = Unpacker::new(packed)?;
    let manifest = unpacker.manifest()?;
    for line in &manifest.files {
        let found = unpacker.header()?.ok_or_else(|| BundleError::Missing(line.path.clone()))?;
        judge_header(&found, &line.path, line.size, line.executable)?;
        let bytes = unpacker.content(line.size)?;
        if hex(&Sha256::digest(&bytes)) != line.sha256 {
            return Err(BundleError::Hash(line.path.clone()));
        }
        take(line, &bytes)?;
    }
    if let Some(more) = unpacker.header()? {
        judge_kind(&more)?;
        return Err(BundleError::More(name(&more)));
    }
    unpacker.end()?;
    Ok(manifest)
}

/// Checks every byte of an entry's header against the manifest.
fn judge_header(found: &Header, path: &str, size: u64, executable: bool) -> Result<(), BundleError> {
    judge_kind(found)?;
    let there = name(found);
    if found.path_bytes() != path.as_bytes() {
        return Err(BundleError::Unlisted { found: there, wanted: printable(path).to_string() });
    }
    if found.entry_size().ok() != Some(size) {
        return Err(BundleError::Size(there));
    }
    if found.as_bytes() != header(path, size, executable)?.as_bytes() {
        return Err(BundleError::Header(there));
    }
    Ok(())
}

fn judge_kind(found: &Header) -> Result<(), BundleError> {
    let what = match found.entry_type() {
        EntryType::Regular => return Ok(()),
        EntryType::Link => "a hard link",
        EntryType::Symlink => "a symbolic link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a pipe",
        EntryType::Directory => "a folder",
        EntryType::GNUSparse => "a file with holes",
        EntryType::GNULongName | EntryType::GNULongLink | EntryType::XHeader | EntryType::XGlobalHeader => {
            "an archive extension"
        }
        _ => "of an unknown kind",
    };
    Err(BundleError::NotAFile { path: name(found), what })
}

fn name(header: &Header) -> String {
    printable(&String::from_utf8_lossy(&header.path_bytes())).to_string()
}

fn is_bomb(unpacked: u64, packed: u64) -> bool {
    unpacked > SMALL && unpacked / RATIO > packed
}

/// Decompresses the archive in blocks, and limits the decompressed size.
struct Unpacker<'a> {
    packed: &'a [u8],
    decoder: GzDecoder<&'a [u8]>,
    out: u64,
}

impl<'a> Unpacker<'a> {
    fn new(packed: &'a [u8]) -> Result<Self, BundleError> {
        if packed.len() as u64 > SIZE_LIMIT {
            return Err(BundleError::TooLarge(SIZE_LIMIT));
        }
        let rest = packed.get(COMMENT_AT..).unwrap_or_default();
        let comment = rest.split(|byte| *byte == 0).next().unwrap_or_default();
        if !is_bundle(packed) {
            return Err(BundleError::Damaged("it does not start like a bundle".into()));
        }
        if comment != COMMENT.as_bytes() {
            let number = String::from_utf8_lossy(comment).split(' ').next_back().and_then(|n| n.parse().ok());
            return Err(BundleError::Newer(number.unwrap_or(u32::MAX)));
        }
        // A bundle holds neither the time nor the system of its creation.
        if packed.get(4..8) != Some(&[0; 4]) || packed.get(9) != Some(&SYSTEM) {
            return Err(BundleError::Damaged("it contains a time or a system, which bundles do not have".into()));
        }
        Ok(Self { packed, decoder: GzDecoder::new(packed), out: 0 })
    }

    fn manifest(&mut self) -> Result<Manifest, BundleError> {
        let found = self.header()?.ok_or(BundleError::NoManifest)?;
        judge_kind(&found)?;
        let size = found.entry_size().map_err(|_| BundleError::NoManifest)?;
        if found.path_bytes() != MANIFEST.as_bytes() || size > MANIFEST_LIMIT {
            return Err(BundleError::NoManifest);
        }
        judge_header(&found, MANIFEST, size, false)?;
        let bytes = self.content(size)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| BundleError::Manifest("it is not UTF-8".into()))?;
        let manifest = Manifest::parse(text)?;
        // Each manifest has one text, so that the hash covers what was read.
        if manifest.text() != text {
            return Err(BundleError::Manifest("it was not written by workbench".into()));
        }
        Ok(manifest)
    }

    /// Returns the next entry's header; `None` at the two empty blocks of the end.
    fn header(&mut self) -> Result<Option<Header>, BundleError> {
        let mut block = [0; BLOCK];
        self.fill(&mut block)?;
        if block == [0; BLOCK] {
            self.fill(&mut block)?;
            return if block == [0; BLOCK] { Ok(None) } else { Err(BundleError::Trailing) };
        }
        let mut header = Header::new_old();
        header.as_mut_bytes().copy_from_slice(&block);
        Ok(Some(header))
    }

    /// Reads a file's bytes and the zeros that fill its last block.
    fn content(&mut self, size: u64) -> Result<Vec<u8>, BundleError> {
        let padded = size.next_multiple_of(BLOCK as u64);
        let mut bytes = Vec::new();
        // The buffer grows with the data, because the size in the header is only a claim.
        let mut chunk = [0; 64 << 10];
        while (bytes.len() as u64) < padded {
            let want = (padded - bytes.len() as u64).min(chunk.len() as u64) as usize;
            self.fill(&mut chunk[..want])?;
            bytes.extend_from_slice(&chunk[..want]);
        }
        if bytes[size as usize..].iter().any(|byte| *byte != 0) {
            return Err(BundleError::Trailing);
        }
        bytes.truncate(size as usize);
        Ok(bytes)
    }

    fn fill(&mut self, block: &mut [u8]) -> Result<(), BundleError> {
        self.decoder.read_exact(block).map_err(|error| broken(&error))?;
        self.out += block.len() as u64;
        let total = TreeLimits::default().total + MANIFEST_LIMIT + (TreeLimits::default().entries * 2 * BLOCK) as u64;
        if self.out > total {
            return Err(BundleError::UnpacksTooLarge(total));
        }
        if is_bomb(self.out, self.packed.len() as u64) {
            return Err(BundleError::Bomb(RATIO));
        }
        Ok(())
    }

    /// Rejects data after the end, compressed or not.
    fn end(&mut self) -> Result<(), BundleError> {
        let mut more = [0];
        match self.decoder.read(&mut more).map_err(|error| broken(&error))? {
            0 if self.decoder.get_ref().is_empty() => Ok(()),
            _ => Err(BundleError::Trailing),
        }
    }
}

fn broken(error: &io::Error) -> BundleError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => BundleError::CutOff,
        _ => BundleError::Damaged(error.to_string()),
    }
}
