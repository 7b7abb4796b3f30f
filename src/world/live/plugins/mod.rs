//! The worker for Python plugins: one process per project, in its own process group, with limits.

use std::io::{BufRead, BufReader, Read as _, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::world::{PluginCall, ReadError};

const WORKER: &str = include_str!("worker.py");

/// The time limit of one call, and of loading all modules.
const PATIENCE: Duration = Duration::from_secs(10);

/// The memory limit of the worker: 1 GiB.
const MEMORY: u64 = 1 << 30;

/// The limit on the worker's total processor time, in seconds.
const PROCESSOR: u64 = 600;

/// The size limit of an answer: 16 MiB.
const LONGEST: u64 = 16 << 20;

/// The worker of the last project.
#[derive(Debug, Default)]
pub struct Plugins {
    worker: Mutex<Option<Worker>>,
}

impl Plugins {
    /// Calls the plugins of a project. The first call starts the worker, and a failed one ends it.
    pub fn ask(&self, call: &PluginCall) -> Result<String, ReadError> {
        let mut slot = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.as_ref().is_none_or(|worker| worker.modules != call.modules) {
            *slot = Some(Worker::start(&call.modules)?);
        }
        let Some(worker) = slot.as_mut() else { return Err(failed("did not start")) };
        if call.request.is_empty() {
            return Ok(worker.described.clone());
        }
        let answer = worker.ask(&call.request);
        if answer.is_err() {
            *slot = None;
        }
        answer
    }
}

fn failed(reason: &str) -> ReadError {
    ReadError::Failed { path: "python3".into(), reason: reason.into() }
}

#[derive(Debug)]
struct Worker {
    modules: Arc<str>,
    /// The declarations of the modules.
    described: String,
    child: Child,
    requests: mpsc::Sender<Arc<str>>,
    answers: mpsc::Receiver<Result<String, &'static str>>,
}

impl Worker {
    fn start(modules: &Arc<str>) -> Result<Self, ReadError> {
        let limits = [MEMORY, PROCESSOR, LONGEST].map(|limit| limit.to_string());
        let mut child = Command::new("python3")
            .args(["-I", "-B", "-c", WORKER])
            .args(limits)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| failed(&error.to_string()))?;
        let (requests, asked) = mpsc::channel::<Arc<str>>();
        let (answered, answers) = mpsc::channel();
        if let Some(mut input) = child.stdin.take() {
            // The thread ends with the worker, or when the receiver is dropped.
            thread::spawn(move || {
                while let Ok(request) = asked.recv() {
                    let written = input.write_all(request.as_bytes()).and_then(|()| input.write_all(b"\n"));
                    if written.and_then(|()| input.flush()).is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read_answers(output, &answered));
        }
        let mut worker = Worker { modules: modules.clone(), described: String::new(), child, requests, answers };
        worker.described = worker.ask(modules)?;
        Ok(worker)
    }

    fn ask(&mut self, request: &Arc<str>) -> Result<String, ReadError> {
        let gone = || failed("the worker ended; a plugin may have crashed it or used too much memory");
        self.requests.send(request.clone()).map_err(|_| gone())?;
        match self.answers.recv_timeout(PATIENCE) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(reason)) => Err(failed(reason)),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(failed(&format!("ended after {} s without an answer", PATIENCE.as_secs())))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(gone()),
        }
    }
}

/// Passes on each line that the worker prints.
fn read_answers(output: ChildStdout, answered: &mpsc::Sender<Result<String, &'static str>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        // One byte more than an answer and its line break.
        match output.by_ref().take(LONGEST + 2).read_until(b'\n', &mut line) {
            Ok(1..) if line.ends_with(b"\n") => {
                line.pop();
                let answer = String::from_utf8(line).map_err(|_| "the worker answered with bytes that are no text");
                if answered.send(answer).is_err() {
                    return;
                }
            }
            Ok(1..) if line.len() as u64 > LONGEST => {
                let _ = answered.send(Err("the worker's answer is too long"));
                return;
            }
            _ => return,
        }
    }
}

/// The worker's descendants end with it: they share its process group and, if the kernel allows it, a namespace.
impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
