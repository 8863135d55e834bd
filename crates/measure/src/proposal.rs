//! The plan that is proposed for a prediction within a budget, as the text of its file.

use netsig_base::algorithm::ReductionOperands;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds, duration_in_words};
use netsig_model::model::hockney::Hockney;
use netsig_model::predict::outside_domain::FAR;

use crate::budget::BudgetTooSmall;
use crate::estimate::{NetworkRates, estimate};
use crate::plan::MeasurementPlan;
use crate::prediction_scope::{LEAST_PROCS, MeasuredProcs, PredictionScope};
use crate::steer::SteerTarget;

/// A request for a plan.
#[derive(Debug, Clone)]
pub struct PlanRequest<'a> {
    /// The prediction.
    pub predicted: &'a PredictionScope,
    /// The sizes to predict.
    pub sizes: &'a [Bytes],
    /// Operation and type of the elements of a reduction.
    pub operands: ReductionOperands,
    /// The most processes to measure.
    pub most: Option<Procs>,
    /// The number of hosts: as `most`, but at most half of the processes of the prediction.
    pub hosts: Option<Procs>,
    /// Time of a message on this network; `None` for an assumed one.
    pub hockney: Option<Hockney>,
    /// The time for measuring.
    pub budget: Seconds,
}

/// A proposed plan.
#[derive(Debug, Clone)]
pub struct ProposedPlan {
    /// The plan as the text of its file, with its purpose in comments.
    pub text: String,
    /// The longest expected duration.
    pub expected: Seconds,
    /// Notes on its limits.
    pub notes: Vec<Note>,
}

impl PlanRequest<'_> {
    /// The plan that tells most in the time.
    ///
    /// # Errors
    /// If there are too many sizes or too few processes, or the budget is too small.
    pub fn propose(&self) -> Result<ProposedPlan, Refusal> {
        let mut rates = NetworkRates::assumed();
        if let Some(hockney) = self.hockney {
            rates.hockney = hockney;
        }
        let plan = self.plan(&rates)?;
        plan.check()
            .map_err(|problem| Refusal::request(format!("--size: {problem}")))?;
        let expected = estimate(&plan, &rates).high;
        Ok(ProposedPlan {
            text: self.header(&rates, expected) + &plan.to_toml(),
            expected,
            notes: self.note_on_reach(plan.procs()).into_iter().collect(),
        })
    }

    fn plan(&self, rates: &NetworkRates) -> Result<MeasurementPlan, Refusal> {
        let half = (self.predicted.procs.get() / 2).max(LEAST_PROCS);
        let host_procs = self.hosts.and_then(|hosts| Procs::new(hosts.get().min(half)).ok());
        let most = match (self.most, host_procs) {
            (Some(most), _) => MeasuredProcs::AtMost(most),
            (None, Some(hosts)) => MeasuredProcs::Hosts("--hosts", hosts),
            (None, None) => MeasuredProcs::Half,
        };
        let mut target = self.predicted.target(self.sizes, most, self.operands)?;
        let mut proposed = target.proposal(rates, self.budget);
        // Fewer processes cost less. They are better than no plan while the target is not too far for a
        // prediction from them. If the budget is too small in all cases, the first error is reported.
        while let (Err(_), None, Some(fewer)) = (&proposed, self.most, self.fewer_procs(&target)) {
            target.most_procs = fewer;
            proposed = target.proposal(rates, self.budget).or(proposed);
        }
        proposed.map_err(|BudgetTooSmall { least }| {
            Refusal::request(format!(
                "the smallest useful plan takes {}, and the budget is {}; raise --budget, or name fewer algorithms, sizes or processes",
                duration_in_words(Seconds(least.0.ceil())),
                duration_in_words(self.budget)
            ))
        })
    }

    /// Half of the processes to measure, if predictions for the target are still possible from them.
    fn fewer_procs(&self, target: &SteerTarget) -> Option<Procs> {
        let half_count = target.most_procs.get() / 2;
        let reaches = half_count.saturating_mul(FAR) >= self.predicted.procs.get();
        let half = Procs::new(half_count).ok()?;
        (reaches && half.get() >= LEAST_PROCS).then_some(half)
    }

    /// The purpose of the plan, as comments.
    fn header(&self, rates: &NetworkRates, expected: Seconds) -> String {
        let (alpha, beta) = (rates.hockney.alpha(), rates.hockney.beta());
        let source = match self.hockney {
            Some(_) => "From the profile",
            None => "Assumed",
        };
        format!(
            "# Proposed for {}\n# Budget {}; expected {expected}, the start of every job being \
             taken for {}\n# {source}: alpha = {alpha}, beta = {beta}\n",
            self.predicted, self.budget, rates.launch_overhead
        )
    }

    /// A note if predictions from `most` measured processes are only extrapolated.
    fn note_on_reach(&self, most: Procs) -> Option<Note> {
        let target = self.predicted.procs;
        (target.get() > most.get().saturating_mul(FAR)).then(|| {
            Note::remark(format!(
                "{target} is more than {FAR} times the {most} processes to measure, where predict only extrapolates on demand; measure more"
            ))
        })
    }
}
