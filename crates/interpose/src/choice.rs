//! Decisions: which schedule runs, or why the MPI library's own algorithm does.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;
use netsig_base::algorithm::{Algorithm, Call, Collective, LIBRARY, Layout, Method, MpiFlavour, PairSizes};
use netsig_base::network::Network;
use netsig_base::schedule::{BlockCounts, Extent};
use netsig_base::text::counted;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::Prediction;
use netsig_model::predict::outside::TooFar;
use netsig_model::predict::select::{CandidateRanker, Ranked};
use netsig_model::profile::Profile;

/// The MPI of this build.
#[cfg(open_mpi)]
pub const FLAVOUR: MpiFlavour = MpiFlavour::OpenMpi;
#[cfg(not(open_mpi))]
pub const FLAVOUR: MpiFlavour = MpiFlavour::Mpich;

/// What runs for the calls of a collective of one size among some processes.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The schedule; `None` for the MPI library's own algorithm.
    pub algorithm: Option<Algorithm>,
    /// Why the library's own algorithm runs.
    pub reason: String,
    /// Length of a piece that it is for, or the mean; 0 if it is for all.
    pub size: Bytes,
    /// Predicted seconds of the library's own algorithm, if known.
    pub library_s: Option<f64>,
    /// Predicted seconds of the algorithm that runs, if known.
    pub chosen_s: Option<f64>,
    /// How sure the gain of the schedule is.
    pub certainty: Certainty,
}

/// How sure it is that a schedule is faster than the library's own choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Certainty {
    /// The user gives the algorithm.
    Given,
    /// The gain is beyond the joint half-width of the intervals of both times.
    Sure,
    /// The profile expects a gain, which the program must show.
    Unsure,
}

/// Begin of the reason where a call is too far from the measurements.
const OUTSIDE: &str = "outside of the profile";

/// A question: what is to run?
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The operation.
    pub collective: Collective,
    /// Number of processes.
    pub procs: Procs,
    /// Length of a piece, or the mean.
    pub size: Bytes,
    /// Lengths of pieces that differ.
    pub pairs: Option<&'a PairSizes>,
    /// Clusters of the processes, where they are known.
    pub layout: Option<&'a Layout>,
}

/// Answers questions from a profile.
pub struct Chooser {
    /// The profile, or why there is none.
    profile: Result<&'static Profile, &'static str>,
    network: Option<&'static Network>,
    /// By collective and clusters of the processes.
    rankers: BTreeMap<(Collective, String), CandidateRanker<'static>>,
    /// Clusters of communicators that decisions were made for.
    placed: BTreeSet<String>,
    /// Algorithms that are not left to the profile.
    given: BTreeMap<Collective, Algorithm>,
}

impl Decision {
    /// The library's own algorithm.
    pub fn library(reason: impl Into<String>) -> Self {
        Self {
            algorithm: None,
            reason: reason.into(),
            size: Bytes(0),
            library_s: None,
            chosen_s: None,
            certainty: Certainty::Given,
        }
    }

    /// The decision in place of one whose schedule has gained nothing.
    pub fn as_fast(&self) -> Self {
        Self {
            algorithm: None,
            reason: "the library's own choice is as fast in this program".to_owned(),
            ..self.clone()
        }
    }

    /// True if the call is too far from the measurements.
    pub fn is_outside(&self) -> bool {
        self.reason.starts_with(OUTSIDE)
    }

    /// The decision in a line.
    pub fn to_line(&self) -> String {
        let name = self.algorithm.map(|own| own.to_string());
        let number = |value: Option<f64>| value.map(|own| own.to_string()).unwrap_or_default();
        let words = [
            name.unwrap_or_default(),
            self.size.0.to_string(),
            number(self.library_s),
            number(self.chosen_s),
            self.certainty.to_string(),
            self.reason.replace(['\t', '\0'], " "),
        ];
        words.join("\t")
    }

    /// The decision of a line.
    pub fn of_line(collective: Collective, line: &str) -> Option<Self> {
        let (name, size, library_s, chosen_s, certainty, reason) = line.splitn(6, '\t').collect_tuple()?;
        Some(Self {
            algorithm: match name {
                "" => None,
                name => Some(Algorithm::parse(collective, name).ok()?),
            },
            reason: reason.to_owned(),
            size: Bytes(size.parse().ok()?),
            library_s: library_s.parse().ok(),
            chosen_s: chosen_s.parse().ok(),
            certainty: certainty.parse().ok()?,
        })
    }
}

impl Chooser {
    /// A chooser on a profile, or with the reason why there is none, with the description of a network and the
    /// algorithms that are given.
    pub fn new(
        profile: Result<Profile, &'static str>,
        network: Option<Network>,
        given: BTreeMap<Collective, Algorithm>,
    ) -> Self {
        // Rankers borrow the profile, and live as long as the program.
        let profile: Result<&'static Profile, _> = profile.map(|own| &*Box::leak(Box::new(own)));
        let network: Option<&'static Network> = network.map(|own| &*Box::leak(Box::new(own)));
        Self {
            profile,
            network,
            rankers: BTreeMap::new(),
            placed: BTreeSet::new(),
            given,
        }
    }

    /// The decision for a question.
    pub fn decide(&mut self, question: Question) -> Decision {
        Decision {
            size: question.size,
            ..self.decided(question)
        }
    }

    fn decided(&mut self, question: Question) -> Decision {
        if let Some(algorithm) = self.given.get(&question.collective) {
            if !serves(*algorithm, question) {
                return Decision::library(format!("{algorithm} does not serve the call"));
            }
            return Decision {
                algorithm: Some(*algorithm),
                ..Decision::library("")
            };
        }
        match self.profile {
            Ok(profile) => self.of_profile(profile, question).unwrap_or_else(Decision::library),
            Err(reason) => Decision::library(reason),
        }
    }

    /// The clusters of a communicator to decide for; `None` where the profile knows none.
    fn placed<'q>(
        &mut self,
        profile: &Profile,
        question: Question<'q>,
        clusters: &str,
    ) -> Result<Option<&'q Layout>, String> {
        let (Some(layout), Some(measured)) = (question.layout, profile.clustered()) else {
            return Ok(None);
        };
        if self.placed.contains(clusters) {
            return Ok(Some(layout));
        }
        if layout.clusters() != measured.layout.clusters() {
            let [own, measured] =
                [layout, &measured.layout].map(|layout| counted(layout.clusters() as u64, "cluster", "clusters"));
            return Err(format!("processes of {own}, and the profile is of {measured}"));
        }
        if self.placed.len() >= MOST_LAYOUTS {
            return Err("too many communicators with other clusters".to_owned());
        }
        self.placed.insert(clusters.to_owned());
        Ok(Some(layout))
    }

    fn of_profile(&mut self, profile: &'static Profile, question: Question) -> Result<Decision, String> {
        let collective = question.collective;
        let clusters = question.layout.map(Layout::clusters_of_ranks);
        let key = (collective, clusters.unwrap_or_default());
        let layout = self.placed(profile, question, &key.1)?;
        let network = self.network;
        let request = || {
            let request = profile.rank(collective).network(network).layout(layout);
            request.too_far(TooFar::Extrapolated)
        };
        let told = |refusal: Refusal| refusal.to_string();
        if let Some(pairs) = question.pairs {
            let check = check(profile.hockney.alpha.value, question.procs);
            let ranker = request().pairs(pairs).ranker().map_err(told)?;
            return decided(&ranker, question, check);
        }
        let known = match self.rankers.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(request().ranker().map_err(told)?),
        };
        decided(known, question, 0.0)
    }
}

/// Seconds of the sum over all ranks by which each call of an exchange by schedule is checked: 2⌈log₂ n⌉ start-ups.
fn check(alpha: f64, procs: Procs) -> f64 {
    2.0 * f64::from(procs.get().next_power_of_two().ilog2()) * alpha
}

/// Most communicators that differ in their clusters.
const MOST_LAYOUTS: usize = 64;

/// The decision by a ranking: the first candidate that a schedule can run, unless the library's own choice
/// comes before it. A schedule takes `check` seconds more than its messages.
fn decided(ranker: &CandidateRanker, question: Question, check: f64) -> Result<Decision, String> {
    let Question { procs, size, .. } = question;
    let ranking = ranker.rank_all(procs, size);
    let ranking = ranking.map_err(|error| error.to_string())?;
    let is_library = |one: &&Ranked| one.algorithm() == LIBRARY;
    let library = ranking.iter().find(is_library);
    let library = library.ok_or("the profile has no times of the library's own choice")?;
    if !library.stands() {
        let outside = ranker.outside(library, procs, size);
        let why = outside.map_or_else(
            || "no comparable time of the library's own choice".to_owned(),
            |outside| format!("{OUTSIDE}: {outside}"),
        );
        return Err(why);
    }
    let before = ranking
        .iter()
        .take_while(|one| one.stands() && !is_library(one))
        .filter(|one| one.prediction.time.0 + check < library.prediction.time.0 || check == 0.0);
    let mut able = before.filter_map(|one| Some((one, schedule(one, question)?)));
    let library_s = Some(library.prediction.time.0);
    Ok(match able.next() {
        Some((one, algorithm)) => Decision {
            algorithm: Some(algorithm),
            library_s,
            chosen_s: Some(one.prediction.time.0),
            certainty: certainty(&one.prediction, &library.prediction),
            ..Decision::library("")
        },
        None => Decision {
            library_s,
            chosen_s: library_s,
            ..Decision::library("the library's own choice is fastest")
        },
    })
}

/// Sure if the gain in ln T is beyond the joint half-width of the intervals, on the sides that face each other.
fn certainty(one: &Prediction, library: &Prediction) -> Certainty {
    let Some((own, other)) = one.interval.zip(library.interval) else {
        return Certainty::Unsure;
    };
    let gain = (library.time / one.time).ln();
    let apart = (own.upper / one.time).ln().hypot((library.time / other.lower).ln());
    if gain > apart {
        Certainty::Sure
    } else {
        Certainty::Unsure
    }
}

/// The schedule that runs a candidate, if there is one that serves the call.
fn schedule(one: &Ranked, question: Question) -> Option<Algorithm> {
    let method = Method::parse(question.collective, &one.algorithm()).ok()?;
    let algorithm = method.schedule(FLAVOUR)?;
    serves(algorithm, question).then_some(algorithm)
}

/// True if an algorithm can run without more than a call says. Pieces that differ in size must be cut
/// into segments: a sender and its receiver alone know the length of a piece.
fn serves(algorithm: Algorithm, question: Question) -> bool {
    let method = Method::Schedule(algorithm);
    let (is_known, follows_clusters) = (!method.follows_links(), method.follows_clusters());
    let is_cut = question.collective != Collective::Alltoallv || algorithm.segment().is_some();
    let is_known = is_known && (question.layout.is_some() || !follows_clusters);
    let call = Call {
        layout: question.layout.cloned(),
        ..Call::new(question.procs, question.size)
    };
    is_known && is_cut && is_quick(algorithm, &call)
}

/// True if a schedule can be proved and prepared in moments.
pub fn is_quick(algorithm: Algorithm, call: &Call) -> bool {
    let schedule = algorithm.serve(call);
    schedule.is_ok_and(|own| is_small(&own.extent()))
}

/// The proof of an exchange in one round is that of a rank, other proofs go through all ranks.
fn is_small(extent: &Extent) -> bool {
    const MOST_OF_A_RANK: u64 = 1 << 18;
    const MOST_OF_ALL: u64 = 1 << 24;
    let BlockCounts { input, output, scratch } = extent.blocks;
    let blocks: u64 = [input, output, scratch].map(u64::from).iter().sum();
    let is_of_all = extent.rounds > 1;
    blocks <= MOST_OF_A_RANK && (!is_of_all || blocks * u64::from(extent.procs.get()) <= MOST_OF_ALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_survives_its_line() {
        let collective = Collective::Alltoall;
        let algorithm = Algorithm::parse(collective, "windowed:segment=4096,window=4").unwrap();
        for decision in [
            Decision::library("no profile"),
            Decision {
                algorithm: Some(algorithm),
                reason: String::new(),
                size: Bytes(1 << 40),
                library_s: Some(0.1 + 0.2),
                chosen_s: Some(1e-300),
                certainty: Certainty::Unsure,
            },
        ] {
            let line = decision.to_line();
            assert_eq!(Decision::of_line(collective, &line), Some(decision));
        }
        assert_eq!(Decision::of_line(collective, "nonsense\t\t\t\t\t"), None);
    }

    #[test]
    fn given_algorithms_need_no_profile_and_must_serve() {
        let given = [(Collective::Alltoall, "bruck:2"), (Collective::Alltoallv, "direct")];
        let given = given.map(|(collective, name)| (collective, Algorithm::parse(collective, name).unwrap()));
        let mut chooser = Chooser::new(Err("no profile"), None, given.into());
        let mut named = |collective| {
            let procs = Procs::new(5).unwrap();
            let question = Question {
                collective,
                procs,
                size: Bytes(100),
                pairs: None,
                layout: None,
            };
            let decision = chooser.decide(question);
            decision.algorithm.map(|own| own.to_string())
        };
        assert_eq!(named(Collective::Alltoall).as_deref(), Some("bruck:2"));
        assert_eq!(named(Collective::Alltoallv), None, "not cut");
        assert_eq!(named(Collective::Bcast), None, "no profile");
    }
}
