//! Comparison of the link rates behind a profile with those of a described network.
//!
//! # Formula
//! A long message passes at 1/β. A profile is of other links if this rate is more than a quarter below the slowest
//! link of a host, or above the fastest. MPI libraries and headers take less than a quarter of a link.

use netsig_base::network::Network;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{SecondsPerByte, three_digits};

use super::outside_domain::ExtrapolationRule;
use crate::profile::Profile;

/// Largest difference of the rates, relative to that of the network.
const MOST_DIFFERENCE: f64 = 0.25;

/// Refuses a profile whose links have another rate than those of a network; `name` is its name in errors.
///
/// # Errors
/// If the rates differ and `too_far` refuses that.
pub fn refuse_other_rate(
    profile: &Profile,
    name: &str,
    network: Option<&Network>,
    too_far: ExtrapolationRule,
) -> Result<(), Refusal> {
    match rate_difference(profile, network) {
        Some(problem) if too_far == ExtrapolationRule::Refused => {
            let remedy = "name the network that was measured, or give --extrapolate";
            Err(Refusal::data(format!("{problem}; {remedy}")).about(name))
        }
        _ => Ok(()),
    }
}

/// Describes the difference between the rates of a profile and of the links of a network, if they differ.
pub fn rate_difference(profile: &Profile, network: Option<&Network>) -> Option<String> {
    let network = network?;
    let measured = profile.hockney.model().beta();
    let [slowest, fastest] = network.host_gaps();
    let nearest = SecondsPerByte(measured.0.clamp(fastest.0, slowest.0));
    let is_other = measured.0 > 0.0 && (nearest.0 / measured.0 - 1.0).abs() > MOST_DIFFERENCE;
    let rate = |gap: SecondsPerByte| format!("{} Mbit/s", three_digits(8e-6 / gap.0));
    is_other.then(|| {
        format!(
            "messages pass at {} (1/beta), while the hosts of {} have links of {}",
            rate(measured),
            network.name,
            rate(nearest)
        )
    })
}
