//! Deploys of a cluster: list, show, undo. Also the target options of all commands that use a cluster.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};

use crate::cli::args::Format;
use crate::cli::ask::agreed;
use crate::cli::ask_login;
use crate::cli::cluster_progress::ClusterProgress;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::paint::Role;
use crate::session::target::{
    Leaf, Place, Published, Target, TargetError, Tree, as_report, choice_words, open_endpoint, place, target, writer,
};
use crate::session::{Cancel, Interrupts};
use crate::source::printable;

/// The cluster and the credentials.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct TargetArgs {
    /// mgmt cluster: its etcd, as etcd://HOST[:PORT][,HOST[:PORT]] or etcds://... for TLS; or a name from `targets` in
    /// your settings
    #[arg(long, value_name = "TARGET", help_heading = "Target")]
    target: Option<String>,
    /// CA certificate of the cluster (PEM) [default: the system's authorities]
    #[arg(long, value_name = "FILE", requires = "target", help_heading = "Target")]
    ca: Option<PathBuf>,
    /// Client certificate (PEM)
    #[arg(long, value_name = "FILE", requires_all = ["target", "key"], help_heading = "Target")]
    cert: Option<PathBuf>,
    /// Key of the client certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert", help_heading = "Target")]
    key: Option<PathBuf>,
    /// User name; the password comes from WORKBENCH_ETCD_PASSWORD or a prompt
    #[arg(long, value_name = "NAME", requires = "target", help_heading = "Target")]
    user: Option<String>,
    /// File with the password in its first line
    #[arg(long, value_name = "FILE", requires = "target", help_heading = "Target")]
    password_file: Option<PathBuf>,
}

impl TargetArgs {
    /// Whether the user named a cluster.
    pub fn is_given(&self) -> bool {
        self.target.is_some()
    }

    /// Reaches the target. Errors are already reported if this returns an exit code.
    pub fn reach(&self, face: &Face, format: Format, cancel: &Cancel) -> Result<Reached, Exit> {
        let Some(address) = &self.target else {
            face.refuse("no target", "for example `--target etcd://localhost:2379`");
            return Err(Exit::Usage);
        };
        let by_name = place(address, &face.config).map_err(|error| refused(face, &error))?;
        let is_own = self.cert.is_some();
        let place = Place {
            authority: self.ca.clone().or(by_name.authority),
            certificate: if is_own { self.cert.clone() } else { by_name.certificate },
            key: if is_own { self.key.clone() } else { by_name.key },
            // Another user has another password.
            password_command: by_name.password_command.filter(|_| self.user.is_none() && self.password_file.is_none()),
            password_file: self.password_file.clone().or(by_name.password_file.filter(|_| self.user.is_none())),
            user: self.user.clone().or(by_name.user),
            address: by_name.address,
        };
        let address = &place.address;
        // Before a password is sent.
        if let Some(open) = open_endpoint(&place).map_err(|error| refused(face, &error))? {
            face.note(format_args!(
                "warning: {open} is unencrypted: anyone on the network path can read the files and deploy their own; \
                use `etcds://`, or a tunnel such as `ssh -L 2379:localhost:2379 HOST`"
            ));
        }
        let mut ask = |user: &str| ask_login::can_ask().then(|| ask_login::password(user, address, cancel)).flatten();
        let target = target(&place, &mut ask, cancel).map_err(|error| refused(face, &error))?;
        let reached = Reached { target, address: printable(address).to_string() };
        let facts = reached.asking(face, format, |target| target.probe(cancel));
        let facts = facts.map_err(|error| refused(face, &error))?;
        if face.verbose {
            face.note(format_args!("{} is etcd {}", facts.endpoint, facts.version));
        }
        Ok(reached)
    }
}

/// A reachable target.
pub struct Reached {
    pub target: Box<dyn Target>,
    /// Its name for display.
    address: String,
}

impl Reached {
    /// Sends a request, with a progress line if it takes long.
    pub fn asking<T>(&self, face: &Face, format: Format, ask: impl FnOnce(&dyn Target) -> T) -> T {
        let _progress = self.progress(face, format);
        ask(&*self.target)
    }

    /// The progress line of a longer request.
    pub fn progress(&self, face: &Face, format: Format) -> ClusterProgress {
        ClusterProgress::new(face, format, &format!("waiting for {}", self.address))
    }
}

/// Reports why a target refused.
pub fn refused(face: &Face, error: &TargetError) -> Exit {
    // The user cancelled it.
    if *error == TargetError::Cancelled {
        face.note("stopped; the cluster was not changed");
        return Exit::Stopped;
    }
    face.report(&as_report(error));
    match error {
        // The request may have had an effect.
        TargetError::Unsure(_) => Exit::Failed,
        _ => Exit::Refused,
    }
}

/// Prints the deploys of a cluster, newest first. With `follow` it prints each new one until it is cancelled.
pub fn list(face: &mut Face, target: &TargetArgs, follow: bool, format: Format) -> io::Result<Exit> {
    let cancel = Cancel::default();
    let _interrupts = Interrupts::catch_for(cancel.clone())?;
    let reached = match target.reach(face, format, &cancel) {
        Ok(reached) => reached,
        Err(exit) => return Ok(exit),
    };
    if follow {
        let mut written = Ok(());
        let watched = reached.target.watch(
            0,
            &mut |deploy| {
                written = match format {
                    Format::Json => writeln!(face.out, "{}", deploy_json(&deploy)),
                    Format::Text => line(face, &deploy, ""),
                };
                written = std::mem::replace(&mut written, Ok(())).and_then(|()| face.out.flush());
                written.is_ok()
            },
            &cancel,
        );
        written?;
        return Ok(match watched {
            Ok(()) => Exit::Done,
            Err(TargetError::Cancelled) => Exit::Stopped,
            Err(error) => refused(face, &error),
        });
    }
    let deploys = match reached.asking(face, format, |target| target.deploys(&cancel)) {
        Ok(deploys) => deploys,
        Err(error) => return Ok(refused(face, &error)),
    };
    if format == Format::Json {
        let all: Vec<Json> = deploys.iter().rev().map(deploy_json).collect();
        writeln!(face.out, "{}", Json::Array(all))?;
        return Ok(Exit::Done);
    }
    if deploys.is_empty() {
        writeln!(face.out, "No deploys in this cluster yet.")?;
    }
    for (at, deploy) in deploys.iter().rev().enumerate() {
        line(face, deploy, if at == 0 { "runs" } else { "" })?;
    }
    Ok(Exit::Done)
}

/// One row of a list.
fn line(face: &mut Face, deploy: &Published, mark: &str) -> io::Result<()> {
    let paint = face.paint;
    let who = match &deploy.writer {
        Some(writer) => {
            let entry = paint.role(Role::Name, printable(&writer.entry)).to_string();
            format!("{}  {}  {entry}", printable(&writer.time), printable(&writer.to_string()))
        }
        None => "by mgmt (user unknown)".into(),
    };
    let form = match &deploy.record {
        Ok(record) => paint.role(Role::Quiet, printable(&record.frontend)).to_string(),
        Err(why) => paint.role(Role::Error, format!("unreadable: {}", printable(why))).to_string(),
    };
    let mut more: Vec<String> = Vec::new();
    more.extend(deploy.writer.as_ref().and_then(|writer| writer.back_to).map(|id| format!("back to {id}")));
    more.extend(deploy.commit.as_ref().map(|commit| format!("commit {}", short(commit))));
    more.extend((!mark.is_empty()).then(|| paint.role(Role::Title, mark).to_string()));
    let id = paint.role(Role::Title, format!("{:>5}", deploy.id));
    writeln!(face.out, "{id}  {who}  {form}{}", more.iter().map(|part| format!("  {part}")).collect::<String>())
}

/// The start of a commit hash; a cluster may contain anything.
pub fn short(commit: &str) -> String {
    printable(&commit.chars().take(10).collect::<String>()).to_string()
}

/// Returns a deploy of a cluster as JSON.
pub fn deploy_json(deploy: &Published) -> Json {
    let (record, fault) = match &deploy.record {
        Ok(record) => (Some(record), None),
        Err(why) => (None, Some(why)),
    };
    json!({
        "deploy": deploy.id, "frontend": record.map(|record| &record.frontend),
        "noop": record.map(|record| record.choices.noop), "sema": record.and_then(|record| record.choices.sema),
        "no_auto_edges": record.map(|record| record.choices.no_auto_edges),
        "no_auto_group": record.map(|record| record.choices.no_auto_group),
        "tree": record.and_then(|record| record.uri.as_ref()), "commit": deploy.commit, "by": deploy.writer,
        "revision": deploy.revision, "fault": fault,
    })
}

/// Prints a deploy of a cluster with its files; the running one without `id`.
pub fn show(face: &mut Face, target: &TargetArgs, id: Option<u64>, format: Format) -> io::Result<Exit> {
    let cancel = Cancel::default();
    let _interrupts = Interrupts::catch_for(cancel.clone())?;
    let shown = match target.reach(face, format, &cancel) {
        Ok(reached) => reached.asking(face, format, |target| target.show(id, &cancel)),
        Err(exit) => return Ok(exit),
    };
    let (deploy, tree) = match shown {
        Ok(shown) => shown,
        Err(error) => return Ok(refused(face, &error)),
    };
    match format {
        Format::Json => {
            let mut object = deploy_json(&deploy);
            let file = |(path, leaf): (&String, &Leaf)| json!({"path": path, "sha256": leaf.hash, "executable": leaf.executable});
            object["files"] = tree.0.iter().map(file).collect();
            writeln!(face.out, "{object}")?;
        }
        Format::Text => show_text(face, &deploy, &tree)?,
    }
    Ok(Exit::Done)
}

fn show_text(face: &mut Face, deploy: &Published, tree: &Tree) -> io::Result<()> {
    let paint = face.paint;
    writeln!(face.out, "{}", paint.role(Role::Title, format!("Deploy {}", deploy.id)))?;
    match &deploy.writer {
        Some(writer) => {
            writeln!(face.out, "  from    {}", paint.role(Role::Name, printable(&writer.entry)))?;
            writeln!(
                face.out,
                "  by      {}, {}, {}",
                printable(&writer.to_string()),
                printable(&writer.time),
                printable(&writer.program)
            )?;
            if let Some(back) = writer.back_to {
                writeln!(face.out, "  back to {back}")?;
            }
        }
        None => writeln!(face.out, "  by      mgmt (user unknown)")?,
    }
    if let Some(commit) = &deploy.commit {
        writeln!(face.out, "  commit  {}", printable(commit))?;
    }
    if let Ok(record) = &deploy.record {
        writeln!(face.out, "  runs    {}", printable(&record.frontend))?;
        for word in choice_words(record.choices) {
            writeln!(face.out, "          {}", paint.role(Role::Warning, word))?;
        }
        writeln!(face.out, "  tree    {}", printable(record.uri.as_deref().unwrap_or("none")))?;
    }
    for (path, leaf) in &tree.0 {
        let mark = if leaf.executable { "x" } else { "-" };
        writeln!(face.out, "  {mark} {}  {}", leaf.hash.get(..12).unwrap_or_default(), printable(path))?;
    }
    writeln!(face.out, "{}", count(tree.0.len(), "file"))
}

/// Publishes an earlier deploy again: `to`, or else the one before the running deploy. `id` must be the running one.
/// `asks` requires a confirmation.
pub fn undo(
    face: &mut Face,
    target: &TargetArgs,
    id: Option<u64>,
    to: Option<u64>,
    asks: bool,
    format: Format,
) -> io::Result<Exit> {
    let cancel = Cancel::default();
    let _interrupts = Interrupts::catch_for(cancel.clone())?;
    let reached = match target.reach(face, format, &cancel) {
        Ok(reached) => reached,
        Err(exit) => return Ok(exit),
    };
    let (live, to) = match reached.asking(face, format, |target| aim(target, id, to, &cancel)) {
        Ok(aim) => aim,
        Err(error) => return Ok(refused(face, &error)),
    };
    if format == Format::Text {
        writeln!(face.out, "Running now, would be replaced:")?;
        line(face, &live, "")?;
        writeln!(face.out, "Would be published again as a new deploy:")?;
        line(face, &to, "")?;
        face.out.flush()?;
    }
    if asks && !agreed(face, "Publish it again? [y/N] ")? {
        return Ok(face.refuse("nothing published", "answer `y` to publish"));
    }
    let mut progress = reached.progress(face, format);
    let entry = to.writer.as_ref().map_or(String::new(), |writer| writer.entry.clone());
    let published =
        reached.target.rollback(to.id, live.id, writer(&entry), &mut |event| progress.follow(event), &cancel);
    drop(progress);
    match published {
        Ok(published) if format == Format::Json => {
            writeln!(
                face.out,
                "{}",
                json!({"version": 1, "deploy": published.id, "before": live.id, "back_to": to.id})
            )?;
        }
        Ok(published) => writeln!(face.out, "Published deploy {}, a copy of deploy {}.", published.id, to.id)?,
        Err(error) => return Ok(refused(face, &error)),
    }
    Ok(Exit::Done)
}

/// The running deploy, and the one to publish again.
fn aim(
    target: &dyn Target,
    id: Option<u64>,
    to: Option<u64>,
    cancel: &Cancel,
) -> Result<(Published, Published), TargetError> {
    let mut deploys = target.deploys(cancel)?;
    let live = deploys.pop().ok_or(TargetError::Empty)?;
    if let Some(id) = id.filter(|id| *id != live.id) {
        return Err(TargetError::NotNewest(id));
    }
    let to = match to {
        None => deploys.pop().ok_or(TargetError::NothingBefore(live.id))?,
        Some(to) if to == live.id => return Err(TargetError::AlreadyNewest(to)),
        Some(to) => deploys.into_iter().find(|deploy| deploy.id == to).ok_or(TargetError::NoSuchDeploy(to))?,
    };
    Ok((live, to))
}
