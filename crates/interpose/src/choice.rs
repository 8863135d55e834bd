//! The choice of a schedule for a call, by the profile or as the user gives it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;

use mpi::ffi;
use netsig_base::algorithm::{
    Algorithm, ClusterLayout, Collective, DecisionCase, LibraryDecision, MpiFlavour, OperatorKind, PairSizes,
};
use netsig_base::network::Network;
use netsig_base::text::counted;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_model::predict::result_rule::{OrderDependence, ReductionMode, ResultRule};
use netsig_model::predict::runtime_choice::{GainCertainty, NoRuntimeChoice, RuntimeCall, RuntimeChoice};
use netsig_model::predict::select::CandidateRanker;
use netsig_model::profile::Profile;
use netsig_mpi::MpiError;

use crate::decision::CallDecision;
use crate::operation::CalledOperation;
use crate::order;
use crate::size_class::CallClass;
use crate::trial::LARGE_GAIN;

/// The MPI of this build.
#[cfg(open_mpi)]
pub const FLAVOUR: MpiFlavour = MpiFlavour::OpenMpi;
#[cfg(not(open_mpi))]
pub const FLAVOUR: MpiFlavour = MpiFlavour::Mpich;

/// The elements that a reduction combines.
#[derive(Debug, Clone, Copy)]
pub struct CombinedElements {
    /// Length of an element.
    pub element: Bytes,
    /// How the result depends on the order of the operands.
    pub dependence: OrderDependence,
    /// True for an operation of the program.
    pub is_of_program: bool,
}

/// A call to decide.
#[derive(Clone, Copy)]
pub struct CallQuestion<'a> {
    /// The operation.
    pub operation: CalledOperation,
    /// Number of processes.
    pub procs: Procs,
    /// Length of a piece or vector, or the mean length.
    pub size: Bytes,
    /// The elements of a reduction.
    pub combined: Option<CombinedElements>,
    /// Lengths of the pieces, where they differ.
    pub pairs: Option<&'a PairSizes>,
    /// Clusters of the processes, where they are known.
    pub layout: Option<&'a ClusterLayout>,
}

/// Decides calls by a profile.
pub struct ScheduleChooser {
    /// The profile, or the reason why there is none.
    profile: Result<&'static Profile, &'static str>,
    network: Option<&'static Network>,
    reductions: ReductionMode,
    /// Text of the library's version.
    library_version: String,
    /// By collective and clusters of the processes.
    rankers: BTreeMap<(Collective, String), CandidateRanker<'static>>,
    /// Clusters of the communicators with decisions.
    seen_clusters: BTreeSet<String>,
    /// Algorithms that are not left to the profile.
    given: BTreeMap<CalledOperation, Algorithm>,
}

impl ScheduleChooser {
    /// A chooser by a profile or by the reason why there is none, with the description of a network, the given algorithms,
    /// and how much reductions may be changed.
    pub fn new(
        profile: Result<Profile, &'static str>,
        network: Option<Network>,
        given: BTreeMap<CalledOperation, Algorithm>,
        reductions: ReductionMode,
    ) -> Self {
        // Rankers borrow the profile, and live as long as the program.
        let kept_profile: Result<&'static Profile, _> = profile.map(|loaded| &*Box::leak(Box::new(loaded)));
        let kept_network: Option<&'static Network> = network.map(|loaded| &*Box::leak(Box::new(loaded)));
        Self {
            profile: kept_profile,
            network: kept_network,
            reductions,
            library_version: library_version(),
            rankers: BTreeMap::new(),
            seen_clusters: BTreeSet::new(),
            given,
        }
    }

    /// Decides a call.
    pub fn decide(&mut self, question: CallQuestion) -> CallDecision {
        CallDecision {
            size: question.size,
            ..self.decide_without_size(question)
        }
    }

    fn decide_without_size(&mut self, question: CallQuestion) -> CallDecision {
        let results = self.result_rule(question);
        if let Some(algorithm) = self.given.get(&question.operation) {
            if !question.runtime_call(results).is_served_by(*algorithm) {
                return CallDecision::library(format!("{algorithm} does not serve the call"));
            }
            // The pairs of operands are compared before the first call.
            if !matches!(results, ResultRule::Pairs(_)) && !results.allows(*algorithm) {
                return CallDecision::library(if results == ResultRule::RankOrder {
                    OTHER_THAN_RANK_ORDER
                } else {
                    OTHER_RESULTS
                });
            }
            return CallDecision {
                algorithm: Some(*algorithm),
                ..CallDecision::library("")
            };
        }
        match self.profile {
            Ok(profile) => self
                .decide_by_profile(profile, question, results)
                .unwrap_or_else(CallDecision::library),
            Err(reason) => CallDecision::library(reason),
        }
    }

    /// The schedules that keep the result of a call.
    fn result_rule(&self, question: CallQuestion) -> ResultRule {
        let Some(combined) = question.combined else {
            return ResultRule::AnyOrder;
        };
        let case = DecisionCase {
            element: combined.element,
            operator: if combined.is_of_program {
                OperatorKind::Commutative
            } else {
                OperatorKind::Predefined
            },
            ..DecisionCase::new(question.procs, question.size)
        };
        let rules = LibraryDecision::of_version(&self.library_version, question.operation.collective());
        ResultRule::of(self.reductions, combined.dependence, rules, case)
    }

    /// True if calls of a schedule and of the library may alternate: if they have the same results.
    fn may_alternate(&self, question: CallQuestion) -> bool {
        let is_free = |combined: CombinedElements| combined.dependence == OrderDependence::None;
        self.reductions != ReductionMode::On || question.combined.is_none_or(is_free)
    }

    /// The clusters for the decisions of a communicator; `None` if the profile has no clusters.
    fn clusters_to_use<'q>(
        &mut self,
        profile: &Profile,
        question: CallQuestion<'q>,
        clusters: &str,
    ) -> Result<Option<&'q ClusterLayout>, String> {
        let (Some(layout), Some(measured)) = (question.layout, profile.clustered()) else {
            return Ok(None);
        };
        if self.seen_clusters.contains(clusters) {
            return Ok(Some(layout));
        }
        if layout.clusters() != measured.layout.clusters() {
            let [call_clusters, profile_clusters] =
                [layout, &measured.layout].map(|layout| counted(layout.clusters() as u64, "cluster", "clusters"));
            return Err(format!(
                "processes of {call_clusters}, and the profile is of {profile_clusters}"
            ));
        }
        if self.seen_clusters.len() >= MOST_LAYOUTS {
            return Err("too many communicators with other clusters".to_owned());
        }
        self.seen_clusters.insert(clusters.to_owned());
        Ok(Some(layout))
    }

    fn decide_by_profile(
        &mut self,
        profile: &'static Profile,
        question: CallQuestion,
        results: ResultRule,
    ) -> Result<CallDecision, String> {
        let collective = question.operation.collective();
        let clusters = question.layout.map(ClusterLayout::clusters_of_ranks);
        let key = (collective, clusters.unwrap_or_default());
        let layout = self.clusters_to_use(profile, question, &key.1)?;
        let network = self.network;
        let request = || {
            let request = profile.rank(collective).network(network).layout(layout);
            request.too_far(ExtrapolationRule::Extrapolated)
        };
        let refusal_text = |refusal: Refusal| refusal.to_string();
        if let Some(pairs) = question.pairs {
            let ranker = request().pairs(pairs).ranker().map_err(refusal_text)?;
            let call = RuntimeCall {
                check: check_seconds(profile.hockney.alpha.value, question.procs),
                ..question.runtime_call(results)
            };
            let choice = match question.operation {
                CalledOperation::ByRank(operation) => ranker.choice_beside(&call, operation.library_algorithm()),
                CalledOperation::Scheduled(_) => ranker.runtime_choice(&call),
            };
            return decided(choice, call.check).map(CallDecision::without_left);
        }
        let may_alternate = self.may_alternate(question);
        let known = match self.rankers.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(request().ranker().map_err(refusal_text)?),
        };
        let mut call = question.runtime_call(results);
        let checked = self.reductions == ReductionMode::SameOrder
            && question
                .combined
                .is_some_and(|combined| order::is_checked_before(collective, combined.dependence));
        if checked {
            call.check = check_seconds(profile.hockney.alpha.value, question.procs);
        }
        let mut chosen = decided(known.runtime_choice(&call), call.check)?;
        if question.combined.is_some_and(|combined| combined.is_of_program) {
            chosen = chosen.without_left();
        }
        Ok(match chosen.algorithm {
            Some(_) if !may_alternate && !is_clear(&chosen) => CallDecision {
                algorithm: None,
                chosen_s: chosen.library_s,
                reason: NOT_CLEAR.to_owned(),
                ..chosen
            },
            Some(_) if !may_alternate => CallDecision {
                certainty: GainCertainty::Given,
                reason: NOT_COMPARED.to_owned(),
                ..chosen
            },
            _ => chosen,
        })
    }
}

/// Reasons of decisions on reductions.
const OTHER_THAN_RANK_ORDER: &str = "an operation of the program, which takes operands in the order of the ranks";
const OTHER_RESULTS: &str = "results could differ from the library's; NETSIG_REDUCTIONS=on allows it";
const NOT_CLEAR: &str = "a gain too small and unsure to be taken without a comparison with the library";
const NOT_COMPARED: &str = "not compared with the library, whose results may differ in the last bits";

/// True if a gain needs no comparison in the program: a smaller one may well be none.
fn is_clear(chosen: &CallDecision) -> bool {
    chosen.certainty == GainCertainty::Sure || chosen.predicted_gain() >= LARGE_GAIN
}

/// Text of the version of the MPI library.
fn library_version() -> String {
    let mut text = [0u8; 8192];
    let mut length: c_int = 0;
    // SAFETY: room for MPI_MAX_LIBRARY_VERSION_STRING characters, in any MPI at most 8192.
    let code = unsafe { ffi::PMPI_Get_library_version(text.as_mut_ptr().cast(), &raw mut length) };
    if MpiError::check(code).is_err() {
        return String::new();
    }
    let end = usize::try_from(length).unwrap_or(0).min(text.len());
    String::from_utf8_lossy(&text[..end]).into_owned()
}

/// Time of the reduction that checks each call by schedule: 2⌈log₂ n⌉ start-ups.
fn check_seconds(alpha: f64, procs: Procs) -> Seconds {
    Seconds(2.0 * f64::from(procs.get().next_power_of_two().ilog2()) * alpha)
}

/// Most communicators that differ in their clusters.
const MOST_LAYOUTS: usize = 64;

/// The decision of a choice by a profile; `check` is the time of what is checked before each call by schedule.
fn decided(choice: Result<RuntimeChoice, NoRuntimeChoice>, check: Seconds) -> Result<CallDecision, String> {
    let RuntimeChoice {
        library,
        schedule,
        left,
    } = choice.map_err(|reason| reason.to_string())?;
    let library_s = Some(library.prediction.time.0);
    // Without the check the same schedule would save more.
    let unchecked = schedule.as_ref().filter(|_| check.0 > 0.0);
    let left_s = left
        .or(unchecked.map(|chosen| chosen.candidate))
        .map(|one| one.prediction.time.0);
    Ok(match schedule {
        Some(chosen) => CallDecision {
            algorithm: Some(chosen.algorithm),
            library_s,
            chosen_s: Some(chosen.candidate.prediction.time.0 + check.0),
            left_s,
            certainty: chosen.certainty,
            ..CallDecision::library("")
        },
        None => CallDecision {
            library_s,
            chosen_s: library_s,
            left_s,
            ..CallDecision::library(left_s.map_or("the library's own choice is fastest", |_| OTHER_RESULTS))
        },
    })
}

impl<'a> CallQuestion<'a> {
    /// The calls that share the decision.
    pub fn class(self) -> CallClass {
        let of_pieces = CallClass::of_pieces(self.operation, self.size);
        let dependence = self
            .combined
            .map_or(OrderDependence::None, |combined| combined.dependence);
        CallClass {
            dependence,
            ..of_pieces
        }
    }

    fn runtime_call(self, results: ResultRule) -> RuntimeCall<'a> {
        RuntimeCall {
            collective: self.operation.collective(),
            procs: self.procs,
            size: self.size,
            layout: self.layout,
            flavour: FLAVOUR,
            check: Seconds(0.0),
            results,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_algorithms_need_no_profile_and_must_serve() {
        let names = [(Collective::Alltoall, "bruck:2"), (Collective::Alltoallv, "direct")];
        let given = names.map(|(collective, name)| (collective.into(), Algorithm::parse(collective, name).unwrap()));
        let mut chooser = ScheduleChooser::new(Err("no profile"), None, given.into(), ReductionMode::SameOrder);
        let mut named = |collective| {
            let procs = Procs::new(5).unwrap();
            let question = CallQuestion {
                operation: CalledOperation::from(collective),
                procs,
                size: Bytes(100),
                combined: None,
                pairs: None,
                layout: None,
            };
            let decision = chooser.decide(question);
            decision.algorithm.map(|algorithm| algorithm.to_string())
        };
        assert_eq!(named(Collective::Alltoall).as_deref(), Some("bruck:2"));
        assert_eq!(named(Collective::Alltoallv), None, "not cut");
        assert_eq!(named(Collective::Bcast), None, "no profile");
    }
}
