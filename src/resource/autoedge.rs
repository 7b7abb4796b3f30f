//! Automatic orderings: a file after its folder, a service after its unit file.
//!
//! They depend only on the parameters, in the same way for every language, and never on the machine. Only a package
//! manager knows a package's files: see [`packaged`](super::packaged).

use std::borrow::Cow;

use memchr::memrchr;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Declaration, Edge, Graph, NodeIndex, Reason, Value};
use crate::world::{Stop, Stopped};

/// Adds the automatic edges of a graph, unless there is an edge in the same direction. `home` is the current user's
/// home folder, which contains the units of sessions; see [`needs_home`].
pub fn add(graph: &mut Graph, home: Option<&str>, stop: &Stop) -> Result<(), Stopped> {
    let targets = Targets::new(graph, home);
    let mut there: FxHashSet<(NodeIndex, NodeIndex)> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    let mut found = Vec::new();
    for (number, (at, wanted)) in takers(graph).enumerate() {
        if number.is_multiple_of(LOOK_EVERY)
            && let Some(why) = stop.reached()
        {
            return Err(why);
        }
        for (from, to) in targets.around(at, wanted, home) {
            if there.insert((from, to)) {
                found.push(Edge { from, to, notify: false, reason: Reason::Auto, send: None, source: None });
            }
        }
    }
    found.into_iter().for_each(|edge| graph.connect(edge));
    Ok(())
}

/// Whether the automatic edges of a graph depend on the current user's home folder.
pub fn needs_home(graph: &Graph) -> bool {
    takers(graph).any(|(_, wanted)| matches!(&*wanted.kind, "svc" | "cron") && is_session(wanted))
}

/// Whether a parameter of a kind affects automatic edges.
pub fn looks_at(kind: &str, param: &str) -> bool {
    match kind {
        "file" => matches!(param, "path" | "dirname" | "basename" | "fragments"),
        "exec" => !matches!(param, "args" | "cwd" | "env" | "creates" | "mtimes" | "watchfiles"),
        "svc" | "user" | "group" | "cron" | "http:server:file" | "docker:container" => true,
        _ => false,
    }
}

/// Whether resources of a kind have automatic edges.
pub fn takes_part(kind: &str) -> bool {
    matches!(
        kind,
        "file"
            | "exec"
            | "svc"
            | "user"
            | "group"
            | "cron"
            | "http:server:file"
            | "docker:container"
            | "docker:image"
            | "fwupd:remote"
            | "fwupd:device"
            | "fwupd:system"
    )
}

/// The number of resources between two checks for a stop.
const LOOK_EVERY: usize = 1 << 11;

/// Returns the resources with automatic edges.
pub(super) fn takers(graph: &Graph) -> impl Iterator<Item = (NodeIndex, &Declaration)> {
    graph.resources().filter_map(|(at, resource)| {
        let off = resource.is_virtual || !resource.meta.autoedge();
        resource.wanted().filter(|_| !off).map(|wanted| (at, wanted))
    })
}

/// The resources with one name. Of several the first by id counts, as in mgmt's sorted order, except for the resource
/// that asks. So two are enough.
#[derive(Clone, Copy, Debug)]
struct Named {
    first: NodeIndex,
    second: Option<NodeIndex>,
}

impl Named {
    fn other_than(self, asking: NodeIndex) -> Option<NodeIndex> {
        if self.first == asking { self.second } else { Some(self.first) }
    }
}

/// Resources by the names that others use for them.
#[derive(Debug)]
struct Names<K>(FxHashMap<K, Named>);

impl<K> Default for Names<K> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: std::hash::Hash + Eq> Names<K> {
    fn insert(&mut self, graph: &Graph, key: K, at: NodeIndex) {
        let id = |at: NodeIndex| graph.node(at).id();
        let Some(named) = self.0.get_mut(&key) else {
            self.0.insert(key, Named { first: at, second: None });
            return;
        };
        if id(at) < id(named.first) {
            *named = Named { first: at, second: Some(named.first) };
        } else if named.second.is_none_or(|second| id(at) < id(second)) {
            named.second = Some(at);
        }
    }

    fn get<Q: std::hash::Hash + Eq + ?Sized>(&self, key: &Q, asking: NodeIndex) -> Option<NodeIndex>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.0.get(key)?.other_than(asking)
    }
}

/// The possible predecessors, by the names that others use for them.
#[derive(Default)]
struct Targets<'a> {
    /// By their paths. A cron provides the file of its timer.
    files: Names<Cow<'a, str>>,
    /// The lengths of folder paths, so that a deep path needs few lookups.
    folder_lengths: FxHashSet<usize>,
    users: Names<&'a str>,
    groups: Names<&'a str>,
    /// By their numbers, in the order of their ids. Those without a number match any.
    group_ids: Vec<(Option<i64>, NodeIndex)>,
    /// By the unit that they start, and whether it belongs to the session.
    crons: Names<(String, bool)>,
    /// The system's own.
    services: Names<&'a str>,
    images: Names<Cow<'a, str>>,
    /// All have the same name here.
    remotes: Names<()>,
}

impl<'a> Targets<'a> {
    fn new(graph: &'a Graph, home: Option<&str>) -> Self {
        let mut targets = Self::default();
        for (at, wanted) in takers(graph) {
            match &*wanted.kind {
                "file" => {
                    let path = path(wanted);
                    if path.ends_with('/') {
                        targets.folder_lengths.insert(path.len());
                    }
                    targets.files.insert(graph, path, at);
                }
                "user" => targets.users.insert(graph, &wanted.name, at),
                "group" => {
                    targets.groups.insert(graph, &wanted.name, at);
                    targets.group_ids.push((wanted.params.get("gid").and_then(Value::as_int), at));
                }
                "cron" => {
                    let unit = text(wanted, "unit").map_or_else(|| format!("{}.service", wanted.name), str::to_owned);
                    targets.crons.insert(graph, (unit, is_session(wanted)), at);
                    if let Some(folder) = unit_folders(wanted, home).next() {
                        targets.files.insert(graph, format!("{folder}{}.timer", wanted.name).into(), at);
                    }
                }
                "svc" if !is_session(wanted) => targets.services.insert(graph, &wanted.name, at),
                "docker:image" => targets.images.insert(graph, with_tag(&wanted.name), at),
                "fwupd:remote" => targets.remotes.insert(graph, (), at),
                _ => {}
            }
        }
        targets.group_ids.sort_by(|(_, one), (_, two)| graph.node(*one).id().cmp(graph.node(*two).id()));
        targets
    }

    /// Returns the edges of a resource, each from its predecessor.
    fn around(&self, at: NodeIndex, wanted: &'a Declaration, home: Option<&str>) -> Vec<(NodeIndex, NodeIndex)> {
        let state = text(wanted, "state");
        let before = |others: Vec<NodeIndex>| others.into_iter().map(|other| (other, at)).collect();
        let after = |others: Vec<NodeIndex>| others.into_iter().map(|other| (at, other)).collect();
        match &*wanted.kind {
            "file" => before(self.around_file(at, wanted).collect()),
            "exec" => before(self.around_exec(at, wanted).collect()),
            "svc" => {
                let unit = format!("{}.service", wanted.name);
                let file =
                    unit_folders(wanted, home).find_map(|folder| self.files.get(&*[&*folder, &*unit].concat(), at));
                let cron = self.crons.get(&(unit, is_session(wanted)), at);
                file.map(|file| (file, at)).into_iter().chain(cron.map(|cron| (at, cron))).collect()
            }
            "user" if state == Some("exists") => before(self.groups_of(at, wanted).collect()),
            "user" => after(self.groups_of(at, wanted).collect()),
            "http:server:file" => {
                before(text(wanted, "path").and_then(|path| self.files.get(path, at)).into_iter().collect())
            }
            "docker:container" => {
                let image = self.images.get(&*with_tag(text(wanted, "image").unwrap_or_default()), at);
                let image = image.into_iter().collect();
                if state == Some("removed") { after(image) } else { before(image) }
            }
            "fwupd:remote" => {
                let file = self.files.get(&*format!("/etc/fwupd/remotes.d/{}.conf", wanted.name), at);
                before(file.into_iter().chain(self.services.get("fwupd", at)).collect())
            }
            "fwupd:device" | "fwupd:system" => before(self.remotes.get(&(), at).into_iter().collect()),
            _ => Vec::new(),
        }
    }

    /// Returns the nearest folder of a file in the graph, and its fragments.
    fn around_file(&self, at: NodeIndex, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let fragments = texts(wanted, "fragments").filter_map(move |fragment| self.files.get(fragment, at));
        self.folder_of(at, &path(wanted)).into_iter().chain(fragments)
    }

    fn folder_of(&self, at: NodeIndex, path: &str) -> Option<NodeIndex> {
        if self.folder_lengths.is_empty() {
            return None;
        }
        let mut above = folders_above(path).filter(|folder| self.folder_lengths.contains(&folder.len()));
        above.find_map(|folder| self.files.get(folder, at))
    }

    /// Returns the programs of an exec, and its user and group.
    fn around_exec(&self, at: NodeIndex, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let files = programs(wanted).filter_map(move |program| self.files.get(program, at));
        let user = text(wanted, "user").and_then(|user| self.users.get(user, at));
        let group = text(wanted, "group").and_then(|group| self.groups.get(group, at));
        files.chain(user).chain(group)
    }

    fn groups_of(&self, at: NodeIndex, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let named = text(wanted, "group").into_iter().chain(texts(wanted, "groups"));
        let by_id = wanted.params.get("gid").and_then(Value::as_int).and_then(|id| {
            let answers = |(number, _): &&(Option<i64>, NodeIndex)| number.is_none_or(|number| number == id);
            self.group_ids.iter().find(answers).map(|(_, group)| *group)
        });
        named.filter_map(move |group| self.groups.get(group, at)).chain(by_id)
    }
}

/// Returns the folders above a path, each with its final slash, the nearest first.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path.strip_suffix('/').unwrap_or(path);
    std::iter::from_fn(move || {
        let slash = memrchr(b'/', rest.as_bytes())?;
        let folder = &rest[..=slash];
        rest = &rest[..slash];
        Some(folder)
    })
}

fn is_session(wanted: &Declaration) -> bool {
    wanted.params.get("session").and_then(Value::as_bool) == Some(true)
}

/// Returns the possible folders of a unit file, in order of precedence.
fn unit_folders(wanted: &Declaration, home: Option<&str>) -> impl Iterator<Item = String> {
    let session = home.map(|home| format!("{}/.config/systemd/user/", home.trim_end_matches('/')));
    let system = ["/etc/systemd/system/", "/usr/lib/systemd/system/"].map(str::to_owned);
    match is_session(wanted) {
        true => session.into_iter().collect::<Vec<_>>(),
        false => system.into(),
    }
    .into_iter()
}

/// Returns the name of an image with its tag.
fn with_tag(image: &str) -> Cow<'_, str> {
    if image.contains(':') { image.into() } else { format!("{image}:latest").into() }
}

/// Returns the path of a file. A folder ends with a slash.
pub(super) fn path(wanted: &Declaration) -> Cow<'_, str> {
    let whole = text(wanted, "path").unwrap_or(&wanted.name);
    let (dirname, basename) = (text(wanted, "dirname"), text(wanted, "basename"));
    if dirname.is_none() && basename.is_none() {
        return whole.into();
    }
    let (folder, base) = match whole.strip_suffix('/').unwrap_or(whole).rfind('/') {
        Some(slash) => whole.split_at(slash + 1),
        None => ("", whole),
    };
    let dirname = dirname.unwrap_or(folder);
    let slash = if dirname.ends_with('/') { "" } else { "/" };
    [dirname, slash, basename.unwrap_or(base)].concat().into()
}

/// Returns the programs that an exec runs; with a shell, the shell.
pub(super) fn programs(wanted: &Declaration) -> impl Iterator<Item = &str> {
    let command = text(wanted, "cmd").or(Some(&wanted.name));
    let others = ["watch", "if", "nif", "done"];
    let (cmds, shells) = (["watchcmd", "ifcmd", "nifcmd", "donecmd"], others.map(|other| format!("{other}shell")));
    let pairs = cmds.into_iter().zip(shells).map(|(cmd, shell)| (text(wanted, cmd), text(wanted, &shell)));
    let first = (command, text(wanted, "shell"));
    let all = std::iter::once(first).chain(pairs);
    all.filter_map(|(command, shell)| shell.or_else(|| command?.split_whitespace().next()))
}

pub(super) fn text<'a>(wanted: &'a Declaration, param: &str) -> Option<&'a str> {
    wanted.params.get(param).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn texts<'a>(wanted: &'a Declaration, param: &str) -> impl Iterator<Item = &'a str> {
    wanted.params.get(param).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
}
