//! etcd by its JSON gateway: keys read and written in transactions, with TLS, logins, and several endpoints.
//!
//! [`Gateway`] sends a request to the endpoint that answered last, and to the next one if that fails. Each request runs
//! on its own thread, so that the caller can stop waiting. [`Op`] and [`If`] are the parts of a transaction.
//!
//! A failed request may have been carried out. All requests here can be repeated: the keys of contents and trees never
//! hold different values, and a transaction names its conditions. Deliberately absent: gRPC, which the gateway speaks
//! for us; and the meaning of the keys.

mod address;
mod gateway;
mod words;

pub use address::{Address, Endpoint};
pub use gateway::{Gateway, Login, TlsFiles};
pub use words::{If, Op, Page, Pair, Span, Watched};
