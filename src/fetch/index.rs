//! What an index of archives lists: a Puppet Forge, a simple index of Python packages, or a folder of wheels.
//!
//! Answers are data: names and versions are judged, links lead to archives only, and each archive has a digest unless it is
//! on this machine.

use std::fs;
use std::path::Path;

use regex::Regex;
use serde::Deserialize;

use super::FetchError;
use super::release::{Digest, Release};
use super::transport::resolve;
use super::url::{GitUrl, Transport};
use crate::module::Form;

/// A page of an index.
pub struct Page {
    /// Where it was in the end.
    pub url: String,
    pub content_type: String,
    pub body: Vec<u8>,
}

/// Reads a page: its URL and the accepted media types.
pub type Read<'a> = dyn FnMut(&str, &str) -> Result<Page, FetchError> + 'a;

/// More releases, or pages, are not read.
const MOST: usize = 2_000;
const PAGES: usize = 20;

/// All releases of a module, in no order.
pub fn list(base: &GitUrl, form: Form, name: &str, read: &mut Read<'_>) -> Result<Vec<Release>, FetchError> {
    let mut releases = match form {
        Form::Forge => forge(base, name, read)?,
        Form::Wheel if base.transport == Transport::File => folder(base, name)?,
        Form::Wheel => simple(base, name, read)?,
    };
    releases.truncate(MOST);
    if releases.is_empty() { Err(absent(base, name)) } else { Ok(releases) }
}

fn absent(base: &GitUrl, name: &str) -> FetchError {
    FetchError::NoRelease { name: name.to_owned(), index: base.to_string() }
}

fn odd(url: &str, reason: impl ToString) -> FetchError {
    FetchError::Index { url: url.to_owned(), reason: reason.to_string() }
}

/// One page of a Forge's releases.
#[derive(Deserialize)]
struct ForgePage {
    #[serde(default)]
    pagination: Pagination,
    results: Vec<ForgeRelease>,
}

#[derive(Default, Deserialize)]
struct Pagination {
    next: Option<String>,
}

#[derive(Deserialize)]
struct ForgeRelease {
    version: String,
    file_uri: String,
    file_sha256: Option<String>,
    file_md5: Option<String>,
    file_size: Option<u64>,
    deleted_at: Option<String>,
}

/// `base` ends in `/v3`. Paths in the answers are relative to the address before that.
///
/// A Forge leaves deleted releases out unless they are asked for; those of another implementation are left out here.
fn forge(base: &GitUrl, name: &str, read: &mut Read<'_>) -> Result<Vec<Release>, FetchError> {
    const LEFT_OUT: &str = "readme+changelog+license+reference+metadata+module+tags+tasks+plans";
    let root = base.to_string();
    let root = root.strip_suffix("/v3").unwrap_or(&root);
    // An index names files and pages of its own only.
    let own = |page: &str, link: &str| match link.strip_prefix(root).unwrap_or(link) {
        path if path.starts_with('/') && !path.starts_with("//") => Ok(format!("{root}{path}")),
        _ => Err(odd(page, format!("its link `{link}` is not on this server"))),
    };
    let mut next = format!("{root}/v3/releases?module={name}&sort_by=release_date&limit=100&exclude_fields={LEFT_OUT}");
    let mut releases = Vec::new();
    for _ in 0..PAGES {
        let page = read(&next, "application/json").map_err(|error| match error {
            FetchError::NoRepository { status: 404 | 410, .. } => absent(base, name),
            error => error,
        })?;
        let read: ForgePage = serde_json::from_slice(&page.body).map_err(|error| odd(&page.url, error))?;
        for one in read.results.into_iter().filter(|one| one.deleted_at.is_none()) {
            let digest = Digest::of(one.file_sha256.as_deref(), one.file_md5.as_deref());
            let place = own(&page.url, &one.file_uri)?;
            releases.push(Release { version: one.version, place, commit: None, digest, size: one.file_size });
        }
        match read.pagination.next {
            Some(link) if releases.len() < MOST => next = own(&page.url, &link)?,
            _ => break,
        }
    }
    Ok(releases)
}

/// The list of a simple index in JSON (PEP 691).
#[derive(Deserialize)]
struct SimplePage {
    files: Vec<SimpleFile>,
}

#[derive(Deserialize)]
struct SimpleFile {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: std::collections::BTreeMap<String, String>,
    size: Option<u64>,
    #[serde(default)]
    yanked: serde_json::Value,
}

/// A link on an index's page.
struct Link {
    file: String,
    url: String,
    sha256: Option<String>,
    size: Option<u64>,
}

fn simple(base: &GitUrl, name: &str, read: &mut Read<'_>) -> Result<Vec<Release>, FetchError> {
    const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, text/html;q=0.5";
    let page = read(&format!("{base}/{name}/"), ACCEPT).map_err(|error| match error {
        FetchError::NoRepository { status: 404 | 410, .. } => absent(base, name),
        error => error,
    })?;
    let links = if page.content_type.contains("json") {
        let read: SimplePage = serde_json::from_slice(&page.body).map_err(|error| odd(&page.url, error))?;
        let is_taken =
            |file: &SimpleFile| !matches!(file.yanked, serde_json::Value::Bool(true) | serde_json::Value::String(_));
        let link = |file: SimpleFile| {
            let url = resolve(&page.url, &file.url)?;
            Some(Link { file: file.filename, url, sha256: file.hashes.get("sha256").cloned(), size: file.size })
        };
        read.files.into_iter().filter(is_taken).filter_map(link).collect()
    } else {
        links_of(&page.url, &String::from_utf8_lossy(&page.body))
    };
    wheels(base, name, links)
}

/// The links on a page of HTML (PEP 503).
fn links_of(page: &str, html: &str) -> Vec<Link> {
    let anchor = Regex::new(r#"(?is)<a\s([^>]*)>"#).expect("it is a pattern");
    let href = Regex::new(r#"(?is)href\s*=\s*["']([^"']*)["']"#).expect("it is a pattern");
    let link = |attributes: &str| {
        let href = href.captures(attributes)?.get(1)?.as_str().replace("&amp;", "&");
        let url = resolve(page, &href)?;
        let (url, fragment) = url.split_once('#').unwrap_or((&url, ""));
        let file = url.rsplit('/').next()?.to_owned();
        let sha256 = fragment.split('&').find_map(|part| part.strip_prefix("sha256=")).map(str::to_owned);
        Some(Link { file, url: url.to_owned(), sha256, size: None })
    };
    let anchors = anchor.captures_iter(html).filter_map(|found| found.get(1)).map(|found| found.as_str());
    anchors.filter(|attributes| !attributes.contains("data-yanked")).filter_map(link).collect()
}

/// The wheels in a folder, and in one of the module's name in it.
fn folder(base: &GitUrl, name: &str) -> Result<Vec<Release>, FetchError> {
    let mut links = Vec::new();
    for folder in [Path::new(&base.path).to_path_buf(), Path::new(&base.path).join(name)] {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten().take(MOST) {
            let Ok(file) = entry.file_name().into_string() else { continue };
            links.push(Link { url: format!("file://{}/{file}", folder.display()), file, sha256: None, size: None });
        }
    }
    wheels(base, name, links)
}

/// The wheels for every machine among some files.
fn wheels(base: &GitUrl, name: &str, links: Vec<Link>) -> Result<Vec<Release>, FetchError> {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '.'], "-");
    let is_ours = |file: &str| plain(file).starts_with(&format!("{}-", plain(name)));
    let mut releases = Vec::new();
    let mut source = None;
    for link in links {
        let stem = link.file.strip_suffix(".whl").map(|stem| stem.split('-').collect::<Vec<_>>());
        match stem.as_deref() {
            Some([package, version, .., python, "none", "any"])
                if plain(package) == plain(name) && python.split('.').any(|one| one.starts_with("py3")) =>
            {
                let digest = Digest::of(link.sha256.as_deref(), None);
                let version = (*version).to_owned();
                releases.push(Release { version, place: link.url, commit: None, digest, size: link.size });
            }
            None if link.file.ends_with(".tar.gz") && is_ours(&link.file) => source = Some(link.file),
            _ => {}
        }
    }
    match source {
        Some(file) if releases.is_empty() => Err(FetchError::OnlySource { index: base.to_string(), file }),
        _ => Ok(releases),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(base: &str, form: Form, name: &str, pages: &[(&str, &str, &str)]) -> Result<Vec<Release>, FetchError> {
        let base = GitUrl::parse(base).expect("it is a URL");
        list(&base, form, name, &mut |url, _| match pages.iter().find(|(at, ..)| url.contains(at)) {
            Some((_, kind, body)) => {
                Ok(Page { url: url.to_owned(), content_type: (*kind).to_owned(), body: body.as_bytes().to_vec() })
            }
            None => Err(FetchError::NoRepository { url: url.to_owned(), status: 404 }),
        })
    }

    #[test]
    fn a_forge_is_read_page_by_page() {
        let sha = "ab".repeat(32);
        let release = |version: &str, file: &str, more: &str| {
            format!(r#"{{"version":"{version}","file_uri":"{file}","file_sha256":"{sha}"{more}}}"#)
        };
        let one = format!(
            r#"{{"pagination":{{"next":"/v3/releases?module=a-b&offset=100"}},"results":[{},{}]}}"#,
            release("2.0.0", "/v3/files/a-b-2.0.0.tar.gz", ""),
            release("9.0.0", "/v3/files/a-b-9.0.0.tar.gz", r#","deleted_at":"2020-01-01""#)
        );
        let whole = release("1.0.0", "https://f.example/v3/files/x", "");
        let two = format!(r#"{{"pagination":{{"next":null}},"results":[{whole}]}}"#);
        let pages = [("offset=100", "", &*two), ("module=a-b", "", &*one)];
        let all = listed("https://f.example/v3", Form::Forge, "a-b", &pages).expect("both pages are there");
        let short: Vec<_> = all.iter().map(|one| (&*one.version, &*one.place)).collect();
        let base = "https://f.example/v3/files/";
        assert_eq!(short, [("2.0.0", &*format!("{base}a-b-2.0.0.tar.gz")), ("1.0.0", &*format!("{base}x"))]);
        assert_eq!(all[0].digest, Some(Digest::Sha256(sha.clone())));
        let elsewhere = format!(r#"{{"results":[{}]}}"#, release("1.0.0", "https://evil.example/x", ""));
        let read = |pages: &[(&str, &str, &str)]| listed("https://f.example/v3", Form::Forge, "a-b", pages);
        assert!(matches!(read(&[("releases", "", &elsewhere)]), Err(FetchError::Index { .. })));
        let astray = r#"{"pagination":{"next":"https://evil.example/v3/releases"},"results":[]}"#;
        assert!(matches!(read(&[("releases", "", astray)]), Err(FetchError::Index { .. })));
        assert!(matches!(read(&[("releases", "", "<p>hello")]), Err(FetchError::Index { .. })));
        assert!(matches!(read(&[("releases", "", r#"{"results":[]}"#)]), Err(FetchError::NoRelease { .. })));
        assert!(matches!(read(&[]), Err(FetchError::NoRelease { .. })));
    }

    #[test]
    fn a_simple_index_is_read_as_json_and_as_html() {
        let sha = "0a".repeat(32);
        let json = format!(
            r#"{{"files":[{{"filename":"inmanta_module_x-1.0-py3-none-any.whl","url":"../../f/x.whl","hashes":{{"sha256":"{sha}"}}}},
            {{"filename":"inmanta_module_x-2.0-py3-none-any.whl","url":"y","hashes":{{}},"yanked":"broken"}},
            {{"filename":"inmanta_module_x-1.0-cp311-cp311-linux_x86_64.whl","url":"y","hashes":{{}}}}]}}"#
        );
        let html = format!(
            "<a href=\"/f/inmanta_module_x-1.0-py3-none-any.whl#sha256={sha}\">x</a> <A class='y' HREF='z-2.tar.gz'>z</A>\
             <a data-yanked='' href='inmanta_module_x-3.0-py3-none-any.whl'>"
        );
        for (kind, text) in [("application/vnd.pypi.simple.v1+json", &json), ("text/html", &html)] {
            let all = listed(
                "https://p.example/simple",
                Form::Wheel,
                "inmanta-module-x",
                &[("/inmanta-module-x/", kind, text)],
            );
            let all = all.expect("it has one");
            assert_eq!(all.iter().map(|one| &*one.version).collect::<Vec<_>>(), ["1.0"], "{kind}");
            assert_eq!(all[0].digest, Some(Digest::Sha256(sha.clone())));
            assert!(all[0].place.starts_with("https://p.example/f/"), "{}", all[0].place);
        }
        let source = r#"<a href="inmanta-module-x-1.0.tar.gz">"#;
        let only = listed("https://p.example/simple", Form::Wheel, "inmanta-module-x", &[("/", "text/html", source)]);
        assert!(matches!(only, Err(FetchError::OnlySource { .. })));
    }
}
