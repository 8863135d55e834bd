//! stub
use crate::profile::Profile;
use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Procs, Seconds};
impl Profile {
    /// stub
    pub fn contention_free_time(&self, collective: Collective, procs: Procs, size: Bytes) -> Option<Seconds> {
        (collective == Collective::Alltoall).then(|| self.hockney.model().alltoall(procs, size))
    }
}
