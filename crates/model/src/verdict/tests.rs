//! Verdicts on data with a known truth, and on inputs that cannot support an answer.

use std::fmt::Write as _;

use netsig_base::algorithm::Collective;
use netsig_base::data::Dataset;
use netsig_base::units::Bytes;

use super::{CellFinding, CollectiveVerdict, ContentionState, FittedPredictors, PredictionError, VerdictRequest};
use crate::fit::network::NetworkFitOptions;
use crate::profile::Profile;
use crate::testing::procs;

/// α and β of the messages, in seconds and seconds a byte.
const ALPHA: f64 = 1e-4;
const BETA: f64 = 1e-8;

/// Contention-free time of an all-to-all.
fn contention_free(procs: u32, size: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
    let message = ALPHA + BETA * size as f64;
    f64::from(procs - 1) * message
}

/// Data with a ping-pong, and all-to-alls of these algorithms that take a multiple of their contention-free time among
/// `counts` processes.
struct SyntheticData {
    text: String,
}

const HEADER: &str =
    "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,retransmits,longest_processor_wait_us\n";

/// Sizes of the synthetic data.
fn sizes() -> impl Iterator<Item = u64> {
    (8..18).map(|power| 1 << power)
}

impl SyntheticData {
    fn new() -> Self {
        let mpi = "#@mpi=Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
        let mut data = Self {
            text: format!("{mpi}\n{HEADER}"),
        };
        for size in sizes() {
            data.add("pingpong,,", 2, size, contention_free(2, size), "0,0");
        }
        data
    }

    /// Three repetitions in each of two launches.
    fn add(&mut self, what: &str, procs: u32, size: u64, time: f64, counts: &str) {
        for launch in 0..2 {
            for (repetition, error) in [0.99, 1.0, 1.01].into_iter().enumerate() {
                let time = time * error;
                writeln!(self.text, "{what},{procs},{size},{repetition},{launch},{time},{counts}").unwrap();
            }
        }
    }

    fn with_alltoall(mut self, algorithm: &str, counts: &[u32], ratio: f64) -> Self {
        for &procs in counts {
            for size in sizes() {
                let time = ratio * contention_free(procs, size);
                self.add(
                    &format!("collective,alltoall,\"{algorithm}\""),
                    procs,
                    size,
                    time,
                    "0,0",
                );
            }
        }
        self
    }

    fn read(&self) -> Dataset {
        Dataset::read("data.csv", self.text.as_bytes()).unwrap()
    }
}

fn fitted(data: &Dataset) -> Profile {
    let (_, profile) = Profile::fit(data, "data.csv", &NetworkFitOptions::default(), &[]).unwrap();
    profile
}

fn verdict_on(profile: Option<&Profile>, data: &Dataset) -> CollectiveVerdict {
    verdict_of(Collective::Alltoall, profile, data)
}

fn verdict_of(collective: Collective, profile: Option<&Profile>, data: &Dataset) -> CollectiveVerdict {
    let request = VerdictRequest {
        profile,
        profile_name: "data.toml",
        data,
        network: None,
        procs: None,
    };
    request.verdict(collective)
}

fn answers(verdict: &CollectiveVerdict) -> String {
    let all = verdict.answers().into_iter();
    let line = all.map(|one| {
        format!(
            "{}: {} [{}]\n",
            one.question,
            one.answer,
            one.command.unwrap_or_default()
        )
    });
    line.collect()
}

/// The library takes 1.8 times, its pairwise exchange 1.3 times, netsig's windows 1.1 times as long as without
/// contention, among 4, 6 and 8; 12 are held out and take 1.9 times.
#[test]
fn the_whole_verdict_on_known_contention() {
    let data = SyntheticData::new()
        .with_alltoall("library", &[4, 6, 8], 1.8)
        .with_alltoall("library:pairwise", &[4, 6, 8], 1.3)
        .with_alltoall("windowed:segment=4096,window=4", &[4, 6, 8], 1.1)
        .read();
    let profile = fitted(&data);
    let held_out = SyntheticData::new().with_alltoall("library", &[12], 1.9).read();
    insta::assert_snapshot!(
        [&data, &held_out]
            .map(|data| answers(&verdict_on(Some(&profile), data)))
            .join("\n")
    );
}

/// Reductions and barriers by doubling, in twice the time of their messages. A barrier has no sizes.
#[test]
fn reductions_and_barriers_are_judged() {
    let mut synthetic = SyntheticData::new();
    for procs in [4u32, 8, 16] {
        let steps = f64::from(procs.ilog2());
        synthetic.add("collective,barrier,library", procs, 0, 4.0 * steps * ALPHA, "0,0");
        synthetic.add("collective,barrier,dissemination", procs, 0, 2.0 * steps * ALPHA, "0,0");
        for size in sizes() {
            let time = 2.0 * steps * contention_free(2, size);
            synthetic.add("collective,allreduce,library", procs, size, 2.0 * time, "0,0");
            synthetic.add("collective,allreduce,recursive-doubling", procs, size, time, "0,0");
        }
    }
    let data = synthetic.read();
    let profile = fitted(&data);
    for (collective, setting, preloaded) in [
        (
            Collective::Allreduce,
            "--mca coll_tuned_allreduce_algorithm 3",
            "Preloaded: None: netsig run gains no more than settings do.",
        ),
        (
            Collective::Barrier,
            "Setting: Not judged: a barrier has no sizes",
            "Preloaded: Not judged: a barrier has no sizes",
        ),
    ] {
        let verdict = verdict_of(collective, Some(&profile), &data);
        assert_eq!(verdict.contention.is_contended(), Some(true), "{collective}");
        let text = answers(&verdict);
        assert!(text.contains(setting), "{text}");
        assert!(text.contains(preloaded), "{text}");
        assert_eq!(text.contains(" B "), collective != Collective::Barrier, "{text}");
    }
}

/// The bound of 1.2 parts contention from none, by the cells that count alone.
#[test]
fn contention_is_where_cells_that_count_show_it() {
    for (ratio, is_contended) in [(1.05, Some(false)), (1.5, Some(true))] {
        let mut synthetic = SyntheticData::new().with_alltoall("library", &[4, 6, 8], ratio);
        let data = synthetic.read();
        let profile = fitted(&data);
        assert_eq!(
            verdict_on(Some(&profile), &data).contention.is_contended(),
            is_contended,
            "{ratio}"
        );
        // A cell whose processes waited for processors all the time takes ten times as long.
        let slow = 10.0 * contention_free(8, 3000);
        let waited = format!("0,{}", (slow * 1e6).round());
        synthetic.add("collective,alltoall,library", 8, 3000, slow, &waited);
        let verdict = verdict_on(Some(&profile), &synthetic.read());
        assert_eq!(verdict.contention.is_contended(), is_contended, "{ratio}");
        assert!(
            verdict.certainty.to_string().contains("1 cell does not count"),
            "{}",
            verdict.certainty
        );
    }
}

/// Where every repetition of a cell lost packets below the fitted onset, or none above it, the answer follows the
/// cells and says that the fit is wrong.
#[test]
fn measured_losses_win_over_the_fitted_onset() {
    let examples = include_str!("../../../../examples/alltoall.csv");
    let data = Dataset::read("alltoall.csv", examples.as_bytes()).unwrap();
    let mut profile = fitted(&data);
    let from = |profile: &Profile| {
        let losses = verdict_on(Some(profile), &data).losses;
        let eight = losses.measured[&procs(8)];
        assert_eq!(
            (eight.below, eight.from),
            (Some(Bytes(32 << 10)), Some(Bytes(56 << 10)))
        );
        (losses.denies(procs(8)), losses.to_string())
    };
    let (is_denied, answer) = from(&profile);
    assert!(!is_denied && answer.contains("Predicted: from 37 KiB on"), "{answer}");
    for scale in [0.01, 1.9] {
        for regimes in &mut profile.regimes {
            let stalls = regimes.model.eager.as_mut().unwrap().stalls.as_mut().unwrap();
            for bytes in [
                &mut stalls.onset.bytes,
                &mut stalls.onset.lower,
                &mut stalls.onset.upper,
            ] {
                *bytes *= scale;
            }
        }
        let (is_denied, answer) = from(&profile);
        assert!(
            is_denied && answer.contains("the measured cells contradict it") && !answer.contains("Predicted"),
            "{answer}"
        );
        profile = fitted(&data);
    }
}

/// Kept measurements of three networks. Where every repetition of a cell lost a packet or stalled, the measured onset is
/// no larger. A predicted onset that is larger is denied.
#[test]
fn no_verdict_denies_what_all_repetitions_of_kept_data_show() {
    let files = [
        include_str!("../../../../bench/data/losses/ethernet-12x40.csv"),
        include_str!("../../../../bench/data/losses/tree-2x6x40.csv"),
        include_str!("../../../../bench/data/losses/mpich-ethernet-12x40.csv"),
    ];
    let mut shown = 0;
    for text in files {
        let data = Dataset::read("data.csv", text.as_bytes()).unwrap();
        let profile = fitted(&data);
        let losses = verdict_on(Some(&profile), &data).losses;
        let cells = FittedPredictors::of(&profile, Collective::Alltoall, None).findings(&data, Collective::Alltoall);
        let is_shown =
            |cell: &&CellFinding| cell.algorithm == "direct" && cell.lossy_share == Some(1.0) && !cell.is_busy;
        for cell in cells.iter().filter(is_shown) {
            let (procs, size) = (cell.procs, cell.size);
            assert!(
                losses.measured[&procs].from.unwrap() <= size,
                "{procs} {size}: {losses}"
            );
            let onset = losses.predicted.get(&procs).filter(|_| !losses.denies(procs));
            assert!(
                onset.is_none_or(|onset| onset.interval[0] <= size),
                "{procs} {size}: {losses}"
            );
            shown += 1;
        }
    }
    assert!(shown > 10, "{shown} cells lost in every repetition");
}

/// Inputs that lack something: each answer says what it cannot know.
#[test]
fn missing_inputs_are_named() {
    let one = SyntheticData::new().with_alltoall("direct", &[4, 6, 8], 1.5).read();
    let library_alone = SyntheticData::new().with_alltoall("library", &[4, 6, 8], 1.5).read();
    let single_count = SyntheticData::new().with_alltoall("library", &[8], 1.5).read();
    let [direct, library, single] = [&one, &library_alone, &single_count].map(fitted);
    let cases = [
        ("profile without data", verdict_on(Some(&library), &Dataset::default())),
        ("data without profile", verdict_on(None, &library_alone)),
        ("nothing", verdict_on(None, &Dataset::default())),
        ("one algorithm, not the library's", verdict_on(Some(&direct), &one)),
        ("the library's choice alone", verdict_on(Some(&library), &library_alone)),
        ("one process count", verdict_on(Some(&single), &single_count)),
    ];
    let texts = cases.map(|(name, verdict)| format!("# {name}\n{}", answers(&verdict)));
    insta::assert_snapshot!(texts.join("\n"));
}

/// Without a ping-pong contention is relative to the fewest processes, and their own is not known.
#[test]
fn without_a_ping_pong_contention_is_relative() {
    let whole = SyntheticData::new().with_alltoall("library", &[4, 6, 8], 1.5);
    let rows = whole.text.lines().filter(|line| !line.starts_with("pingpong"));
    let text = rows.collect::<Vec<_>>().join("\n");
    let data = Dataset::read("data.csv", text.as_bytes()).unwrap();
    let verdict = verdict_on(Some(&fitted(&data)), &data);
    assert_eq!(verdict.contention.relative_to, Some(procs(4)));
    assert!(matches!(verdict.contention.state, ContentionState::Free { .. }));
    assert_eq!(verdict.contention.is_contended(), None);
}

/// Held-out cells that lie outside of their intervals make the intervals too narrow, in words.
#[test]
fn narrow_intervals_are_called_narrow() {
    let data = SyntheticData::new().with_alltoall("library", &[4, 6, 8], 1.5).read();
    let profile = fitted(&data);
    for (ratio, words) in [
        (
            1.5,
            "100 % of the medians lie in intervals that should hold 90 %: the intervals hold",
        ),
        (3.0, "too narrow"),
    ] {
        let held_out = SyntheticData::new().with_alltoall("library", &[12], ratio).read();
        let certainty = verdict_on(Some(&profile), &held_out).certainty;
        assert!(matches!(certainty.error, PredictionError::HeldOut { .. }));
        assert!(certainty.to_string().contains(words), "{certainty}");
    }
}

/// Two launches of which one takes twice as long: no figure holds for both.
#[test]
fn contradictory_launches_are_named() {
    let once = SyntheticData::new().with_alltoall("library", &[4, 6, 8], 1.5);
    let told = |factor: f64| {
        let slower = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
            ["collective", _, _, _, _, _, "1", time, ..] => {
                let slow_time = time.parse::<f64>().unwrap() * factor;
                line.replace(&format!(",1,{time},"), &format!(",1,{slow_time},"))
            }
            _ => line.to_owned(),
        };
        let rows = once.text.lines().map(|line| slower(line) + "\n");
        let data = Dataset::read("data.csv", rows.collect::<String>().as_bytes()).unwrap();
        verdict_on(Some(&fitted(&data)), &data).certainty.to_string()
    };
    assert!(!told(1.1).contains("contradict"));
    assert!(
        told(2.0).contains("The launches contradict each other"),
        "{}",
        told(2.0)
    );
}
