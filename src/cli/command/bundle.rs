//! `workbench deploy bundle`, and `deploy show` for bundles.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::cli::args::{Entry, Format, Global, Work};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::open;
use crate::cli::paint::Role;
use crate::session::bundle::{BundleStatus, Signer, leads_to_bundle, show};
use crate::session::{Cancel, Interrupts, PackOptions, is_missing};
use crate::source::printable;

/// Pack a module with all its imports and files into one bundle
///
/// The same inputs always give the same bytes. Files that the program reads but the bundle does not contain are listed.
/// Sign a bundle with `minisign -Sm FILE`. `workbench apply BUNDLE` accepts it on a machine if the signer's key is in
/// the setting `trusted-keys` of that machine, or after `workbench modules BUNDLE --approve` there.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy bundle site/ -o site.bundle\n  \
    workbench deploy bundle site/ -o site.bundle --name site --counter 7 --expires 2027-01-31\n  \
    minisign -Sm site.bundle\n  workbench deploy show site.bundle\n  workbench preview site.bundle\n  \
    workbench modules site.bundle --approve && workbench apply site.bundle")]
pub struct BundleArgs {
    #[command(flatten)]
    entry: Entry,
    /// Output file; an existing file is overwritten only if it is a bundle
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Name of the bundle
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Version counter; a machine refuses a bundle with a lower counter than one it applied
    #[arg(long, value_name = "N", requires = "name", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    counter: Option<u64>,
    /// Expiry: a date, or a time such as 2027-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    expires: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A day starts in UTC, so that the same options give the same bytes everywhere.
fn moment(text: &str) -> Result<String, String> {
    let at = text.parse::<jiff::Timestamp>().or_else(|_| format!("{text}T00:00:00Z").parse());
    at.map(|at| at.to_string())
        .map_err(|_| "expected a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z".into())
}

impl BundleArgs {
    /// Writes the bundle, and prints its hash and its missing parts.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let cancel = Cancel::default();
        let _interrupts = Interrupts::catch_for(cancel.clone())?;
        let options = PackOptions { name: self.name.clone(), counter: self.counter, expires: self.expires.clone() };
        let packed = match session.pack(&self.output, &options, &cancel) {
            Ok(packed) => packed,
            Err(report) => return Ok(face.report(&report)),
        };
        let files = &packed.manifest.files;
        if self.format == Format::Json {
            let missing = &packed.manifest.missing;
            let output = self.output.to_string_lossy();
            let object = json!({
                "version": 1, "bundle": output, "hash": packed.hash, "bytes": packed.bytes,
                "files": files.len(), "missing": missing,
            });
            writeln!(face.out, "{object}")?;
            return Ok(Exit::Done);
        }
        for missing in &packed.manifest.missing {
            writeln!(face.out, "{} {}", face.paint.role(Role::Warning, "not included:"), printable(missing))?;
        }
        let output = self.output.to_string_lossy();
        let bytes = packed.bytes;
        writeln!(face.out, "{}  {}, {bytes} bytes  {}", printable(&output), count(files.len(), "file"), packed.hash)?;
        Ok(Exit::Done)
    }
}

/// The contents of a bundle, and whether this machine accepts it.
pub fn show_bundle(face: &mut Face, global: &Global, path: &Path, format: Format) -> io::Result<Exit> {
    if !leads_to_bundle(path) {
        let message = match !is_missing(&path.to_string_lossy()) {
            true => format!("`{}` is not a bundle", path.display()),
            false => format!("`{}` is neither a deploy number nor a bundle", path.display()),
        };
        return Ok(face.refuse(&message, "`workbench deploy list` lists the deploys"));
    }
    let options = Work::default().options(global, &face.config);
    let shown = match show(path, &options) {
        Ok(shown) => shown,
        Err(report) => return Ok(face.report(&report)),
    };
    match format {
        Format::Json => json_form(face, &shown)?,
        Format::Text => text_form(face, path, &shown)?,
    }
    Ok(match &shown.refused {
        Some(why) => face.refuse(&format!("refused on this machine: {why}"), why.help()),
        None => Exit::Done,
    })
}

fn signer_words(signer: &Signer) -> String {
    match signer {
        Signer::Unsigned => "not signed".into(),
        Signer::Stranger => "signed by a key that is not in trusted-keys".into(),
        Signer::Trusted(key) => format!("signed by trusted key {key}"),
    }
}

fn json_form(face: &mut Face, shown: &BundleStatus) -> io::Result<()> {
    let BundleStatus { hash, manifest, compiled_for, signer, is_approved, refused, modules } = shown;
    let module =
        |(name, commit, hash): &(String, String, String)| json!({"name": name, "commit": commit, "hash": hash});
    let signed = match signer {
        Signer::Unsigned => "no",
        Signer::Stranger => "untrusted",
        Signer::Trusted(_) => "trusted",
    };
    let object = json!({
        "version": 1, "hash": hash, "signature": signed, "approved": is_approved,
        "refused": refused.as_ref().map(ToString::to_string),
        "modules": modules.iter().map(module).collect::<Vec<_>>(),
        "for": compiled_for, "manifest": manifest,
    });
    writeln!(face.out, "{object}")
}

fn text_form(face: &mut Face, path: &Path, shown: &BundleStatus) -> io::Result<()> {
    let paint = face.paint;
    let manifest = &shown.manifest;
    let bytes: u64 = manifest.files.iter().map(|file| file.size).sum();
    writeln!(face.out, "{}  {}", paint.role(Role::Title, printable(&path.to_string_lossy())), shown.hash)?;
    if let Some(name) = &manifest.name {
        let counter = manifest.counter.map_or(String::new(), |counter| format!(" {counter}"));
        writeln!(face.out, "  version   {}{counter}", paint.role(Role::Name, printable(name)))?;
    }
    if let Some(expires) = &manifest.expires {
        writeln!(face.out, "  expires   {}", printable(expires))?;
    }
    writeln!(face.out, "  {}", signer_words(&shown.signer))?;
    let approved = if shown.is_approved { "approved" } else { "not approved on this machine" };
    writeln!(face.out, "  approval  {approved}")?;
    writeln!(face.out, "  entry     {}", printable(&manifest.entry))?;
    for line in shown.compiled_for.lines() {
        writeln!(face.out, "  compiled  {}", printable(&line))?;
    }
    for (name, commit, hash) in &shown.modules {
        let (name, commit) = (printable(name), printable(commit.get(..10).unwrap_or(commit)));
        writeln!(face.out, "  module    {}  {commit}  {}", paint.role(Role::Name, name), printable(hash))?;
    }
    for missing in &manifest.missing {
        writeln!(face.out, "  {} {}", paint.role(Role::Warning, "not included:"), printable(missing))?;
    }
    for file in &manifest.files {
        let mark = if file.executable { "x" } else { "-" };
        let short = file.sha256.get(..12).unwrap_or_default();
        writeln!(face.out, "  {mark} {:>9}  {short}  {}", file.size, printable(&file.path))?;
    }
    writeln!(face.out, "{}, {bytes} bytes unpacked", count(manifest.files.len(), "file"))
}
