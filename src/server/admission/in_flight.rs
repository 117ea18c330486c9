//! The permit of a call in flight.

use super::{Budgets, Permit};
use crate::wire::Refusal;

/// A call in flight, from its headers until its response is sent: counted as one call and, if it is a batch, by the bytes
/// that are held for it.
pub(in crate::server) struct InFlightPermit {
    _call: Permit,
    /// None: not a batch.
    batch_bytes: Option<Permit>,
}

impl InFlightPermit {
    pub(super) fn acquire(budgets: &Budgets, is_batch: bool) -> Result<Self, Refusal> {
        let call = budgets.calls.acquire(1).ok_or_else(Refusal::overloaded)?;
        let batch_bytes = is_batch
            .then(|| budgets.batch_bytes.acquire(0).ok_or_else(Refusal::too_many_batch_bytes))
            .transpose()?;
        Ok(Self { _call: call, batch_bytes })
    }

    /// Counts the bytes of a request that are held now.
    pub(in crate::server) fn hold_request(&mut self, bytes: usize) -> Result<(), Refusal> {
        let fits = self.batch_bytes.as_mut().is_none_or(|permit| permit.resize(bytes));
        if fits { Ok(()) } else { Err(Refusal::too_many_batch_bytes()) }
    }

    /// Counts the bytes of a response instead. Never refuses: the response already exists.
    pub(in crate::server) fn hold_response(&mut self, bytes: usize) {
        if let Some(permit) = &mut self.batch_bytes {
            permit.resize(bytes);
        }
    }
}
