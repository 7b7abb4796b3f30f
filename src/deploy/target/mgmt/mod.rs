//! A cluster of mgmt's: deploys in its own layout in etcd, so that every machine of it takes them as its own.
//!
//! Readers take the highest number, decode its record, open the tree that it names, and run what is in it. So the order of
//! writing is contents, tree, record: what is not finished is not seen. The record goes in by one transaction that demands
//! that its number is free, that the deploy before is as it was, and that the tree is there.
//!
//! Beside mgmt's own keys a deploy of ours has one more, `workbench`, which says who made it; mgmt skips it.
//! Contents are shared and never removed. A tree that came to nothing is, at the latest by whoever publishes next.

mod keys;
mod look;
mod orphans;
mod publish;

use super::etcd::{Address, Gateway, Login, Span, TlsFiles};
use super::{Comparison, Facts, Heard, Offer, Published, Target, TargetError, Tree, Writer};
use crate::world::Cancel;

/// What etcd takes in one request, less what surrounds a value in it.
const VALUE_LIMIT: usize = (3 << 19) - 2048;

/// A cluster that can be asked.
#[derive(Clone)]
pub struct Mgmt {
    gateway: Gateway,
}

impl Mgmt {
    pub fn new(address: &Address, tls: &TlsFiles, login: Option<Login>) -> Result<Self, TargetError> {
        Ok(Self { gateway: Gateway::new(address, tls, login)? })
    }
}

impl Target for Mgmt {
    fn probe(&self, cancel: &Cancel) -> Result<Facts, TargetError> {
        let (endpoint, version) = self.gateway.version(cancel)?;
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
        if (parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) < (3, 4) {
            return Err(TargetError::TooOld { at: endpoint.to_string(), version });
        }
        // One key is enough to see whether there is a gateway, and whether we may.
        let (prefix, from) = (keys::DEPLOYS, keys::DEPLOYS.as_bytes());
        let one = Span { prefix, from, limit: 1, revision: 0, keys_alone: true };
        self.gateway.page(one, cancel).map_err(|error| match error {
            TargetError::NotEtcd { at, .. } => TargetError::NoGateway { at },
            error => error,
        })?;
        Ok(Facts { endpoint: endpoint.to_string(), version })
    }

    fn deploys(&self, cancel: &Cancel) -> Result<Vec<Published>, TargetError> {
        Ok(look::shelf(&self.gateway, cancel)?.published())
    }

    fn show(&self, id: Option<u64>, cancel: &Cancel) -> Result<(Published, Tree), TargetError> {
        let deploy = match id {
            None => look::newest(&self.gateway, cancel)?.published().ok_or(TargetError::Empty)?,
            Some(id) => look::deploy(&self.gateway, id, cancel)?.1,
        };
        let (_, tree) = look::tree(&self.gateway, &deploy, cancel)?;
        Ok((deploy, tree))
    }

    fn preview(&self, offer: &Offer, cancel: &Cancel) -> Result<Comparison, TargetError> {
        publish::preview(&self.gateway, offer, cancel)
    }

    fn publish(
        &self,
        offer: &Offer,
        over: u64,
        retries: u32,
        hear: &mut dyn FnMut(Heard),
        cancel: &Cancel,
    ) -> Result<Published, TargetError> {
        publish::publish(&self.gateway, offer, over, retries, hear, cancel)
    }

    fn rollback(
        &self,
        to: u64,
        over: u64,
        writer: Writer,
        hear: &mut dyn FnMut(Heard),
        cancel: &Cancel,
    ) -> Result<Published, TargetError> {
        publish::rollback(&self.gateway, to, over, writer, hear, cancel)
    }

    fn watch(&self, after: u64, hear: &mut dyn FnMut(Published) -> bool, cancel: &Cancel) -> Result<(), TargetError> {
        look::watch(&self.gateway, after, hear, cancel)
    }
}
