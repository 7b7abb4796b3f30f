//! Carries out the Ruby of a template, with limits on steps, depth and memory. What it does not know ends it with the place
//! and a name for the construct; no value is guessed.

mod array;
mod call;
mod each;
mod expr;
mod function;
mod hash;
mod ip;
mod json;
mod methods;
mod number;
mod openssl;
mod pattern;
mod resource;
mod scope;
mod string;
mod value;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::Lambda;
use super::host::Host;
use super::token::Fault;
use crate::lang::ruby::Text;
pub use function::{Function, call_function};
pub use resource::titles_of;
use value::Match;
pub use value::{DEPTH as NESTED, Heap, Ruby, Table};

/// Why a template ends before its end.
#[derive(Debug)]
pub enum Halt {
    /// It is outside of the Ruby that is known here.
    Outside(Fault),
    /// Ruby itself would refuse it.
    Fail(u32, String),
    /// No dispatch of a function takes so many arguments.
    WrongCount(String),
    /// No dispatch of a function takes an argument of this type.
    WrongType(String),
    /// It uses more than it may.
    Limit(&'static str),
    /// It depends on a value that is not known.
    Unknown,
    /// A function of the host ended the compilation; the host knows why.
    Stop,
    Break(Ruby),
    Next(Ruby),
    Return(Ruby),
}

impl Halt {
    /// The program uses what is not known here.
    pub fn outside(line: u32, what: impl Into<String>) -> Self {
        Self::Outside(Fault::new(line, what))
    }
}

/// The result of running a part of a program.
pub type Ran<V = Ruby> = Result<V, Halt>;

/// Steps of one template, with those that it contains.
const STEPS: u64 = 4_000_000;

const TOO_MANY: &str = "a template that takes more than 4,000,000 steps";

/// Blocks and templates inside of one another.
const DEPTH: usize = 100;

/// Templates inside of one another.
const TEMPLATES: usize = 20;

/// What templates inside of one another have used together. Each call of the host passes it on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    pub steps: u64,
    depth: usize,
    bytes: usize,
}

/// How a template ended.
pub enum Rendered {
    Text(String),
    Unknown,
    /// What is outside of the known Ruby, with its place.
    Outside(String),
    /// Why Ruby would refuse it, with its place.
    Fail(String),
    /// A function of the host ended the compilation.
    Stop,
}

/// Variables of a block or template.
#[derive(Debug, Default)]
struct Frame {
    names: FxHashMap<Text, Ruby>,
    outer: Option<usize>,
    /// Of a method: whether its call has a block.
    has_block: bool,
}

pub(super) struct Machine<'h> {
    host: &'h mut dyn Host,
    heap: Heap,
    frames: Vec<Frame>,
    frame: usize,
    /// A block outlives its call, so that no frame may be reused.
    keeps_frames: bool,
    /// It runs a function of the older form.
    is_old: bool,
    /// It runs code of a resource type, which only reads attributes.
    has_resource: bool,
    ivars: FxHashMap<Text, Ruby>,
    /// Global variables that this template or function has set.
    globals: FxHashMap<Text, Ruby>,
    /// Bytes that are no text were used as one.
    shows_bytes: Arc<std::sync::atomic::AtomicBool>,
    /// Functions of the older form in the same file.
    siblings: FxHashMap<Text, Arc<Lambda>>,
    /// What `def` defined.
    methods: FxHashMap<Text, Arc<Lambda>>,
    /// The variables of the scope that this template has set.
    set: FxHashSet<Text>,
    out: String,
    /// The templates that are open, as messages name them, the innermost last.
    files: Vec<String>,
    found: Option<Match>,
    steps: u64,
    depth: usize,
}

/// Renders the text of a template. `file` is its name in messages.
pub fn render(host: &mut dyn Host, file: &str, text: &str) -> Rendered {
    let mut machine = Machine::new(host);
    let done = machine.template(file, text);
    let done = done.and_then(|text| machine.host.give_back(&mut machine.heap).map(|()| text));
    let done = done.and_then(|text| machine.check_bytes().map(|()| text));
    machine.close();
    let file = machine.files.last().cloned().unwrap_or_else(|| file.to_owned());
    match done {
        Ok(text) => Rendered::Text(text),
        Err(Halt::Unknown) => Rendered::Unknown,
        Err(Halt::Stop) => Rendered::Stop,
        Err(Halt::Outside(fault)) => Rendered::Outside(format!("{file}:{}: {}", fault.line, fault.what)),
        Err(Halt::Limit(what)) => Rendered::Outside(format!("{file}: {what}")),
        Err(Halt::Fail(0, why) | Halt::WrongCount(why) | Halt::WrongType(why)) => {
            Rendered::Fail(format!("{file}: {why}"))
        }
        Err(Halt::Fail(line, why)) => Rendered::Fail(format!("{file}:{line}: {why}")),
        Err(Halt::Break(_) | Halt::Next(_) | Halt::Return(_)) => {
            Rendered::Outside(format!("{file}: a `break`, `next` or `return` outside of a block"))
        }
    }
}

impl<'h> Machine<'h> {
    fn new(host: &'h mut dyn Host) -> Self {
        let used = host.used();
        let heap = Heap::beside(used.bytes, host.budget());
        Self {
            host,
            heap,
            frames: vec![Frame::default()],
            frame: 0,
            keeps_frames: false,
            is_old: false,
            has_resource: false,
            ivars: FxHashMap::default(),
            globals: FxHashMap::default(),
            shows_bytes: Arc::default(),
            siblings: FxHashMap::default(),
            methods: FxHashMap::default(),
            set: FxHashSet::default(),
            out: String::new(),
            files: Vec::new(),
            found: None,
            steps: used.steps,
            depth: used.depth,
        }
    }

    /// Refuses a value that may hold bytes in the place of text.
    fn check_bytes(&self) -> Ran<()> {
        match self.shows_bytes.load(std::sync::atomic::Ordering::Relaxed) {
            true => Err(Halt::Limit("bytes that are used as text")),
            false => Ok(()),
        }
    }

    /// Reports what it has used.
    fn close(&mut self) {
        let used = Used { steps: self.steps, depth: self.depth, bytes: self.heap.used() };
        self.host.spend(used);
    }

    /// Renders one template. Where it fails, its name stays the last one.
    fn template(&mut self, file: &str, text: &str) -> Ran<String> {
        if self.files.len() >= TEMPLATES {
            return Err(Halt::Limit("templates that are nested more than 20 deep"));
        }
        self.files.push(file.to_owned());
        let program = super::erb::program(text).map_err(Halt::Outside)?;
        let ivars = std::mem::take(&mut self.ivars);
        let set = std::mem::take(&mut self.set);
        let out = std::mem::take(&mut self.out);
        let frame = self.frame;
        self.frame = self.frames.len();
        self.frames.push(Frame::default());
        let done = self.eval(&program);
        self.frame = frame;
        self.ivars = ivars;
        self.set = set;
        let text = std::mem::replace(&mut self.out, out);
        if done.is_ok() && self.heap.is_exhausted() {
            return Err(Halt::Limit(TOO_MANY));
        }
        match done {
            Err(Halt::Return(_)) | Ok(_) => {}
            Err(halt) => return Err(halt),
        }
        self.files.pop();
        Ok(text)
    }

    fn step(&mut self) -> Ran<()> {
        self.steps += 1;
        if self.steps > STEPS || self.heap.is_exhausted() {
            return Err(Halt::Limit(TOO_MANY));
        }
        if self.steps.is_multiple_of(1024) && self.host.is_stopped() {
            return Err(Halt::Limit("a template that was stopped"));
        }
        self.heap.step()
    }

    fn deeper<V>(&mut self, work: impl FnOnce(&mut Self) -> Ran<V>) -> Ran<V> {
        if self.depth >= DEPTH {
            return Err(Halt::Limit("blocks that are nested more than 100 deep"));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn outside<V>(&self, line: u32, what: impl Into<String>) -> Ran<V> {
        Err(Halt::outside(line, what))
    }

    fn fail<V>(&self, line: u32, why: impl Into<String>) -> Ran<V> {
        Err(Halt::Fail(line, why.into()))
    }

    fn string(&mut self, text: impl Into<String>) -> Ran {
        self.heap.string(text)
    }

    fn strings<T: Into<String>>(&mut self, texts: impl IntoIterator<Item = T>) -> Ran {
        let list = texts.into_iter().map(|text| self.heap.string(text)).collect::<Ran<Vec<_>>>()?;
        self.heap.array(list)
    }

    /// The value of a text or symbol; anything else is refused as Ruby does.
    fn text(&self, line: u32, value: &Ruby) -> Ran<String> {
        match self.heap.as_text(value) {
            Some(text) => Ok(text.to_owned()),
            None => self.fail(line, format!("no implicit conversion of {} into String", value.class())),
        }
    }

    fn int(&self, line: u32, value: &Ruby) -> Ran<i64> {
        match value {
            Ruby::Int(number) => Ok(*number),
            Ruby::Float(number) => match crate::lang::ruby::number::whole(*number) {
                Some(whole) => Ok(whole),
                None => self.outside(line, "a number outside of 64 bits"),
            },
            _ => self.fail(line, format!("no implicit conversion of {} into Integer", value.class())),
        }
    }
}
