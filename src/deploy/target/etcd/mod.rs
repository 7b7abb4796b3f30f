//! etcd by its JSON gateway: keys read and written in transactions, with TLS, logins, and several endpoints.
//!
//! [`Gateway`] asks the endpoint that answered last, and goes on to the next where that one fails. Each request runs on a
//! thread of its own, so that who waits can stop waiting. [`Op`] and [`If`] are what a transaction is made of.
//!
//! A request that failed on its way may have been carried out. All that is asked here can be asked again: contents and
//! trees have keys that hold nothing else, and a transaction says what must still be so.
//! Deliberately absent: gRPC, which this gateway speaks for us; and what the keys mean.

mod address;
mod gateway;
mod words;

pub use address::{Address, Endpoint};
pub use gateway::{Gateway, Login, TlsFiles};
pub use words::{If, Op, Page, Pair, Span, Watched};
