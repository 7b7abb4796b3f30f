//! `workbench graph`: the resource graph of an entry, for people and programs.

use std::io::{self, Write};

use clap::{Args, ValueEnum};

use crate::cli::args::{Entry, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::{artifact, compile};
use crate::cli::paint::Role;
use crate::diag::Stage;
use crate::graph::{self, Resource, export};
use crate::session::{Artifact, as_program};
use crate::source::printable;

/// Compile a module and print its resource graph
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench graph modules/mcl/demo\n  workbench graph --format json site/ | jq '.resources[].id'\n  \
                        workbench graph --format dot site/ | dot -Tsvg > graph.svg\n  workbench graph --format mcl site/ > flat.mcl"
)]
pub struct Graph {
    #[command(flatten)]
    pub entry: Entry,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Resources with their parameters, then edges
    #[default]
    Text,
    Json,
    /// Graphviz
    Dot,
    Mermaid,
    /// Resources in apply order, with lines for edges
    Rails,
    /// mcl code that compiles to the same graph; refused if mcl has no words for a part of it
    Mcl,
    /// The same for `mgmt run yaml`; omits meta parameters and values sent between resources
    MgmtYaml,
    /// Puppet's catalog as JSON, with relationships and the order
    PuppetCatalog,
    /// The types that a Puppet program declares, as Ecore
    Ecore,
}

/// The language of mgmt, as `--format` names it.
fn mgmt() -> String {
    Format::Mcl.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

impl Graph {
    /// Compiles the entry and prints its graph.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        match self.format {
            Format::PuppetCatalog => return artifact(face, global, &self.entry, &Artifact::Catalog),
            Format::Ecore => return artifact(face, global, &self.entry, &Artifact::Types),
            _ => {}
        }
        let (session, compiled) = match compile(face, global, &self.entry, Stage::Eval) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        let entry = session.entry();
        if !matches!(self.format, Format::Text | Format::Rails) {
            face.data();
        }
        match self.format {
            Format::Text => text(face, &compiled.graph)?,
            Format::Json => export::write_json(&mut face.out, &compiled.graph, entry.language.as_str(), &entry.shown)?,
            Format::Dot => export::write_dot(&mut face.out, &compiled.graph, &entry.shown)?,
            Format::Mermaid => export::write_mermaid(&mut face.out, &compiled.graph)?,
            Format::Rails => {
                let mut rows = Vec::new();
                if let Err(error) = export::write_rails(&mut rows, &compiled.graph, face.plain) {
                    return Ok(face.refuse(&error.to_string(), "use `--format dot` or `--format json`"));
                }
                face.out.write_all(&rows)?;
            }
            Format::Mcl | Format::MgmtYaml => match as_program(&mgmt(), &compiled) {
                Err(refused) => return Ok(face.report(&refused)),
                Ok(written) => {
                    match self.format {
                        Format::MgmtYaml => export::write_yaml(&mut face.out, &written.graph, &entry.shown)?,
                        _ => face.out.write_all(written.text.as_bytes())?,
                    }
                    face.out.flush()?;
                    written.notes.iter().for_each(|note| face.note(printable(note)));
                }
            },
            Format::PuppetCatalog | Format::Ecore => {}
        }
        Ok(Exit::Done)
    }
}

fn text(face: &mut Face, graph: &graph::Graph) -> io::Result<()> {
    for (_, resource) in graph.resources() {
        resource_text(face, resource)?;
    }
    let paint = face.paint;
    let arrow = |notify: bool| match (face.plain, notify) {
        (false, false) => "→",
        (false, true) => "⇢",
        (true, false) => "->",
        (true, true) => "~>",
    };
    if !graph.edges().is_empty() {
        writeln!(face.out)?;
    }
    for edge in graph.edges() {
        let (from, to) = (graph.node(edge.from).id(), graph.node(edge.to).id());
        write!(face.out, "{from} {} {to}", arrow(edge.notify))?;
        if let Some((sent, received)) = &edge.send {
            write!(face.out, " {}", paint.role(Role::Quiet, format!("(.{sent} to .{received})")))?;
        }
        writeln!(face.out)?;
    }
    let (resources, edges) = (graph.resources().count(), graph.edges().len());
    face.out.flush()?;
    face.note(format!("{}, {}", count(resources, "resource"), count(edges, "edge")));
    Ok(())
}

fn resource_text(face: &mut Face, resource: &Resource) -> io::Result<()> {
    let place = resource.source.as_ref().map_or(String::new(), ToString::to_string);
    writeln!(face.out, "{}  {}", face.paint.role(Role::Name, &resource.id), face.paint.role(Role::Quiet, place))?;
    let params = resource.shown().params.iter().map(|(name, value)| (name.to_string(), value));
    let meta = resource.meta.iter().map(|(name, value)| (format!("Meta:{name}"), value));
    let rows: Vec<_> = params.chain(meta).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (name, value) in rows {
        let value = value.to_json().to_string();
        writeln!(face.out, "  {name:width$}  {}", printable(&value))?;
    }
    Ok(())
}
