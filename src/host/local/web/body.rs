//! Bodies: a complete or streamed answer, and a request body with a size limit.

use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::sync::mpsc;

/// The read size for files.
const PIECE: usize = 64 << 10;

/// An answer's body.
pub(super) enum AnswerBody {
    Whole(Option<Bytes>),
    /// The pieces of a file, and the number of remaining bytes.
    File(mpsc::Receiver<io::Result<Bytes>>, u64),
}

impl AnswerBody {
    /// Makes a body from all its bytes.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        AnswerBody::Whole(Some(bytes.into()))
    }

    /// Reads a file on another thread while it is sent, so that its size does not matter.
    pub fn file(mut file: File, size: u64) -> Self {
        let (pieces, receiver) = mpsc::channel(2);
        tokio::task::spawn_blocking(move || {
            let mut left = size;
            while left > 0 {
                let mut piece = vec![0; PIECE.min(left as usize)];
                let read = match file.read(&mut piece) {
                    Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(count) => {
                        piece.truncate(count);
                        left -= count as u64;
                        Ok(Bytes::from(piece))
                    }
                    Err(error) => Err(error),
                };
                let ends = read.is_err();
                // The client may have disconnected.
                if pieces.blocking_send(read).is_err() || ends {
                    return;
                }
            }
        });
        AnswerBody::File(receiver, size)
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut *self {
            AnswerBody::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            AnswerBody::File(pieces, left) => pieces.poll_recv(context).map(|piece| {
                let piece = piece?;
                if let Ok(bytes) = &piece {
                    *left -= bytes.len() as u64;
                }
                Some(piece.map(Frame::data))
            }),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            AnswerBody::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            AnswerBody::File(_, left) => SizeHint::with_exact(*left),
        }
    }
}

/// Reads a request's body; `None` if it exceeds the limit or is incomplete.
pub(super) async fn read(mut body: Incoming, limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame.ok()?.into_data() {
            if bytes.len() + data.len() > limit {
                return None;
            }
            bytes.extend_from_slice(&data);
        }
    }
    Some(bytes)
}
