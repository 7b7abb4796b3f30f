//! `workbench deploy push`: publishes a program to a cluster, after showing the changes there.

use std::io::{self, IsTerminal, Write};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::cluster::{TargetArgs, deploy_json, refused, short};
use crate::cli::args::{Entry, Format, Global};
use crate::cli::ask::agreed;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::open;
use crate::cli::paint::Role;
use crate::session::target::{
    Choices, Comparison, Form, Offer, OfferOptions, Offered, Origin, Published, choice_words, is_nothing_new,
};
use crate::session::{Cancel, Interrupts, in_bytes};
use crate::source::printable;

/// Publish a module to all machines of a mgmt cluster
///
/// Writes the module's files (the same as in a bundle) to the cluster's etcd, reads them back, then publishes the
/// deploy in one transaction. Every machine runs it. Fails if someone else publishes after the changes were shown,
/// unless `--retries` is used.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy push site/ --target etcd://localhost:2379 --preview\n  \
    workbench deploy push site.bundle --target etcds://ann@one,two,three --ca ca.pem\n  \
    workbench deploy push site/ --as yaml --target etcd://localhost:2379 --yes --no-git\n\n\
    In a git repository, the work tree must be clean, and the running deploy must be of the parent of your\n\
    commit. `--force` does not compare the commits; `--no-git` does not check git at all.")]
pub struct Push {
    #[command(flatten)]
    entry: Entry,
    #[command(flatten)]
    target: TargetArgs,
    /// What to publish
    #[arg(long = "as", value_enum, default_value_t, value_name = "FORM")]
    form: FormChoice,
    /// Publish nothing, only show what would change in the cluster
    #[arg(long, conflicts_with = "yes")]
    preview: bool,
    /// Publish without asking
    #[arg(long)]
    yes: bool,
    /// Publish as a dry run: every machine only reports what it would change
    #[arg(long)]
    noop: bool,
    /// Limit how many resources each machine applies in parallel [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    sema: Option<u32>,
    /// Disable automatic edges on the machines
    #[arg(long)]
    no_autoedges: bool,
    /// Disable automatic grouping on the machines
    #[arg(long)]
    no_autogroup: bool,
    /// Do not check the state of the git repository, and record no commit
    #[arg(long)]
    no_git: bool,
    /// Publish even if the running deploy is not of the parent commit, or if nothing changed
    #[arg(long)]
    force: bool,
    /// How often to retry if someone else published first; replaces their deploy without showing the changes again
    #[arg(long, value_name = "N", default_value_t = 0)]
    retries: u32,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormChoice {
    /// The module's files, for mcl; each machine evaluates them
    #[default]
    Program,
    /// The graph of this machine, as one mcl file; refused if mcl has no words for a part of it
    Mcl,
    /// The same as mgmt yaml; omits meta parameters and values sent between resources
    Yaml,
}

impl From<FormChoice> for Form {
    fn from(choice: FormChoice) -> Self {
        match choice {
            FormChoice::Program => Form::Program,
            FormChoice::Mcl => Form::Graph,
            FormChoice::Yaml => Form::Yaml,
        }
    }
}

impl Push {
    /// Shows what would change in the cluster, asks, and publishes.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        if !self.target.is_given() {
            face.refuse("no target", "for example `--target etcd://localhost:2379`");
            return Ok(Exit::Usage);
        }
        let asks = !self.yes && !self.preview;
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            let help = "pass `--yes`, or use `--preview`";
            return Ok(face.refuse("push needs a terminal to ask for confirmation", help));
        }
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let cancel = Cancel::default();
        let interrupts = Interrupts::catch_for(cancel.clone())?;
        let Offered { offer, reads, notes } = match session.offer(&self.options(), &cancel) {
            Ok(offered) => offered,
            Err(_) if interrupts.count() > 0 => return Ok(Exit::Stopped),
            Err(report) => return Ok(face.report(&report)),
        };
        notes.iter().for_each(|note| face.note(printable(note)));
        let reached = match self.target.reach(face, self.format, &cancel) {
            Ok(reached) => reached,
            Err(exit) => return Ok(exit),
        };
        let comparison = match reached.asking(face, self.format, |target| target.preview(&offer, &cancel)) {
            Ok(comparison) => comparison,
            Err(error) => return Ok(refused(face, &error)),
        };
        if self.format == Format::Text || self.preview {
            self.write_report(face, &offer, &comparison, &reads)?;
        }
        if self.preview {
            return Ok(Exit::Done);
        }
        if is_nothing_new(&comparison, &offer) {
            return self.nothing_new(face, &comparison);
        }
        let question = format!("Publish this as deploy {}? [y/N] ", comparison.next);
        if asks && !agreed(face, &question)? {
            return Ok(face.refuse("nothing published", "answer `y` to publish it"));
        }
        let over = comparison.live.as_ref().map_or(0, |live| live.id);
        let mut progress = reached.progress(face, self.format);
        let target = &reached.target;
        let published = target.publish(&offer, over, self.retries, &mut |event| progress.follow(event), &cancel);
        drop(progress);
        match published {
            Ok(published) => self.done(face, &published, over, offer.files.len()).map(|()| Exit::Done),
            Err(error) => Ok(refused(face, &error)),
        }
    }

    fn options(&self) -> OfferOptions {
        let choices = Choices {
            noop: self.noop,
            sema: self.sema,
            no_auto_edges: self.no_autoedges,
            no_auto_group: self.no_autogroup,
        };
        OfferOptions { form: self.form.into(), choices, no_git: self.no_git, force: self.force }
    }

    fn nothing_new(&self, face: &mut Face, comparison: &Comparison) -> io::Result<Exit> {
        let id = comparison.live.as_ref().map_or(0, |live| live.id);
        match self.format {
            Format::Json => writeln!(face.out, "{}", json!({"version": 1, "deploy": null, "before": id}))?,
            Format::Text => {
                writeln!(face.out, "Nothing to publish: same as deploy {id} (use --force to publish anyway).")?;
            }
        }
        Ok(Exit::Done)
    }

    fn done(&self, face: &mut Face, published: &Published, over: u64, files: usize) -> io::Result<()> {
        if self.format == Format::Json {
            let mut object = json!({"version": 1, "deploy": null, "before": over, "files": files});
            object["deploy"] = published.id.into();
            object["published"] = deploy_json(published);
            return writeln!(face.out, "{object}");
        }
        let id = face.paint.role(Role::Title, format!("Deploy {}", published.id));
        writeln!(face.out, "{id} published: {}, verified.", count(files, "file"))
    }

    /// The changes in the cluster.
    fn write_report(
        &self,
        face: &mut Face,
        offer: &Offer,
        comparison: &Comparison,
        reads: &[String],
    ) -> io::Result<()> {
        let Comparison { live, next, added, changed, removed, same, bytes, unread } = comparison;
        if self.format == Format::Json {
            let commit = match &offer.origin {
                Origin::Commit { id, .. } => Some(id),
                Origin::Untracked | Origin::Unasked => None,
            };
            let object = json!({
                "version": 1, "next": next, "live": live.as_ref().map(deploy_json), "frontend": offer.frontend.as_str(),
                "commit": commit, "added": added, "changed": changed, "removed": removed, "same": same, "bytes": bytes,
                "unread": unread, "reads": reads, "nothing_new": is_nothing_new(comparison, offer),
            });
            return writeln!(face.out, "{object}");
        }
        let paint = face.paint;
        match live {
            None => writeln!(face.out, "No deploys in this cluster yet.")?,
            Some(live) => {
                let by = match &live.writer {
                    Some(writer) => format!("{} at {}", printable(&writer.to_string()), printable(&writer.time)),
                    None => "mgmt".into(),
                };
                let commit =
                    live.commit.as_deref().map_or(String::new(), |commit| format!(", commit {}", short(commit)));
                writeln!(face.out, "Running: deploy {}, by {by}{commit}.", live.id)?;
            }
        }
        if let Some(why) = unread {
            let text = format!("Cannot compare with it: {}", printable(why));
            writeln!(face.out, "{}", paint.role(Role::Warning, text))?;
        }
        for (sign, role, paths) in
            [("+", Role::Create, added), ("~", Role::Change, changed), ("-", Role::Remove, removed)]
        {
            const SHOWN: usize = 20;
            let shown = if face.verbose { paths.len() } else { SHOWN };
            for path in paths.iter().take(shown) {
                writeln!(face.out, "{} {}", paint.role(role, sign), printable(path))?;
            }
            if paths.len() > shown {
                writeln!(face.out, "{} and {} more", paint.role(role, sign), paths.len() - shown)?;
            }
        }
        for read in reads {
            writeln!(face.out, "{} {}", paint.role(Role::Warning, "on each machine:"), printable(read))?;
        }
        for word in choice_words(offer.choices) {
            writeln!(face.out, "{} {word}", paint.role(Role::Warning, "on each machine:"))?;
        }
        let commit = match &offer.origin {
            Origin::Commit { id, .. } => format!(", commit {}", short(id)),
            Origin::Untracked | Origin::Unasked => String::new(),
        };
        writeln!(
            face.out,
            "Deploy {next} would be {} ({}), {}{commit}: {} to add, {} to change, {} to remove, {same} unchanged.",
            count(offer.files.len(), "file"),
            in_bytes(*bytes),
            offer.frontend.as_str(),
            added.len(),
            changed.len(),
            removed.len(),
        )
    }
}
