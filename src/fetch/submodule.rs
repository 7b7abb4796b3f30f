//! Submodules that the user allows: each is fetched by the same gate as its module, at the commit that this names.

use git2::{Oid, Repository};

use super::FetchError;
use super::url::GitUrl;

/// More of them are no module.
const MOST: usize = 32;

/// Brings a repository in which a commit is.
pub type Bring<'a> = dyn FnMut(&GitUrl, &str) -> Result<Repository, FetchError> + 'a;

/// The repositories of a module's submodules, as they are met.
pub struct Submodules<'a> {
    /// Of the module and its submodules, by their numbers.
    urls: Vec<GitUrl>,
    brought: Vec<Repository>,
    bring: &'a mut Bring<'a>,
}

impl<'a> Submodules<'a> {
    /// Starts with the module at `url`. `bring` fetches each submodule.
    pub fn new(url: &GitUrl, bring: &'a mut Bring<'a>) -> Self {
        Self { urls: vec![url.clone()], brought: Vec::new(), bring }
    }

    /// Brings the submodule at a path of a repository. Gives it, the tree of its commit, and its number.
    pub fn bring(
        &mut self,
        settings: &str,
        parent: usize,
        path: &str,
        commit: Oid,
    ) -> Result<(Repository, Oid, usize), FetchError> {
        let failed = |error: FetchError| FetchError::Submodule { path: path.to_owned(), error: Box::new(error) };
        let number = self.urls.len();
        if number > MOST {
            return Err(failed(FetchError::Git(format!("there are more than {MOST} of them"))));
        }
        let named = url_of(settings, path)
            .ok_or_else(|| failed(FetchError::Git("its .gitmodules names no URL for it".into())))?;
        let above = self.urls.get(parent).cloned().ok_or_else(|| failed(FetchError::Git("it has no parent".into())))?;
        let refused = |reason: String| failed(FetchError::Refused { url: named.clone(), reason });
        let url = beside(&above, &named).ok_or_else(|| refused("it points outside its host".into()))?;
        let url = GitUrl::parse(&url).map_err(|error| refused(error.to_string()))?;
        let repository = (self.bring)(&url, &commit.to_string()).map_err(failed)?;
        let tree = repository.find_commit(commit).map_err(|error| failed(error.into()))?.tree_id();
        // The stored handle writes; the returned one walks.
        let again = Repository::open_bare(repository.path()).map_err(|error| failed(error.into()))?;
        self.brought.push(again);
        self.urls.push(url);
        Ok((repository, tree, number))
    }

    /// Returns the repositories of the fetched submodules.
    pub fn into_repositories(self) -> Vec<Repository> {
        self.brought
    }
}

/// The URL in `.gitmodules` for a path. Git's own reader is not used because it follows includes.
fn url_of(settings: &str, path: &str) -> Option<String> {
    let (mut url, mut is_it) = (None, false);
    for line in settings.lines().map(str::trim) {
        if line.starts_with('[') {
            if is_it && url.is_some() {
                return url;
            }
            (url, is_it) = (None, false);
        } else if let Some((name, value)) = line.split_once('=') {
            let value = value.trim().trim_matches('"');
            match name.trim() {
                "path" => is_it = value.trim_end_matches('/') == path,
                "url" => url = Some(value.to_owned()),
                _ => {}
            }
        }
    }
    url.filter(|_| is_it)
}

/// A submodule's URL, which may be written relative to that of its module.
fn beside(above: &GitUrl, named: &str) -> Option<String> {
    if !named.starts_with("./") && !named.starts_with("../") {
        return Some(named.to_owned());
    }
    let mut parts: Vec<&str> = above.path.split('/').filter(|part| !part.is_empty()).collect();
    for part in named.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(GitUrl { path: format!("/{}", parts.join("/")), reference: None, ..above.clone() }.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &str = "[submodule \"a\"]\n\tpath = lib/a\n\turl = ../a.git\n[include]\n\tpath = /etc/passwd\n\
                            [submodule \"b\"]\n\turl = \"https://h/b\"\n\tpath = b\n";

    #[test]
    fn urls_are_found_by_path() {
        assert_eq!(url_of(SETTINGS, "lib/a").as_deref(), Some("../a.git"));
        assert_eq!(url_of(SETTINGS, "b").as_deref(), Some("https://h/b"));
        assert_eq!(url_of(SETTINGS, "/etc/passwd"), None);
        let above = GitUrl::parse("https://host.example:8443/x/m/?ref=v1").expect("it is well formed");
        assert_eq!(beside(&above, "../a.git").as_deref(), Some("https://host.example:8443/x/a.git"));
        assert_eq!(beside(&above, "../../../a"), None);
        assert_eq!(beside(&above, "ext::sh").as_deref(), Some("ext::sh"));
    }
}
