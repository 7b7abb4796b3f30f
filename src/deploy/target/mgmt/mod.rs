//! A mgmt cluster: deploys in mgmt's own layout in etcd, so that every machine of the cluster accepts them.
//!
//! A reader takes the highest number, decodes its record, opens the tree that it names, and runs the tree. The order of
//! writing is therefore contents, tree, record: readers never see an unfinished deploy. One transaction writes the
//! record, on condition that its number is free, that the previous deploy is unchanged, and that the tree exists.
//!
//! Our deploys have one key more than mgmt's own, `workbench`, which names the writer. mgmt skips it. Contents are
//! shared and never removed. The next publisher removes a tree that no record names.

mod keys;
mod look;
mod orphans;
mod publish;

use super::etcd::{Address, Gateway, Login, Span, TlsFiles};
use super::{Comparison, Facts, Offer, PublishEvent, Published, Target, TargetError, Tree, Writer};
use crate::world::Cancel;

/// etcd's limit for a request, less the overhead of a value.
const VALUE_LIMIT: usize = (3 << 19) - 2048;

/// A connection to a mgmt cluster.
#[derive(Clone)]
pub struct Mgmt {
    gateway: Gateway,
}

impl Mgmt {
    /// Prepares a connection to a cluster, and sends nothing yet. It fails if a TLS file is missing or invalid.
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
        // One key shows whether there is a gateway and whether we have access.
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
        report: &mut dyn FnMut(PublishEvent),
        cancel: &Cancel,
    ) -> Result<Published, TargetError> {
        publish::publish(&self.gateway, offer, over, retries, report, cancel)
    }

    fn rollback(
        &self,
        to: u64,
        over: u64,
        writer: Writer,
        report: &mut dyn FnMut(PublishEvent),
        cancel: &Cancel,
    ) -> Result<Published, TargetError> {
        publish::rollback(&self.gateway, to, over, writer, report, cancel)
    }

    fn watch(&self, after: u64, report: &mut dyn FnMut(Published) -> bool, cancel: &Cancel) -> Result<(), TargetError> {
        look::watch(&self.gateway, after, report, cancel)
    }
}
