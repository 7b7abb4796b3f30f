//! The messages between a face and a worker: a length, then MessagePack with names.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::diag::Stage;
use crate::graph::{Bytes, Draft, Graph, Node, NodeIndex, ResourceId, compact};
use crate::lang::{
    Answer as Sampled, Artifact, Checked, Choices, CompileOptions, Compiled, Event, Here, ImportEdit, Limits,
    NewImport, Outcome, Output, Report, RunLimits,
};
use crate::module::EntryPoint;
use crate::source::{FileId, Place, Sources};
use crate::world::{Cancel, Read, ReadError, Sample};

/// The size limit of a message: far above the graph of a program within its limits.
pub const CAP: u32 = 1 << 30;

/// The nesting limit of values in a message. Reading it takes a few MiB of stack at most.
const DEPTH: usize = 4096;

/// What a worker is started for.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    pub entry: EntryPoint,
    pub options: SentOptions,
    pub task: Task,
}

/// [`CompileOptions`] without the handles of a process.
#[derive(Debug, Serialize, Deserialize)]
pub struct SentOptions {
    module_path: Vec<PathBuf>,
    choices: Choices,
    /// See [`Choices::shares_exports`]; a bundle does not carry it, a job does.
    exported: bool,
    until: Stage,
    limits: Limits,
}

impl SentOptions {
    /// Copies the options that a worker needs.
    pub fn of(options: &CompileOptions) -> Self {
        Self {
            module_path: options.module_path.clone(),
            choices: options.choices.clone(),
            exported: options.choices.shares_exports(),
            until: options.run.until,
            limits: options.run.limits.clone(),
        }
    }

    /// The same options for another node.
    pub fn for_node(&self, ForNode { mut choices, exported }: ForNode, cancel: Cancel) -> CompileOptions {
        choices.share_exports(exported);
        let run = RunLimits { cancel, limits: self.limits.clone(), ..RunLimits::until(self.until) };
        CompileOptions { module_path: self.module_path.clone(), choices, run }
    }

    /// Returns the limits of the compilation.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The options in the worker, which ends after the job.
    pub fn received(self, cancel: Cancel, draft: Draft) -> CompileOptions {
        let Self { module_path, mut choices, exported, until, limits } = self;
        choices.share_exports(exported);
        CompileOptions { module_path, choices, run: RunLimits { until, cancel, limits, is_last: true, draft } }
    }
}

/// The work of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Task {
    Compile,
    /// With the entry's own files.
    Check(Vec<PathBuf>),
    Artifact(Artifact),
    Here {
        file: Option<PathBuf>,
        place: (u32, u32),
    },
    Explain(ResourceId),
    Follow {
        now: u64,
    },
    PlanImport(NewImport),
    /// Compiles the entry for each [`ForNode`] that follows.
    Nodes,
    /// Finds the imports of each [`Text`] that follows.
    Scan,
    /// Only reports how far the worker is confined.
    Confinement,
}

/// A message of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromWorker {
    /// The worker waits for the answer, a [`Sampled`].
    Read {
        from: From,
        read: Read,
    },
    /// The same for several reads: the answer is a list.
    ReadAll {
        from: From,
        reads: Vec<Read>,
    },
    Compiled(Compiled),
    Checked(Box<Checked>),
    Output(Output),
    Here(Option<Here>),
    Explained(Vec<(Option<Place>, String)>),
    /// The state of a followed program, at its start and after each [`Event`].
    State(Box<State>),
    Planned(Result<ImportEdit, Report>),
    /// Names with their lines.
    Imports(Vec<(String, u32)>),
    Confined(super::Confinement),
    /// A part of the graph of the answer.
    Part(Bytes),
    /// The same as `Compiled` without the graph: the parent has its parts, and this is the rest.
    Drafted {
        rest: Bytes,
        compiled: Compiled,
    },
    /// An answer without the texts of these files, which the parent read for it.
    Short {
        taken: Vec<FileId>,
        answer: Box<FromWorker>,
    },
    /// A bug in workbench.
    Panicked {
        message: String,
        place: String,
    },
    /// The answer cannot be sent.
    Unsendable {
        why: String,
    },
}

impl FromWorker {
    /// The files of an answer.
    pub fn sources_mut(&mut self) -> Option<&mut Sources> {
        match self {
            FromWorker::Compiled(compiled) | FromWorker::Drafted { compiled, .. } => Some(&mut compiled.sources),
            FromWorker::Checked(checked) => Some(&mut checked.compiled.sources),
            FromWorker::Output(output) => Some(&mut output.sources),
            FromWorker::State(state) => state.sources.as_mut(),
            FromWorker::Planned(Err(report)) => Some(&mut report.sources),
            _ => None,
        }
    }
}

/// The files that were read since the last answer, on both sides.
#[derive(Debug, Default)]
pub struct Texts(FxHashMap<PathBuf, Arc<[u8]>>);

impl Texts {
    /// Notes a read with its answer.
    pub fn note(&mut self, read: &Read, answer: &Result<Sample, ReadError>) {
        if let (Read::File(path), Ok(Sample::Bytes(bytes))) = (read, answer) {
            self.0.insert(path.clone(), Arc::clone(bytes));
        }
    }

    /// Takes the texts of these files out of an answer.
    pub fn shorten(&mut self, mut answer: FromWorker) -> FromWorker {
        let texts = std::mem::take(&mut self.0);
        let has = |path: &Path, text: &str| texts.get(path).is_some_and(|bytes| **bytes == *text.as_bytes());
        match answer.sources_mut().map(|sources| sources.take_texts(has)) {
            Some(taken) if !taken.is_empty() => FromWorker::Short { taken, answer: Box::new(answer) },
            _ => answer,
        }
    }

    /// Puts them back.
    pub fn complete(&mut self, answer: FromWorker) -> FromWorker {
        let texts = std::mem::take(&mut self.0);
        let FromWorker::Short { taken, mut answer } = answer else { return answer };
        let text_of = |path: &Path| std::str::from_utf8(texts.get(path)?).ok().map(Arc::from);
        if let Some(sources) = answer.sources_mut() {
            sources.put_texts(&taken, text_of);
        }
        *answer
    }
}

/// The answer to a single read.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answered {
    Here(Result<Sample, ReadError>),
    /// Bytes, which are in the worker's standard output: a file in memory.
    Aside(usize),
}

/// The world that a read is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum From {
    /// The files of the program.
    Files,
    /// Everything that the program reads.
    World,
}

/// A followed program after an event.
#[derive(Debug, Serialize, Deserialize)]
pub struct State {
    pub outcome: Outcome,
    /// Each `None` if the last one still holds.
    pub graph: Option<SentGraph>,
    pub sources: Option<Sources>,
    pub inputs: Option<Vec<(Read, Sampled)>>,
    pub wake: Option<u64>,
}

/// A graph, or its difference from the last one. Graphs of one program share most nodes, also on the other side.
#[derive(Debug, Serialize, Deserialize)]
pub enum SentGraph {
    Whole(#[serde(with = "compact")] Graph),
    Changed(Vec<(NodeIndex, Arc<Node>)>),
}

/// A message to a worker that scans: a source file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Text {
    pub name: Arc<str>,
    pub path: Option<PathBuf>,
    pub text: Arc<str>,
}

/// A message to a worker that compiles for nodes.
#[derive(Debug, Serialize, Deserialize)]
pub struct ForNode {
    pub choices: Choices,
    /// See [`SentOptions`].
    pub exported: bool,
}

/// A message to a worker that follows a program.
pub type ToFollower = Event;

/// Encodes a message with its length.
pub fn encode<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    let mut serializer = rmp_serde::Serializer::new(&mut frame).with_struct_map();
    serializer.unstable_set_max_depth(DEPTH);
    message.serialize(&mut serializer).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    let len = u32::try_from(frame.len() - 4).ok().filter(|len| *len <= CAP);
    let len = len.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "the answer is too large"))?;
    frame[..4].copy_from_slice(&len.to_le_bytes());
    Ok(frame)
}

/// Decodes a message without its length.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    let mut deserializer = rmp_serde::Deserializer::from_read_ref(body);
    deserializer.set_max_depth(DEPTH);
    T::deserialize(&mut deserializer).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}
