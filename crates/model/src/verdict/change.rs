//! Changes that make a collective faster: a setting of the MPI library, and the preloaded library.
//!
//! # Method
//! Both are judged at the measured sizes and the powers of two between them. The process count is the larger of the one
//! that the data were measured for and the largest measured one. The setting at a size is the choice of the tuning rules
//! ([`crate::tune`]). The schedule of the preloaded library is its choice at run time
//! ([`CandidateRanker::runtime_choice`]). A size counts if the predicted gain over the library's own choice is at least
//! [`LEAST_GAIN`]. It is sure if the intervals of both times are apart and the algorithm was measured.

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::{LIBRARY, MpiFlavour, ServedOperations};
use netsig_base::text::range;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::gains::{LEAST_GAIN, SizeGain, WorthwhileChange};
use super::{CellFinding, VerdictAnswer, VerdictSubject};
use crate::fitted::ContentionModel;
use crate::predict::outside_domain::ExtrapolationRule;
use crate::predict::ranking;
use crate::predict::result_rule::ResultRule;
use crate::predict::runtime_choice::{GainCertainty, RuntimeCall, RuntimeChoice};
use crate::predict::select::{CandidateRanker, RankedCandidate};
use crate::profile::Profile;
use crate::tune::{LibraryVersion, TargetRelease, TuningChoices, TuningRequest, tune_collective};

const BARRIER_PRELOADED: &str = "Not judged: a barrier has no sizes to compare; netsig run chooses for it.";

const BARRIER_RULES: &str = "Not judged: a barrier has no sizes to compare; netsig tune writes rules for it.";

const NO_MORE: &str = "None: netsig run gains no more than settings do.";

/// The changes that are worth it.
#[derive(Debug, Clone)]
pub struct ChangeAdvice {
    /// Number of processes.
    pub procs: Option<Procs>,
    /// The setting of the MPI library, or why there is none.
    pub setting: Result<WorthwhileChange, String>,
    /// The preloaded library, or why there is none.
    pub preloaded: Result<WorthwhileChange, String>,
}

/// What both changes are judged by.
struct ChangeJudge<'a> {
    subject: &'a VerdictSubject<'a>,
    profile: &'a Profile,
    ranker: CandidateRanker<'a>,
    procs: Procs,
    sizes: Vec<Bytes>,
}

impl ChangeAdvice {
    pub(super) fn of(subject: &VerdictSubject) -> Self {
        let judge = match ChangeJudge::new(subject) {
            Ok(judge) => judge,
            Err(reason) => {
                return Self {
                    procs: None,
                    setting: Err(reason.clone()),
                    preloaded: Err(reason),
                };
            }
        };
        let setting = judge.setting();
        let preloaded = judge.preloaded().and_then(|change| match &setting {
            Ok(other) if !change.exceeds(other) => Err(NO_MORE.to_owned()),
            _ => Ok(change),
        });
        Self {
            procs: Some(judge.procs),
            setting,
            preloaded,
        }
    }

    /// The answers on the setting and on the preloaded library.
    pub(super) fn answers(&self) -> [VerdictAnswer; 2] {
        let answer = |question, advice: &Result<WorthwhileChange, String>| VerdictAnswer {
            question,
            answer: match advice {
                Ok(change) => change.sentences(self.procs),
                Err(reason) => reason.clone(),
            },
            command: advice.as_ref().ok().map(|change| change.command.clone()),
        };
        [answer("Setting", &self.setting), answer("Preloaded", &self.preloaded)]
    }
}

impl<'a> ChangeJudge<'a> {
    fn new(subject: &'a VerdictSubject<'a>) -> Result<Self, String> {
        let no_profile = || "Not known: there is no profile of this collective.".to_owned();
        let profile = subject.request.profile.ok_or_else(no_profile)?;
        let requested = subject.request.procs;
        let procs = requested
            .or_else(|| procs_of_interest(subject, profile))
            .ok_or_else(no_profile)?;
        let request = profile.rank(subject.collective).network(subject.request.network);
        let ranker = request.too_far(ExtrapolationRule::Extrapolated).ranker();
        Ok(Self {
            subject,
            profile,
            ranker: ranker.map_err(|refusal| format!("Not known: {refusal}."))?,
            procs,
            sizes: sizes_of_interest(subject, profile),
        })
    }

    /// The change to the setting by the tuning rules of the MPI library of the data.
    fn setting(&self) -> Result<WorthwhileChange, String> {
        if !self.subject.collective.has_data() {
            return Err(BARRIER_RULES.to_owned());
        }
        let release = release(self.profile).ok_or_else(|| self.without_release())?;
        let request = TuningRequest {
            profile: self.profile,
            network: self.subject.request.network,
            release: &release,
            counts: None,
            sizes: None,
            operations: ServedOperations::Every,
        };
        let tuned = tune_collective(&request, self.subject.collective);
        let Some(tuned) = tuned.map_err(|refusal| format!("Not known: {refusal}."))? else {
            return Err(self.untuned(&release));
        };
        self.refuse_incomparable()?;
        let by_rules = self.sizes.iter().filter_map(|size| {
            let choice = tuned.choice(self.procs, *size)?;
            self.gain_of(&choice.measured, *size)
        });
        let (gains, others) = self.worthwhile(by_rules.collect(), &release.to_string())?;
        let algorithm = gains[0].algorithm.clone();
        let setting = ranking::setting(self.subject.collective, &algorithm, release.target.flavour);
        let rules = tune_command(self.subject.request.profile_name, &release);
        let (command, limits) = match setting {
            Some(setting) => {
                let limits = self.limits_of_setting(&algorithm, &others, &rules);
                (format!("{} …", setting.launch()), limits)
            }
            None => (rules, Vec::new()),
        };
        Ok(WorthwhileChange {
            command,
            limits,
            ..self.change(gains, others)
        })
    }

    /// The change by the preloaded library.
    fn preloaded(&self) -> Result<WorthwhileChange, String> {
        if !self.subject.collective.has_data() {
            return Err(BARRIER_PRELOADED.to_owned());
        }
        self.refuse_incomparable()?;
        let flavour = ranking::flavour(self.profile).unwrap_or(MpiFlavour::OpenMpi);
        let clustered = self.profile.clustered();
        let layout = clustered.and_then(|clustered| clustered.layout_of(self.procs));
        let mut gains = Vec::new();
        for &size in &self.sizes {
            let choice = self.ranker.runtime_choice(&RuntimeCall {
                collective: self.subject.collective,
                procs: self.procs,
                size,
                layout: layout.as_ref(),
                flavour,
                check: Seconds(0.0),
                results: ResultRule::of_profile(self.profile, self.subject.collective, flavour, (self.procs, size)),
            });
            if let Ok(RuntimeChoice {
                library,
                schedule: Some(chosen),
                ..
            }) = choice
            {
                gains.push(self.gain(&chosen.candidate, &library, size));
            }
        }
        let (gains, others) = self.worthwhile(gains, "netsig run")?;
        Ok(WorthwhileChange {
            command: format!("netsig run {} -- mpirun …", self.subject.request.profile_name),
            ..self.change(gains, others)
        })
    }

    fn change(&self, gains: Vec<SizeGain>, others: Vec<SizeGain>) -> WorthwhileChange {
        WorthwhileChange {
            limits: Vec::new(),
            measured: self.measured_gain(&gains[0].algorithm),
            gains,
            others,
            sizes: self.sizes.clone(),
            command: String::new(),
        }
    }

    /// Gain of an algorithm by its measured name, if it and the library's own choice are comparable.
    fn gain_of(&self, algorithm: &str, size: Bytes) -> Option<SizeGain> {
        let ranked = self.ranker.rank_all(self.procs, size).ok()?;
        let find = |name: &str| ranked.iter().find(|one| one.algorithm() == name && one.is_eligible());
        Some(self.gain(find(algorithm)?, find(LIBRARY)?, size))
    }

    fn gain(&self, one: &RankedCandidate, library: &RankedCandidate, size: Bytes) -> SizeGain {
        let algorithm = one.algorithm();
        let is_measured = self
            .profile
            .algorithms(self.subject.collective)
            .contains(&algorithm.as_str());
        let certainty = GainCertainty::of(&one.prediction, &library.prediction);
        SizeGain {
            size,
            gain: library.prediction.time / one.prediction.time,
            is_sure: is_measured && certainty == GainCertainty::Sure,
            is_measured,
            algorithm,
        }
    }

    /// The gains that are worth a change, those of one algorithm apart from others: of the measured algorithm with the
    /// largest product of gains, without any of an unmeasured one.
    fn worthwhile(&self, gains: Vec<SizeGain>, what: &str) -> Result<(Vec<SizeGain>, Vec<SizeGain>), String> {
        let worth = gains.into_iter().filter(|gain| gain.gain >= LEAST_GAIN).collect_vec();
        let logarithms = worth
            .iter()
            .map(|gain| ((gain.is_measured, gain.algorithm.clone()), gain.gain.ln()));
        let by_algorithm = logarithms.into_grouping_map().sum().into_iter();
        let named = by_algorithm.sorted_by(|a, b| a.0.cmp(&b.0));
        let most = named.max_by(|a, b| a.0.0.cmp(&b.0.0).then(a.1.total_cmp(&b.1)));
        let ((_, algorithm), _) = most.ok_or_else(|| self.nothing(what))?;
        Ok(worth.into_iter().partition(|gain| gain.algorithm == algorithm))
    }

    /// The answer where no choice of the library beside its own was measured.
    fn untuned(&self, release: &TargetRelease) -> String {
        let offers =
            TuningChoices::of(self.profile, release, self.subject.collective, ServedOperations::Every).unmeasured;
        if offers.is_empty() {
            return format!("None: {release} has no setting for {}.", self.subject.collective);
        }
        format!(
            "Not known: no other algorithm of {release} was measured; measure some of {}.",
            offers.iter().map(|name| format!("{LIBRARY}:{name}")).join(", ")
        )
    }

    /// Refuses to compare where the library's own choice was not measured, or is too far from the measurements at every
    /// size.
    fn refuse_incomparable(&self) -> Result<(), String> {
        if !self.profile.algorithms(self.subject.collective).contains(&LIBRARY) {
            return Err(format!(
                "Not known: the library's own choice was not measured; measure the algorithm {LIBRARY:?} too."
            ));
        }
        let mut reason = None;
        for &size in &self.sizes {
            let ranked = self.ranker.rank_all(self.procs, size).unwrap_or_default();
            let library = ranked.iter().find(|one| one.algorithm() == LIBRARY);
            match library {
                Some(library) if library.is_eligible() => return Ok(()),
                Some(library) => reason = reason.or(self.ranker.reason_outside(library, self.procs, size)),
                None => {}
            }
        }
        let what = reason.map_or_else(
            || "the library's own choice has no comparable time".to_owned(),
            |outside| outside.to_string(),
        );
        Err(format!("Not known: {what}."))
    }

    /// The answer where no rules can be written for the MPI library of the data.
    fn without_release(&self) -> String {
        let name = self.subject.request.profile_name;
        match self.profile.provenance.get("data_mpi") {
            Some(mpi) => format!(
                "Not known: netsig writes no rules for {}.",
                mpi.split(',').next().unwrap_or(mpi)
            ),
            None => format!(
                "Not known: the data do not name their MPI library; netsig tune {name} --for LIBRARY writes rules for one."
            ),
        }
    }

    fn nothing(&self, what: &str) -> String {
        let [first, last] = [self.sizes.first(), self.sizes.last()].map(|end| end.copied().unwrap_or_default());
        format!(
            "None: nothing of {what} is predicted to be {LEAST_GAIN} times as fast as the library's own choice among {} \
             processes at {}.",
            self.procs,
            range(first, last)
        )
    }

    /// Sentences on a size at which the setting loses, and on the rules that take the best at each size.
    fn limits_of_setting(&self, algorithm: &str, others: &[SizeGain], rules: &str) -> Vec<String> {
        let gains = self.sizes.iter().filter_map(|size| self.gain_of(algorithm, *size));
        let worst = gains.min_by(|a, b| a.gain.total_cmp(&b.gain));
        let slow = worst.filter(|worst| worst.gain * LEAST_GAIN <= 1.0);
        let needs_rules = !others.is_empty() || slow.is_some();
        let loss = slow.map(|slow| {
            let factor = 1.0 / slow.gain;
            format!(
                "The setting holds at all sizes, and takes {factor:.2} times as long at {}.",
                slow.size
            )
        });
        let cure = needs_rules.then(|| format!("Rules by size: {rules}"));
        loss.into_iter().chain(cure).collect()
    }

    /// The largest measured gain of an algorithm over the library's own choice, if both were measured.
    fn measured_gain(&self, algorithm: &str) -> Option<String> {
        let gain = |cell: &CellFinding| {
            let mut library_cells = self.subject.cells_of(LIBRARY);
            let library = library_cells.find(|other| (other.procs, other.size) == (cell.procs, cell.size))?;
            Some((library.median() / cell.median(), cell.procs, cell.size))
        };
        let gains = self.subject.cells_of(algorithm).filter_map(gain);
        let (gain, procs, size) = gains.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!("Measured: {gain:.1} times as fast at {size} among {procs}."))
    }
}

fn tune_command(profile_name: &str, release: &TargetRelease) -> String {
    format!("netsig tune {profile_name} --for {} -o FILE", release.target.name)
}

/// The larger of the process count that the data were measured for and the largest known one.
fn procs_of_interest(subject: &VerdictSubject, profile: &Profile) -> Option<Procs> {
    let scopes = [
        profile.provenance.get("data_steered_for"),
        subject.request.data.provenance.get("steered_for"),
    ];
    let scope = scopes.into_iter().flatten().find(|scope| {
        let collective = scope.split_whitespace().next();
        collective == Some(subject.collective.to_string().as_str())
    });
    let wanted = scope.and_then(|scope| Procs::new(scope.rsplit("up to ").next()?.trim().parse().ok()?).ok());
    wanted.into_iter().chain(subject.known_procs()).max()
}

/// The measured sizes that are whole KiB, and the powers of two between them; without any such size, all measured ones.
fn sizes_of_interest(subject: &VerdictSubject, profile: &Profile) -> Vec<Bytes> {
    let measured = subject.cells().map(|cell| cell.size);
    let domains = profile
        .contention_models_of(subject.collective)
        .map(ContentionModel::domain);
    let ends = domains.flat_map(|domain| [domain.smallest, domain.largest]);
    let known: BTreeSet<Bytes> = measured.chain(ends).filter(|size| size.0 > 0).collect();
    let (Some(least), Some(most)) = (known.first().copied(), known.last().copied()) else {
        return Vec::new();
    };
    if known.iter().all(|size| !size.0.is_multiple_of(1024)) {
        return known.into_iter().collect();
    }
    let powers = (0..63)
        .map(|power| Bytes(1 << power))
        .filter(|size| (least..=most).contains(size));
    let round = known.iter().copied().filter(|size| size.0.is_multiple_of(1024));
    powers.chain(round).sorted_unstable().dedup().collect()
}

/// The version of the MPI library of the data.
fn release(profile: &Profile) -> Option<TargetRelease> {
    let flavour = ranking::flavour(profile)?;
    let version = LibraryVersion::find(profile.provenance.get("data_mpi")?)?;
    TargetRelease::installed(flavour, version).ok()
}
