//! Campaigns on a network with a known truth: their results, their ends, their continuation after an interruption,
//! and the agreement of all ranks.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::MeasuredCells;
use netsig_base::data::{DataRecord, Dataset, Experiment, LaunchCell, RejectionReason, Sample};
use netsig_base::stats::interval::IntervalEstimate;
use netsig_base::stats::sample::SortedValues;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_measure::campaign::{self, LaunchInput, SpentTime};
use netsig_measure::estimate::{NetworkRates, estimate};
use netsig_measure::plan::{JobId, MeasurementPlan, PlanCell};
use netsig_measure::simulated::{SimulatedNetwork, point_to_point};
use netsig_measure::transport::{MeasuredRepetition, Transport};
use netsig_model::fit::network::{self, ModelsToFit, NetworkFitOptions};
use netsig_model::fit::plogp::measured_tables;
use netsig_model::fitted::ParameterValue;
use netsig_model::model::hockney::Hockney;
use netsig_model::model::signature::{Signature, SignatureForm};
use netsig_model::model::{self, SIGNATURE};

const EVERYTHING: &str = r#"
seed = 3
[pingpong]
sizes = "1..64KiB"
repetitions = 30
[plogp]
sizes = "1..16KiB"
[flows]
pairs = [1, 2]
size = "1MiB"
[[collective]]
name = "alltoall"
algorithms = ["direct", "pairwise"]
procs = [4, 6]
sizes = "256..64KiB"
repetitions = 20
"#;

fn truth() -> Signature {
    Signature {
        base: Hockney::new(Seconds(1e-4), SecondsPerByte(1e-8)).unwrap(),
        form: SignatureForm::Full,
        gamma: 1.8,
        gamma_below: None,
        delta: Seconds(4e-3),
        threshold: Some(Bytes(32768)),
    }
}

fn plan(text: &str) -> MeasurementPlan {
    MeasurementPlan::parse("plan.toml", text).unwrap()
}

/// Carries out launch 0 on a transport and gives the new records.
fn run(launch: &LaunchInput, ranks: &mut impl Transport<Error = Infallible>) -> (Vec<DataRecord>, SpentTime) {
    let mut records = Vec::new();
    let Ok(spent) = campaign::run(launch, ranks, |batch| {
        records.extend_from_slice(batch);
        Ok(())
    });
    (records, spent)
}

fn data(records: &[DataRecord]) -> Dataset {
    let mut data = Dataset::default();
    data.extend(records.iter().cloned());
    data
}

/// Samples of a plan without interruption, and its duration.
fn measure(plan: &MeasurementPlan, noise: f64, budget: Option<Seconds>) -> (Dataset, Seconds) {
    let mut network = SimulatedNetwork::new(truth(), noise, plan, 0);
    let nothing = Dataset::default();
    let records = run(&launch(plan, &nothing, budget), &mut network).0;
    (data(&records), network.now())
}

fn launch<'a>(plan: &'a MeasurementPlan, past: &'a Dataset, budget: Option<Seconds>) -> LaunchInput<'a> {
    LaunchInput {
        plan,
        job: JobId { launch: 0, variant: 0 },
        past,
        budget,
    }
}

/// The times of each place, several for a repetition of flows.
fn times(data: &Dataset) -> BTreeMap<LaunchCell, Vec<f64>> {
    let mut all = BTreeMap::<LaunchCell, Vec<f64>>::new();
    for Sample { cell: place, time, .. } in &data.samples {
        all.entry(place.clone()).or_default().push(time.0);
    }
    all
}

fn is_close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found / expected - 1.0).abs() < tolerance
}

/// The difference of two round trips has 2 % noise of each, and g(1) is an eighth of a round trip. By saturation each
/// gap is measured by itself.
#[test]
fn a_known_plogp_is_recovered() {
    let known = point_to_point(&truth().base);
    let data = measure(&plan("[plogp]\nsizes = \"1..64KiB\""), 0.02, None).0;
    let found = measured_tables(&MeasuredCells::of(&data), 0.95).unwrap().plogp;
    assert!(is_close(found.latency().0, known.latency().0, 0.02));
    assert!(is_close(found.g(Bytes(0)).0, known.g(Bytes(0)).0, 0.02));
    let rows = found.tables()[0].rows();
    assert_eq!(rows.len(), 18, "a line needs no more sizes than planned");
    for &(size, gap) in rows {
        let trip = 2.0 * known.latency().0 + known.g(Bytes(0)).0 + known.g(size).0;
        assert!((gap.0 - known.g(size).0).abs() < 0.02 * trip);
        assert!(is_close(found.os(size).0, known.os(size).0, 0.03));
        assert!(is_close(found.or(size).0, known.or(size).0, 0.03));
    }
    let all = times(&data);
    assert!(all.keys().all(|place| data.completed.contains(place)));

    let every = plan("[plogp]\nsizes = \"1..1KiB\"\nflood = \"every\"");
    let mut gaps = times(&measure(&every, 0.02, None).0);
    gaps.retain(|place, _| place.experiment == Experiment::Gap);
    assert_eq!(gaps.len(), 12);
    for (place, times) in gaps {
        let median = SortedValues::new(times).median();
        assert!(is_close(median, known.g(place.size).0, 0.05));
    }
}

#[test]
fn repetitions_stop_when_the_median_is_known() {
    let text = "[pingpong]\nsizes = \"1KiB..64KiB\"\nrepetitions = 4000\nwarmup = 2";
    let counts = |noise, precision: &str| -> Vec<usize> {
        let data = measure(&plan(&format!("{precision}\n{text}")), noise, None).0;
        times(&data).values().map(Vec::len).collect()
    };
    // Batches of 5 ms are 15 repetitions and more. A median of 5 % noise is known to 1 % from
    // about 150 repetitions on.
    assert!(counts(0.001, "precision = \"1%\"").iter().all(|n| *n < 30));
    let some = counts(0.05, "precision = \"1%\"");
    assert!(some.iter().all(|n| (50..600).contains(n)), "{some:?}");
    assert!(counts(0.05, "").iter().all(|n| *n == 4000));
}

/// However a run is interrupted, the next run completes every cell without duplicates and does not repeat complete
/// steps.
#[test]
fn an_interrupted_campaign_goes_on_where_it_ended() {
    let plan = plan(EVERYTHING);
    let resumed = |past: &Dataset| {
        let mut network = SimulatedNetwork::new(truth(), 0.001, &plan, 0);
        let (records, spent) = run(&launch(&plan, past, None), &mut network);
        (records, spent, network.now())
    };
    let records = resumed(&Dataset::default()).0;
    let whole = data(&records);
    let fixed = |data: &Dataset| -> Vec<(LaunchCell, usize)> {
        use Experiment::{Collective, Flow, PingPong};
        let mut all = times(data);
        all.retain(|place, _| matches!(place.experiment, PingPong | Flow | Collective(_)));
        let counts = all.into_iter().map(|(place, times)| (place, times.len()));
        counts.collect()
    };
    for cut in (0..records.len()).step_by(97) {
        let mut past = data(&records[..cut]);
        past.extend(resumed(&past).0);
        let samples = past.samples.iter();
        let rows: HashSet<_> = samples.map(|s| (&s.cell, s.repetition, s.part)).collect();
        assert_eq!(rows.len(), past.samples.len(), "{cut}: a repetition is there twice");
        assert_eq!(fixed(&past), fixed(&whole), "{cut}");
        let done: HashSet<_> = past.completed.iter().collect();
        assert_eq!(done.len(), past.completed.len(), "{cut}: a cell is done twice");
        assert_eq!(done, whole.completed.iter().collect(), "{cut}");
    }
    let nothing = (Vec::new(), SpentTime::default(), Seconds(0.0));
    assert_eq!(resumed(&whole), nothing);
}

#[test]
fn a_budget_is_kept_and_every_cell_has_three_repetitions() {
    for precision in ["", "precision = 0.005"] {
        let text = format!("{precision}\n{}", EVERYTHING.replace("= 20", "= 2000"));
        let plan = plan(&text);
        let cells = |data: &Dataset| -> HashSet<_> {
            let places = data.samples.iter().map(|s| &s.cell);
            places.map(|place| (place.experiment, place.procs)).collect()
        };
        let (all, needed) = measure(&plan, 0.02, None);
        for share in [0.1, 0.5, 0.9] {
            let (data, taken) = measure(&plan, 0.02, Some(needed * share));
            let used = taken / (needed * share);
            assert!((0.6..1.02).contains(&used), "{precision} {share}: {used}");
            assert_eq!(cells(&data), cells(&all));
            assert!(times(&data).values().all(|times| times.len() >= 3));
        }
        let (_, taken) = measure(&plan, 0.02, Some(needed * 2.0));
        assert!(is_close(taken.0, needed.0, 0.2));
    }
}

/// The rates from a probe predict the duration of a plan on the same network.
#[test]
fn a_duration_is_foretold() {
    let plan = plan(EVERYTHING);
    let probe = MeasurementPlan::probe(plan.procs());
    assert_eq!(self::plan(&probe.to_toml()), probe);
    assert_eq!(NetworkRates::from_probe(&Dataset::default(), Seconds(1.0)), None);
    let (data, wall) = measure(&probe, 0.02, None);
    let rates = NetworkRates::from_probe(&data, wall).unwrap();
    assert!(is_close(rates.hockney.alpha().0, 1e-4, 0.02));
    assert!(is_close(rates.hockney.beta().0, 1e-8, 0.1));
    let foretold = estimate(&plan, &rates);
    let taken = measure(&plan, 0.02, None).1;
    let is_foretold = foretold.low * 0.5 < taken && taken < foretold.high * 2.0;
    assert!(is_foretold, "{taken} {foretold:?}");
}

/// One of two ranks, or a lone recorder. The recorder's words reach the other rank, each rank keeps a log, and some
/// repetitions are rejected.
struct TestRank {
    network: Option<SimulatedNetwork>,
    words: (Sender<Vec<u64>>, Receiver<Vec<u64>>),
    rejects: fn(u32) -> bool,
    log: Vec<String>,
}

/// The recorder and the other rank.
fn ranks(network: SimulatedNetwork, rejects: fn(u32) -> bool) -> [TestRank; 2] {
    let rank = |network, words| TestRank {
        network,
        words,
        rejects,
        log: Vec::new(),
    };
    let (there, here) = (channel(), channel());
    let recorder = rank(Some(network), (there.0, here.1));
    [recorder, rank(None, (here.0, there.1))]
}

impl Transport for TestRank {
    type Error = Infallible;

    fn is_recorder(&self) -> bool {
        self.network.is_some()
    }
    fn now(&self) -> Seconds {
        self.network.as_ref().map_or(Seconds(0.0), SimulatedNetwork::now)
    }
    fn enter(&mut self, cell: &PlanCell) -> Result<bool, Infallible> {
        self.log.push(format!("enter {cell:?}"));
        Ok(true)
    }
    fn repeat(&mut self, step: &PlanCell, numbers: Range<u32>) -> Result<Vec<MeasuredRepetition>, Infallible> {
        self.log.push(format!("repeat {step:?} {numbers:?}"));
        let network = self.network.as_mut();
        let Ok(mut seen) = network.map_or(Ok(Vec::new()), |simulated| simulated.repeat(step, numbers.clone()));
        for (number, seen) in numbers.zip(&mut seen) {
            if (self.rejects)(number) {
                seen.outcome = Err(RejectionReason::Late);
            }
        }
        Ok(seen)
    }
    fn broadcast_words(&mut self, words: &mut [u64]) -> Result<(), Infallible> {
        if self.is_recorder() {
            self.words.0.send(words.to_vec()).unwrap();
        } else {
            words.copy_from_slice(&self.words.1.recv().unwrap());
        }
        Ok(())
    }
    fn leave(&mut self) -> Result<(), Infallible> {
        self.log.push("leave".to_owned());
        Ok(())
    }
}

#[test]
fn rejected_repetitions_are_repeated_but_not_for_ever() {
    let plan = plan(EVERYTHING);
    let faulty = |rejects| {
        let [mut recorder, _other] = ranks(SimulatedNetwork::new(truth(), 0.001, &plan, 0), rejects);
        data(&run(&launch(&plan, &Dataset::default(), None), &mut recorder).0)
    };
    let some = faulty(|number| number % 3 == 0);
    let good = measure(&plan, 0.001, None).0;
    let kept = |data: &Dataset, kind| {
        let samples = data.samples.iter().filter(|s| s.cell.experiment == kind);
        samples.count()
    };
    for kind in [Experiment::PingPong, Experiment::Flow] {
        assert_eq!(kept(&some, kind), kept(&good, kind));
    }
    assert_eq!(some.completed.len(), good.completed.len());
    let all = faulty(|_| true);
    assert_eq!(all.samples, []);
    // 17 sizes 30 times, 2 · 2 · 9 cells 20 times, two numbers of flows 3 times, RTT(0).
    let planned = 17 * 30 + 36 * 20 + 6 + 72;
    assert!((planned..2 * planned).contains(&all.rejected.len()));
    assert_eq!(all.completed.len(), 17 + 36 + 2 + 2);
}

#[test]
fn all_participants_do_what_the_recorder_does() {
    let plan = plan(&format!("precision = 0.01\n{EVERYTHING}"));
    let network = SimulatedNetwork::new(truth(), 0.1, &plan, 0);
    let [mut leader, mut follower] = ranks(network, |_| false);
    let nothing = Dataset::default();
    let launch = launch(&plan, &nothing, Some(Seconds(0.5)));
    std::thread::scope(|scope| {
        scope.spawn(|| run(&launch, &mut leader));
        let (records, _) = run(&launch, &mut follower);
        assert_eq!(records, []);
    });
    assert!(leader.log.len() > 300, "{}", leader.log.len());
    assert_eq!(leader.log, follower.log);
}

/// Two launches of a plan with noise of 5 %.
fn exchanges(seed: u64) -> Dataset {
    let plan = plan(&format!(
        "seed = {seed}\nlaunches = 2\n[pingpong]\nsizes = \"1..1MiB\"\nrepetitions = 20\n\
         [[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\nprocs = [4, 6, 8]\n\
         sizes = \"256..1MiB\"\nrepetitions = 10\n"
    ));
    let (mut data, nothing) = (Dataset::default(), Dataset::default());
    for number in 0..plan.launches {
        let mut network = SimulatedNetwork::new(truth(), 0.05, &plan, number);
        let mut launch = launch(&plan, &nothing, None);
        launch.job.launch = number;
        data.extend(run(&launch, &mut network).0);
    }
    assert_eq!(data.samples.len() as u64, plan.samples());
    data
}

/// A 95 % interval that covers less than 80 % of 60 trials is no 95 % interval: by chance
/// that happens less than once in 10 000 times.
#[test]
fn a_known_signature_is_recovered_and_covered_by_its_intervals() {
    let truths = [("gamma", 1.8, 0.05), ("delta_s", 4e-3, 0.2)];
    let options = NetworkFitOptions {
        models_to_fit: ModelsToFit::One(model::find(Collective::Alltoall, SIGNATURE).unwrap()),
        ..NetworkFitOptions::default()
    };
    let mut covered = [0; 2];
    for data in (0..60).map(exchanges) {
        let fitted = network::fit(&data, &options).unwrap();
        assert!(is_close(fitted.hockney.alpha.value, 1e-4, 0.05));
        let signature = &fitted.signatures[0].model;
        assert_eq!(signature.value("threshold_bytes"), Some(32768.0));
        for (covered, (name, truth, near)) in covered.iter_mut().zip(truths) {
            let value = signature.value(name).unwrap();
            assert!(is_close(value, truth, near), "{signature:?}");
            if let ParameterValue::Estimated(IntervalEstimate { lower, upper, .. }) = signature.parameters[name] {
                *covered += u32::from((lower..=upper).contains(&truth));
            }
        }
    }
    let is_covered = covered.iter().all(|count| *count >= 48);
    assert!(is_covered, "{covered:?} of 60");
    // The same seed gives the same data, and another does not.
    assert_eq!(exchanges(3), exchanges(3));
    assert_ne!(exchanges(3), exchanges(4));
}
