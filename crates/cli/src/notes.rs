//! What a user must know before trusting predictions: notes and warnings on standard error.

use std::path::Path;

use netsig_core::collective::Collective;
use netsig_core::model::alltoall::are_bounds_degenerate;
use netsig_core::model::plogp::PLogP;
use netsig_core::profile::Profile;
use netsig_core::registry::{Model, Need};
use netsig_core::units::Bytes;

/// What was predicted from what.
pub struct Notes<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its file.
    pub name: &'a Path,
    /// The collective.
    pub collective: Collective,
    /// The sizes.
    pub sizes: &'a [Bytes],
}

impl Notes<'_> {
    /// Tells what matters where `models` were used.
    pub fn tell(&self, models: &[&Model]) {
        let uses_plogp = models.iter().any(|m| m.needs.contains(&Need::PLogP));
        match &self.profile.plogp {
            _ if !uses_plogp => {}
            None => eprintln!(
                "netsig: note: {} has no [plogp]; it is taken from alpha and beta, with L = 0 and g = os = or",
                self.name.display()
            ),
            Some(plogp) => self.tell_limits(plogp, models),
        }
        if self.collective == Collective::Gather {
            eprintln!(
                "netsig: warning: gather is predicted without contention; many senders to one receiver take longer"
            );
        }
    }

    /// Where the tables end, or allow no limits.
    fn tell_limits(&self, plogp: &PLogP, models: &[&Model]) {
        let mut sizes = self.sizes.iter();
        if sizes.any(|&size| plogp.tables()[0].is_extrapolated(size)) {
            eprintln!("netsig: warning: sizes beyond the last of the pLogP table are extrapolated");
        }
        let uses_limit = |m: &&Model| ["upper_003", "factor_003"].contains(&m.name);
        let mut sizes = self.sizes.iter();
        if models.iter().any(uses_limit) && sizes.any(|&size| are_bounds_degenerate(plogp, size)) {
            eprintln!(
                "netsig: warning: os + or < g: the upper limit of upper_003 lies below the lower one; use factor_001"
            );
        }
    }
}
