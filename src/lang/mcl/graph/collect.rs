//! Collected resources: exports of this program and others to this host, rebuilt here under the overlay of `collect`.
//!
//! The program's own exports count as currently declared; those of others as stored. So a program that collects from
//! itself has at once the graph that it would have after its first apply.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::duplicate::{differences, hosts, in_words};
use super::{Collect, Decl, Declared, Link};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::graph::{Params, Value};
use crate::resource::export::Described;
use crate::resource::{Schema, meta_parameter};
use crate::source::Span;
use crate::world::{Export, ReadError, World};

/// Adds the resources that collect statements ask for.
pub fn resolve(declared: &mut Declared, world: &dyn World, diags: &mut Diagnostics) {
    if declared.collects.is_empty() {
        return;
    }
    let here = world.hostname();
    let own = exported_to(&declared.resources, &here);
    let mut stores: FxHashMap<Arc<str>, Result<Store, ReadError>> = FxHashMap::default();
    let mut found = Vec::new();
    let mut gone: FxHashMap<(Arc<str>, Arc<str>), Vec<Span>> = FxHashMap::default();
    for wish in &declared.collects {
        let kind = &wish.overlay.kind;
        let from_here = wish.host.as_deref().is_none_or(|host| host == here);
        let own = own.get(&(kind.clone(), wish.overlay.name.clone())).filter(|_| from_here);
        let own = own.map(|at| Offer::own(&declared.resources[*at], &here));
        let store = stores.entry(kind.clone()).or_insert_with(|| Store::open(world, kind));
        let offers = match store {
            Ok(store) => own.into_iter().map(Ok).chain(store.offers(wish)).collect::<Result<Vec<_>, _>>(),
            Err(error) => Err(unreadable(wish, error)),
        };
        match offers.and_then(|offers| choose(wish, offers)) {
            Ok(decl) => {
                if decl.flag("hidden") && wish.overlay.meta.get("hidden").is_none() {
                    diags.push(hidden(wish));
                }
                found.push(decl);
            }
            Err(diagnostic) => {
                diags.push(*diagnostic);
                gone.entry((kind.clone(), wish.overlay.name.clone())).or_default().push(wish.overlay.span);
            }
        }
    }
    declared.resources.append(&mut found);
    // A missing resource has no edges either.
    let is_of = |span: &Span, link: &Link| {
        span.file == link.span.file && span.start <= link.span.start && link.span.end <= span.end
    };
    let is_gone = |end: &(Arc<str>, Arc<str>), link: &Link| {
        gone.get(end).is_some_and(|spans| spans.iter().any(|span| is_of(span, link)))
    };
    declared.links.retain(|link| !(is_gone(&link.from, link) || is_gone(&link.to, link)));
}

/// Kind and name of the exports to a host, with their positions.
fn exported_to(decls: &[Decl], here: &str) -> FxHashMap<(Arc<str>, Arc<str>), usize> {
    let reaches = |decl: &Decl| hosts(decl).iter().any(|host| &**host == "*" || &**host == here);
    let exported = decls.iter().enumerate().filter(|(_, decl)| reaches(decl));
    exported.map(|(at, decl)| ((decl.kind.clone(), decl.name.clone()), at)).collect()
}

/// A collectable resource, with its origin.
struct Offer {
    described: Described,
    host: String,
    /// `None` for the program itself.
    program: Option<String>,
}

impl Offer {
    fn own(decl: &Decl, host: &str) -> Self {
        let described = Described { params: decl.params.clone(), meta: decl.meta.clone(), ..Described::default() };
        Self { described, host: host.into(), program: None }
    }

    fn words(&self) -> String {
        let program = self.program.as_deref().unwrap_or("this program");
        format!("by {program} on `{}`", self.host)
    }
}

/// The exports of others of one kind.
struct Store {
    exports: Vec<Export>,
    by_name: FxHashMap<String, Vec<usize>>,
}

impl Store {
    fn open(world: &dyn World, kind: &str) -> Result<Self, ReadError> {
        let exports = world.exports(kind)?;
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, export) in exports.iter().enumerate().filter(|(_, export)| !export.is_own) {
            by_name.entry(export.name.clone()).or_default().push(at);
        }
        Ok(Self { exports, by_name })
    }

    fn offers<'s>(&'s self, wish: &'s Collect) -> impl Iterator<Item = Result<Offer, Box<Diagnostic>>> {
        let places = self.by_name.get(&*wish.overlay.name).map(Vec::as_slice).unwrap_or_default();
        let exports = places.iter().map(|at| &self.exports[*at]);
        let from = exports.filter(|export| wish.host.as_deref().is_none_or(|host| host == export.host));
        from.map(|export| match described(wish.overlay.schema, &export.resource) {
            Ok(described) => Ok(Offer { described, host: export.host.clone(), program: Some(export.program.clone()) }),
            Err(why) => Err(strange(wish, &export.file, &why)),
        })
    }
}

/// The content of a stored export, checked against the kind. Anyone may have written the file.
fn described(schema: &Schema, text: &str) -> Result<Described, String> {
    let mut described: Described = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for (name, value) in described.params.iter() {
        let param = schema.param(name).ok_or_else(|| format!("`{}` has no parameter `{name}`", schema.kind))?;
        param.ty.takes(value).then_some(()).ok_or_else(|| format!("its `{name}` is not of the type `{}`", param.ty))?;
    }
    for (name, value) in described.meta.iter() {
        let meta = meta_parameter(name).ok_or_else(|| format!("unknown meta parameter `{name}`"))?;
        meta.ty
            .takes(value)
            .then_some(())
            .ok_or_else(|| format!("its `Meta:{name}` is not of the type `{}`", meta.ty))?;
    }
    if let Some(name) = described.withheld.iter().find(|name| schema.param(name).is_none()) {
        return Err(format!("`{}` has no parameter `{name}`", schema.kind));
    }
    described.meta.remove("export");
    Ok(described)
}

/// The resource that a statement collects: all offers must agree.
fn choose(wish: &Collect, offers: Vec<Offer>) -> Result<Decl, Box<Diagnostic>> {
    let mut decls = offers.iter().map(|offer| overlaid(&offer.described, wish));
    let (Some(first), Some(offer)) = (decls.next(), offers.first()) else { return Err(missing(wish)) };
    for (decl, other) in decls.zip(offers.iter().skip(1)) {
        let differs = differences(&first.params, &first.meta, &decl);
        if !differs.is_empty() {
            return Err(conflict(wish, offer, other, &in_words(&differs)));
        }
    }
    let is_given = |name: &&String| wish.overlay.params.get(name).is_none();
    let secret: Vec<&String> = offer.described.withheld.iter().filter(is_given).collect();
    if secret.is_empty() { Ok(first) } else { Err(withheld(wish, offer, &secret)) }
}

fn overlaid(exported: &Described, wish: &Collect) -> Decl {
    let mut decl = Decl { params: exported.params.clone(), meta: exported.meta.clone(), ..wish.overlay.clone() };
    decl.meta.remove("export");
    let lay = |over: &Params, under: &mut Params| {
        over.iter().for_each(|(name, value)| under.set(name.clone(), value.clone()))
    };
    lay(&wish.overlay.params, &mut decl.params);
    lay(&wish.overlay.meta, &mut decl.meta);
    let says_more =
        |(name, value): &(&Arc<str>, &Value)| !meta_parameter(name).is_some_and(|meta| meta.is_default(value));
    decl.meta = decl.meta.iter().filter(says_more).map(|(name, value)| (name.clone(), value.clone())).collect();
    decl
}

fn id(wish: &Collect) -> String {
    wish.overlay.id().to_string()
}

fn missing(wish: &Collect) -> Box<Diagnostic> {
    let help = "export it with `Meta:export => [\"*\"]` and apply that program on this machine; exports of other machines are \
    not available";
    let label = format!("nothing exports `{}` to this host", id(wish));
    Box::new(Diagnostic::warning(Code::NothingCollected, wish.overlay.span).label(label).help(help))
}

fn hidden(wish: &Collect) -> Diagnostic {
    Diagnostic::warning(Code::CollectedHidden, wish.overlay.span)
        .label(format!("`{}` is exported with `Meta:hidden`, so it is not applied here", id(wish)))
        .help("add `Meta:hidden => false` to apply it")
}

fn unreadable(wish: &Collect, error: &ReadError) -> Box<Diagnostic> {
    let help = "check that file, and delete it if it is not needed; nothing can be applied before that";
    Box::new(Diagnostic::error(Code::BadExport, wish.overlay.span).label(error.to_string()).help(help))
}

fn strange(wish: &Collect, file: &Path, why: &str) -> Box<Diagnostic> {
    unreadable(wish, &ReadError::Failed { path: file.into(), reason: format!("cannot be collected: {why}") })
}

fn conflict(wish: &Collect, one: &Offer, two: &Offer, differs: &str) -> Box<Diagnostic> {
    let label = format!("`{}` is exported {} and {}, and {differs}", id(wish), one.words(), two.words());
    let help = match one.host == two.host {
        true => "let only one of them export it, or set the different parameters here",
        false => "name the host: `[struct{name => \"...\", host => \"...\"},]`, or set the different parameters here",
    };
    Box::new(Diagnostic::error(Code::DuplicateResource, wish.overlay.span).label(label).help(help))
}

fn withheld(wish: &Collect, offer: &Offer, names: &[&String]) -> Box<Diagnostic> {
    let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let label = format!("`{}` is exported {} without {names}: secrets are never exported", id(wish), offer.words());
    let help = format!("set {names} in the body of this `collect`");
    Box::new(Diagnostic::error(Code::MissingSecret, wish.overlay.span).label(label).help(help))
}
