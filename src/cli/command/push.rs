//! `workbench deploy push`: publishes a program to a cluster, after a look at what that changes there.

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

/// Publish a program to all machines of a mgmt cluster
///
/// Its files, the same that a bundle would hold, go into the cluster's etcd; then a record in the cluster's own form names
/// them, all at once or not at all, and every machine runs them. All that was written is read back. Where somebody else
/// published since the look, nothing is.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy push site/ --target etcd://localhost:2379 --preview\n  \
    workbench deploy push site.bundle --target etcds://ann@one,two,three --ca ca.pem\n  \
    workbench deploy push site/ --as yaml --target etcd://localhost:2379 --yes --no-git\n\n\
    In a git repository there must be no changes, and the commit that runs there must be the one before yours:\n\
    so deploys follow one another as commits do. `--force` leaves that chain, `--no-git` tells no commit.")]
pub struct Push {
    #[command(flatten)]
    entry: Entry,
    #[command(flatten)]
    target: TargetArgs,
    /// What is published
    #[arg(long = "as", value_enum, default_value_t, value_name = "FORM")]
    form: FormChoice,
    /// Only show what would change there
    #[arg(long, conflicts_with = "yes")]
    preview: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Every machine only tells what it would do
    #[arg(long)]
    noop: bool,
    /// How many resources each machine works on at once [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    sema: Option<u32>,
    /// The machines add no edges of their own
    #[arg(long)]
    no_autoedges: bool,
    /// The machines group nothing of their own
    #[arg(long)]
    no_autogroup: bool,
    /// Do not ask git for a commit
    #[arg(long)]
    no_git: bool,
    /// Publish whatever commit runs there, and also where nothing is new
    #[arg(long)]
    force: bool,
    /// How often to take the next number where somebody else was quicker
    #[arg(long, value_name = "N", default_value_t = 0)]
    retries: u32,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormChoice {
    /// The program's files: each machine evaluates them for itself
    #[default]
    Program,
    /// The graph as it is on this machine, as one mcl program
    Mcl,
    /// The same as mgmt's yaml; meta parameters and sent values have no place there
    Yaml,
}

impl From<FormChoice> for Form {
    fn from(choice: FormChoice) -> Self {
        match choice {
            FormChoice::Program => Form::Program,
            FormChoice::Mcl => Form::Mcl,
            FormChoice::Yaml => Form::Yaml,
        }
    }
}

impl Push {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        if !self.target.is_given() {
            face.refuse("no target is named", "say which: `--target etcd://localhost:2379`");
            return Ok(Exit::Usage);
        }
        let asks = !self.yes && !self.preview;
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            let help = "say `--yes`, or look with `--preview`";
            return Ok(face.refuse("a push asks before it publishes, and there is no terminal to ask on", help));
        }
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let cancel = Cancel::default();
        let interrupts = Interrupts::catch_for(cancel.clone())?;
        let Offered { offer, reads } = match session.offer(&self.options(), &cancel) {
            Ok(offered) => offered,
            Err(_) if interrupts.count() > 0 => return Ok(Exit::Stopped),
            Err(report) => return Ok(face.report(&report)),
        };
        let reached = match self.target.reach(face, self.format, &cancel) {
            Ok(reached) => reached,
            Err(exit) => return Ok(exit),
        };
        let comparison = match reached.asking(face, self.format, |target| target.preview(&offer, &cancel)) {
            Ok(comparison) => comparison,
            Err(error) => return Ok(refused(face, &error)),
        };
        if self.format == Format::Text || self.preview {
            self.tell(face, &offer, &comparison, &reads)?;
        }
        if self.preview {
            return Ok(Exit::Done);
        }
        if is_nothing_new(&comparison, &offer) {
            return self.nothing_new(face, &comparison);
        }
        let question = format!("Publish this as deploy {}? [y/N] ", comparison.next);
        if asks && !agreed(face, &question)? {
            return Ok(face.refuse("nothing was published", "answer `y` to publish it"));
        }
        let over = comparison.live.as_ref().map_or(0, |live| live.id);
        let mut progress = reached.progress(face, self.format);
        let target = &reached.target;
        let published = target.publish(&offer, over, self.retries, &mut |heard| progress.hear(heard), &cancel);
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
                writeln!(face.out, "Nothing differs from deploy {id}, so nothing was published (--force would).")?;
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
        writeln!(face.out, "{id} is published: {}, read back.", count(files, "file"))
    }

    /// What it would change there.
    fn tell(&self, face: &mut Face, offer: &Offer, comparison: &Comparison, reads: &[String]) -> io::Result<()> {
        let Comparison { live, next, added, changed, removed, same, bytes, unread } = comparison;
        if self.format == Format::Json {
            let commit = match &offer.origin {
                Origin::Commit { id, .. } => Some(id),
                Origin::Untracked | Origin::Unasked => None,
            };
            let told = json!({
                "version": 1, "next": next, "live": live.as_ref().map(deploy_json), "frontend": offer.frontend.as_str(),
                "commit": commit, "added": added, "changed": changed, "removed": removed, "same": same, "bytes": bytes,
                "unread": unread, "reads": reads, "nothing_new": is_nothing_new(comparison, offer),
            });
            return writeln!(face.out, "{told}");
        }
        let paint = face.paint;
        match live {
            None => writeln!(face.out, "Nothing was ever deployed there.")?,
            Some(live) => {
                let by = match &live.writer {
                    Some(writer) => format!("{} at {}", printable(&writer.to_string()), printable(&writer.time)),
                    None => "mgmt".into(),
                };
                let commit =
                    live.commit.as_deref().map_or(String::new(), |commit| format!(", commit {}", short(commit)));
                writeln!(face.out, "Deploy {} runs there, by {by}{commit}.", live.id)?;
            }
        }
        if let Some(why) = unread {
            let text = format!("It cannot be compared with: {}", printable(why));
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
            "Deploy {next} would be {} ({}), {}{commit}: {} to add, {} to change, {} to remove, {same} as they are.",
            count(offer.files.len(), "file"),
            in_bytes(*bytes),
            offer.frontend.as_str(),
            added.len(),
            changed.len(),
            removed.len(),
        )
    }
}
