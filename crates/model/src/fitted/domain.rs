//! Domain of a fit: its process counts and sizes. A prediction beyond it is an extrapolation.

use itertools::Itertools;
use netsig_base::units::{Bytes, Procs};
use serde::{Deserialize, Serialize};

use super::saturation::Saturation;

/// The measured process counts and sizes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredDomain {
    /// The process counts, ascending.
    pub procs: Vec<Procs>,
    /// The smallest size.
    #[serde(rename = "smallest_bytes")]
    pub smallest: Bytes,
    /// The largest size.
    #[serde(rename = "largest_bytes")]
    pub largest: Bytes,
    /// Result of the test whether γ still grows with n.
    #[serde(default)]
    pub saturation: Saturation,
}

impl MeasuredDomain {
    /// The domain of cells; `None` if there are none.
    pub fn of(cells: impl IntoIterator<Item = (Procs, Bytes)>) -> Option<Self> {
        let (procs, sizes): (Vec<Procs>, Vec<Bytes>) = cells.into_iter().unzip();
        Some(Self {
            procs: procs.into_iter().sorted_unstable().dedup().collect(),
            smallest: *sizes.iter().min()?,
            largest: *sizes.iter().max()?,
            saturation: Saturation::Unverified,
        })
    }

    /// The smallest domain that contains all of `domains`, at least one.
    pub(crate) fn joint<'a>(domains: impl Iterator<Item = &'a Self>) -> Self {
        let cells = domains.flat_map(|domain| {
            let sizes = [domain.smallest, domain.largest];
            let procs = domain.procs.iter().copied();
            procs.cartesian_product(sizes)
        });
        Self::of(cells).expect("a domain has process counts")
    }

    /// Refuses a domain without process counts, or out of order.
    ///
    /// # Errors
    /// If the domain is empty or out of order; the error names the key and the fault.
    pub fn check(&self) -> Result<(), String> {
        if self.procs.is_empty() {
            return Err("domain.procs = [] names no process count".to_owned());
        }
        if let Some(pair) = self.procs.windows(2).find(|pair| pair[1] <= pair[0]) {
            let [before, after] = [pair[0], pair[1]].map(Procs::get);
            return Err(format!("domain.procs = [… {before}, {after} …] does not ascend"));
        }
        let (Bytes(smallest), Bytes(largest)) = (self.smallest, self.largest);
        if smallest > largest {
            return Err(format!(
                "domain.smallest_bytes = {smallest} is greater than largest_bytes = {largest}"
            ));
        }
        Ok(())
    }
}
