//! Exports the graph as text: to a new file, or to the clipboard.

use std::path::PathBuf;

use super::State;
use crate::graph::export::{write_dot, write_json, write_mermaid, write_rails};
use crate::graph::{Edge, Graph, NodeIndex};
use crate::session::history::resources;
pub use crate::tui::screen::graph::data::Export;
use crate::tui::{
    cx::Cx, effect::Effect, layer::Question, layer::question::Purpose, look::Role, parity, screen::graph::data::Format,
};

/// The limit of terminals for one clipboard text.
const MOST_COPIED: usize = 74_000;

/// The formats by file name extension.
const FORMATS: [(&str, Format); 4] =
    [("dot", Format::Dot), ("mmd", Format::Mermaid), ("json", Format::Json), ("txt", Format::Rails)];

impl Format {
    /// Its name on the command line.
    fn word(self) -> &'static str {
        match self {
            Format::Dot => "dot",
            Format::Mermaid => "mermaid",
            Format::Json => "json",
            Format::Rails => "rails",
        }
    }
}

pub fn ask(graph: &State, cx: &mut Cx) {
    let name = format!("{}.dot", cx.project.title);
    ask_again(graph, cx, name, None);
}

fn ask_again(graph: &State, cx: &mut Cx, name: String, error: Option<String>) {
    let Some(program) = cx.graphed() else { return };
    let (all, edges) = (program.graph.len(), program.graph.edges().len());
    let of = match &graph.shown {
        Some(shown) => {
            let count = shown.iter().filter(|is| **is).count();
            format!("{count} of {} (those shown).", resources(all as u64))
        }
        None => format!("{} and {edges} edge{}.", resources(all as u64), if edges == 1 { "" } else { "s" }),
    };
    let lines = vec![of, "Format by extension: .dot  .mmd (mermaid)  .json  .txt (rails)".into()];
    cx.layers.open.push(Question::text("Save the graph", lines, name, error, Purpose::SaveGraph).into());
}

pub fn named(graph: &State, cx: &mut Cx, name: &str, copies: bool) {
    let Some(program) = cx.graphed().cloned() else { return };
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let Some((_, format)) = FORMATS.iter().find(|(known, _)| Some(*known) == ending) else {
        ask_again(graph, cx, name.into(), Some("unknown extension".into()));
        return;
    };
    let into = if copies { String::new() } else { format!(" > {name}") };
    let command = format!("workbench graph --format {} {}{into}", format.word(), parity::entry_words(cx));
    cx.log_command(command);
    let export = Export {
        program,
        shown: graph.shown.clone(),
        format: *format,
        entry: cx.project.entry.clone(),
        language: cx.project.language,
        name: name.into(),
        file: (!copies).then(|| PathBuf::from(name)),
        is_ascii: cx.look.is_ascii(),
    };
    cx.effect(Effect::Export(Box::new(export)))
}

impl Export {
    pub fn text(&self) -> Result<String, String> {
        let part;
        let graph: &Graph = match &self.shown {
            Some(shown) => {
                part = part_of(&self.program.graph, shown);
                &part
            }
            None => &self.program.graph,
        };
        let mut out = Vec::new();
        match self.format {
            Format::Dot => write_dot(&mut out, graph, &self.entry),
            Format::Mermaid => write_mermaid(&mut out, graph),
            Format::Json => write_json(&mut out, graph, self.language.as_str(), &self.entry),
            Format::Rails => write_rails(&mut out, graph, self.is_ascii),
        }
        .map_err(|error| error.to_string())?;
        let text = String::from_utf8(out).map_err(|error| error.to_string())?;
        if self.file.is_none() && text.len() > MOST_COPIED {
            let size = text.len() / 1000;
            return Err(format!("{size} kB are too much for the terminal clipboard: Enter saves a file"));
        }
        Ok(text)
    }
}

/// The visible nodes, with the edges between them.
fn part_of(graph: &Graph, shown: &[bool]) -> Graph {
    let mut part = Graph::default();
    let mut places = vec![None; graph.len()];
    for (at, node) in graph.nodes().enumerate().filter(|(at, _)| shown.get(*at) == Some(&true)) {
        places[at] = part.add(node.clone()).ok();
    }
    for edge in graph.edges() {
        let place = |at: NodeIndex| places[at.0 as usize];
        if let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) {
            part.connect(Edge { from, to, ..edge.clone() });
        }
    }
    part
}

pub fn done(graph: &State, cx: &mut Cx, export: &Export, result: Result<String, String>) {
    match result {
        Err(error) => ask_again(graph, cx, export.name.clone(), Some(error)),
        Ok(text) if export.file.is_none() => {
            cx.show_notice(Role::Note, format!("copied the graph as {}: {} bytes", export.format.word(), text.len()));
            cx.effect(Effect::Copy(text))
        }
        Ok(text) => cx.show_notice(
            Role::Good,
            format!("wrote {}: {} bytes of {}", export.name, text.len(), export.format.word()),
        ),
    }
}
