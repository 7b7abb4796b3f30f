//! Orderings that follow from what resources are: a file after the folder it lies in, a service after its unit file.
//!
//! They are found from the parameters alone, for every language alike; the machine is not asked. Which package brings a file
//! is known only to a package manager: see [`packaged`](super::packaged).

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::svc::unit_name;
use crate::graph::{Declaration, Edge, Graph, NodeIndex, Reason, Value};
use crate::world::{Stop, Stopped};

/// Adds the automatic edges of a graph, where there is no edge between the two already.
pub fn add(graph: &mut Graph, stop: &Stop) -> Result<(), Stopped> {
    let targets = Targets::new(graph);
    let mut there: FxHashSet<(NodeIndex, NodeIndex)> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    let mut found = Vec::new();
    for (number, (at, wanted)) in takers(graph).enumerate() {
        if number.is_multiple_of(LOOK_EVERY)
            && let Some(why) = stop.reached()
        {
            return Err(why);
        }
        let mut edge = |from: NodeIndex, to: NodeIndex| {
            if from != to && !there.contains(&(to, from)) && there.insert((from, to)) {
                found.push(Edge { from, to, notify: false, reason: Reason::Auto, send: None, source: None });
            }
        };
        match &*wanted.kind {
            "file" => targets.around_file(wanted).for_each(|before| edge(before, at)),
            "exec" => targets.around_exec(wanted).for_each(|before| edge(before, at)),
            "svc" => targets.around_service(wanted).for_each(|before| edge(before, at)),
            "user" => {
                let gone = text(wanted, "state") == Some("absent");
                targets.groups_of(wanted).for_each(|group| if gone { edge(at, group) } else { edge(group, at) });
            }
            "http:server:file" | "tftp:file" => {
                targets.served(wanted).for_each(|before| edge(before, at));
            }
            _ => {}
        }
    }
    found.into_iter().for_each(|edge| graph.connect(edge));
    Ok(())
}

/// Whether a parameter of a kind has a say in automatic edges.
pub fn looks_at(kind: &str, param: &str) -> bool {
    match kind {
        "file" => matches!(param, "path" | "dirname" | "basename" | "fragments"),
        "exec" => !matches!(param, "args" | "cwd" | "env" | "creates" | "mtimes" | "watchfiles"),
        "svc" | "user" | "group" | "cron" | "http:server:file" | "tftp:file" => true,
        _ => false,
    }
}

/// Whether resources of a kind come before or after others automatically.
pub fn takes_part(kind: &str) -> bool {
    matches!(kind, "file" | "exec" | "svc" | "user" | "group" | "cron" | "http:server:file" | "tftp:file")
}

/// Resources between two looks at whether to stop.
const LOOK_EVERY: usize = 1 << 11;

/// The resources that take part.
pub(super) fn takers(graph: &Graph) -> impl Iterator<Item = (NodeIndex, &Declaration)> {
    graph.resources().filter_map(|(at, resource)| {
        let off = resource.is_virtual || resource.meta.get("autoedge") == Some(&Value::Bool(false));
        resource.wanted().filter(|_| !off).map(|wanted| (at, wanted))
    })
}

/// What others may come after, by how they name it.
#[derive(Default)]
struct Targets<'a> {
    files: FxHashMap<Cow<'a, str>, NodeIndex>,
    /// How long the paths of folders are, so that a deep path is not looked up at every step.
    folder_lengths: FxHashSet<usize>,
    users: FxHashMap<&'a str, NodeIndex>,
    groups: FxHashMap<&'a str, NodeIndex>,
    group_ids: FxHashMap<i64, NodeIndex>,
    /// By the unit that they start.
    crons: FxHashMap<String, NodeIndex>,
}

impl<'a> Targets<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut targets = Self::default();
        for (at, wanted) in takers(graph) {
            match &*wanted.kind {
                "file" => {
                    let path = path(wanted);
                    if path.ends_with('/') {
                        targets.folder_lengths.insert(path.len());
                    }
                    targets.files.entry(path).or_insert(at);
                }
                "user" => {
                    targets.users.entry(&wanted.name).or_insert(at);
                }
                "group" => {
                    targets.groups.entry(&wanted.name).or_insert(at);
                    if let Some(id) = wanted.params.get("gid").and_then(Value::as_int) {
                        targets.group_ids.entry(id).or_insert(at);
                    }
                }
                "cron" => {
                    let unit = text(wanted, "unit").map_or_else(|| format!("{}.service", wanted.name), str::to_owned);
                    targets.crons.entry(unit).or_insert(at);
                }
                _ => {}
            }
        }
        targets
    }

    /// The folder that a file lies in, the nearest that is in the graph, and its fragments.
    fn around_file(&self, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let fragments = texts(wanted, "fragments").filter_map(|fragment| self.files.get(fragment).copied());
        self.folder_of(&path(wanted)).into_iter().chain(fragments)
    }

    fn folder_of(&self, path: &str) -> Option<NodeIndex> {
        let mut rest = path.strip_suffix('/').unwrap_or(path);
        while let Some(slash) = rest.rfind('/') {
            if self.folder_lengths.contains(&(slash + 1))
                && let Some(folder) = self.files.get(&rest[..=slash])
            {
                return Some(*folder);
            }
            rest = &rest[..slash];
        }
        None
    }

    /// The programs that an exec starts, and who it runs as.
    fn around_exec(&self, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let files = programs(wanted).filter_map(|program| self.files.get(program).copied());
        let user = text(wanted, "user").and_then(|user| self.users.get(user).copied());
        let group = text(wanted, "group").and_then(|group| self.groups.get(group).copied());
        files.chain(user).chain(group)
    }

    /// The unit file of a service, and the cron that starts it.
    fn around_service(&self, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let unit = unit_name(&wanted.name);
        let folders = ["/etc/systemd/system/", "/usr/lib/systemd/system/"];
        let files = folders.into_iter().filter_map({
            let unit = unit.clone();
            move |folder| self.files.get(&*[folder, &unit].concat()).copied()
        });
        files.chain(self.crons.get(&unit).copied())
    }

    fn groups_of(&self, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let named = text(wanted, "group").into_iter().chain(texts(wanted, "groups"));
        let by_id = wanted.params.get("gid").and_then(Value::as_int).and_then(|id| self.group_ids.get(&id).copied());
        named.filter_map(|group| self.groups.get(group).copied()).chain(by_id)
    }

    /// The file or folder that a server gives out.
    fn served(&self, wanted: &'a Declaration) -> impl Iterator<Item = NodeIndex> {
        let path = text(wanted, "path").filter(|path| path.starts_with('/'));
        path.and_then(|path| self.files.get(path).copied().or_else(|| self.folder_of(path))).into_iter()
    }
}

/// Where a file lies; a folder ends with a slash.
pub(super) fn path(wanted: &Declaration) -> Cow<'_, str> {
    let whole = text(wanted, "path").unwrap_or(&wanted.name);
    let (folder, base) = match whole.strip_suffix('/').unwrap_or(whole).rfind('/') {
        Some(slash) => whole.split_at(slash + 1),
        None => ("", whole),
    };
    let (dirname, basename) = (text(wanted, "dirname"), text(wanted, "basename"));
    if dirname.is_none() && basename.is_none() {
        return whole.into();
    }
    let dirname = dirname.unwrap_or(folder);
    let slash = if dirname.ends_with('/') { "" } else { "/" };
    [dirname, slash, basename.unwrap_or(base)].concat().into()
}

/// The first words of what an exec runs; with a shell, the shell.
pub(super) fn programs(wanted: &Declaration) -> impl Iterator<Item = &str> {
    let command = text(wanted, "cmd").or(Some(&wanted.name));
    let others = ["watch", "if", "nif", "done"];
    let (cmds, shells) = (["watchcmd", "ifcmd", "nifcmd", "donecmd"], others.map(|other| format!("{other}shell")));
    let pairs = cmds.into_iter().zip(shells).map(|(cmd, shell)| (text(wanted, cmd), text(wanted, &shell)));
    let first = (command, text(wanted, "shell"));
    std::iter::once(first).chain(pairs).filter_map(|(command, shell)| {
        let command = command?;
        shell.or_else(|| command.split_whitespace().next())
    })
}

pub(super) fn text<'a>(wanted: &'a Declaration, param: &str) -> Option<&'a str> {
    wanted.params.get(param).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn texts<'a>(wanted: &'a Declaration, param: &str) -> impl Iterator<Item = &'a str> {
    wanted.params.get(param).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
}
