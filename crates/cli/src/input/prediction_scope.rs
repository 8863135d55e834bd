//! The options for the process counts and sizes to measure for a prediction.

use netsig_base::algorithm::ReductionOperands;
use netsig_base::units::list::QuantityList;
use netsig_base::units::{Bytes, Procs};
use netsig_measure::prediction_scope::{MeasuredProcs, PredictionScope};
use netsig_measure::steer::SteerTarget;

use super::failure::Failure;

/// Process counts and sizes to measure for a prediction.
#[derive(Debug, clap::Args)]
pub struct MeasurementScopeArgs {
    /// The most processes to measure, at most N of the prediction [default: the hosts of the lab; else half
    /// of N].
    #[arg(long = "max-procs", alias = "most", value_name = "PROCS", allow_hyphen_values = true)]
    pub most: Option<Procs>,
    /// The sizes to predict.
    #[arg(
        long = "size",
        alias = "sizes",
        value_name = "LIST",
        default_value = "256..256KiB",
        allow_hyphen_values = true
    )]
    pub sizes: QuantityList<Bytes>,
    /// Operation and type of the elements of a reduction, such as max:int; its sizes are those of the whole vector.
    #[arg(long = "reduction", value_name = "OPERATION:TYPE", default_value_t)]
    pub operands: ReductionOperands,
}

impl MeasurementScopeArgs {
    /// The cells that may be measured for a prediction, on so many `hosts` if they are known.
    ///
    /// # Errors
    /// If there are too many sizes or too few processes.
    pub fn target(&self, predicted: &PredictionScope, hosts: MeasuredProcs) -> Result<SteerTarget, Failure> {
        let most = self.most.map_or(hosts, MeasuredProcs::AtMost);
        Ok(predicted.target(self.sizes.items(), most, self.operands)?)
    }
}
