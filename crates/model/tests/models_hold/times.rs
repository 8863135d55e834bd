//! Times of all models: finite, refused by name, and not falling.

use netsig_base::algorithm::Collective;
use netsig_base::network::{LinkSpec, Network, TreeEdge};
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{BitsPerSecond, Bytes, BytesPerSecond, Seconds, SecondsPerByte};
use netsig_model::model::alltoall::plogpt;
use netsig_model::model::alltoall::throughput::rho_of_gamma;
use netsig_model::model::hockney::Hockney;
use netsig_model::model::message::loggp::LogGP;
use netsig_model::model::segment::Segment;
use netsig_model::model::{
    self, Case, KnownNetwork, Model, ModelError, ModelInput, ModelSubject, ModelTime, ParameterValues, REGIMES,
    SegmentChoice,
};
use proptest::prelude::*;

use crate::arbitrary::{any_network, ascending, counts, procs, sane_values, shares, sizes, table, toy, unchanged};
use crate::seeded;

/// The time of a model on a network with these shares as its parameters. The chain of a
/// scatter and the trees of the regimes add up one term a process, so they get no more than ten
/// thousand.
fn time(
    model: &'static Model,
    network: &KnownNetwork,
    shares: [f64; 4],
    mut case: Case,
) -> Result<Seconds, ModelError> {
    let collective = [Collective::Scatter, Collective::Gather].map(ModelSubject::Collective);
    let is_chain = model.name == "chain" && collective.contains(&model.subject);
    if is_chain || model.name == REGIMES {
        case.procs = case.procs.min(procs(10_000));
    }
    let numbers = sane_values(model, shares);
    let [.., table] = network.plogp.tables();
    let latency = network.network.is_some().then(|| table.clone());
    let values = ParameterValues { numbers, latency };
    Ok(model.time(network, &values, case)?.time)
}

proptest! {
    #![proptest_config(seeded::cases(48))]

    /// With sane numbers a model refuses only for the reason listed here. On extreme networks times overflow to an
    /// error and not to infinity.
    #[test]
    fn a_model_gives_a_time_or_says_why_not(
        network in any_network(1e-2, unchanged),
        extreme in any_network(f64::MAX, unchanged),
        (count, size, shares) in (counts(), sizes(), shares()),
    ) {
        let case = Case::new(procs(count), Bytes(size));
        let overflows = size.checked_mul(u64::from(count)).is_none();
        for model in model::models() {
            let why = match model.name {
                "tree_bound" | "tam" if network.network.is_none() => "needs",
                name if name.starts_with("plogpt_") => "for PlogPT",
                "message_loggp" => "L = ",
                "plogp_overhead_factor" => "gives -",
                model::SHARED_LINK => "clusters",
                _ if model.needs.contains(&ModelInput::Clusters) => "clusters of so many processes",
                name if name.starts_with("two_phase") => "it must be",
                REGIMES if count > 2048 => "at most 2048",
                _ => "nothing",
            };
            match time(model, &network, shares, case) {
                Ok(time) => {
                    prop_assert!(time.0.is_finite() && time.0 >= 0.0, "{}: {time:?}", model.name);
                    let is_alone = count == 1 && matches!(model.subject, ModelSubject::Collective(_));
                    prop_assert!(!is_alone || time == Seconds(0.0), "{}: {time:?}", model.name);
                }
                Err(error) => {
                    let error = error.to_string();
                    let expected = if overflows { "2^64" } else { why };
                    prop_assert!(error.contains(expected), "{}: {error}", model.name);
                }
            }
            if let Ok(time) = time(model, &extreme, shares, case) {
                prop_assert!(time.0.is_finite() && time.0 >= 0.0, "{}: {time:?}", model.name);
            }
        }
    }

    /// If the tables ascend, more bytes or more processes take no less time. Segments are fixed, as hill climbing ends
    /// in one local optimum or another. Left out are plogp_overhead_factor with γ above 1, where a part of g counts
    /// negative, and a signature with γ_below above γ. Left out are the regimes, where either protocol may be the
    /// faster and a time-out adds less to a longer time. Models between clusters are compared by bytes alone, since
    /// clusters of equal size need the fewest steps, and so are reductions, which need the fewest steps among powers of
    /// two.
    #[test]
    fn more_takes_no_less(
        network in any_network(1e-2, ascending),
        counts in (counts(), counts()),
        sizes in (sizes(), sizes(), 1..1u64 << 20),
        shares in shares(),
    ) {
        let [few, many] = [counts.0.min(counts.1), counts.0.max(counts.1)].map(procs);
        let [small, large] = [sizes.0.min(sizes.1), sizes.0.max(sizes.1)].map(Bytes);
        let segments = SegmentChoice::Fixed(Segment::new(Bytes(sizes.2)).unwrap());
        for model in model::models() {
            let values = sane_values(model, shares);
            if model.name == "plogp_overhead_factor" && values[0] > 1.0
                || model.name == "signature" && values[1] > values[0]
                || model.name == REGIMES
            {
                continue;
            }
            let at = |procs, size| time(model, &network, shares, Case { procs, size, segments });
            let is_grid = model.needs.contains(&ModelInput::Clusters) || model.name.starts_with("two_phase");
            let is_reduction = model.needs.contains(&ModelInput::Operation);
            let many = if is_grid || is_reduction { few } else { many };
            let more_procs = (at(few, small), at(many, small));
            let more_bytes = (at(few, small), at(few, large));
            for (less, more) in [more_procs, more_bytes] {
                if let (Ok(less), Ok(more)) = (less, more) {
                    let least = less.0 * (1.0 - 1e-12);
                    prop_assert!(more.0 >= least, "{}: {less:?}, {more:?}", model.name);
                }
            }
        }
    }
}

/// Sizes that f64 does not tell apart.
#[test]
fn a_table_goes_straight_between_rows_of_any_size() {
    let rows = table([(1 << 60, 0.0), ((1 << 60) + 4, 1.0)]);
    let values = [0, 1, 2, 3, 4, 6].map(|i| rows.at(Bytes((1 << 60) + i)));
    assert_eq!(values, [0.0, 0.25, 0.5, 0.75, 1.0, 1.5].map(Seconds));
}

/// A value that no formula can work with is refused by name and rule; a finite value may give a time or none. Each of
/// two clusters has at least one process.
#[test]
fn impossible_parameters_are_refused_by_name() {
    let infinite = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let magnitudes = [0.0, 5e-324, 0.5, 1.0, 64.0, 1e10, 1e19, 1e300, 1.7e308];
    let finite = magnitudes.into_iter().flat_map(|value| [value, -value]);
    let values: Vec<f64> = infinite.into_iter().chain(finite).collect();
    let network = KnownNetwork {
        network: Network::star(64, LinkSpec::new(BitsPerSecond(1), Bytes(0))).ok(),
        ..toy()
    };
    let at = |model, place: usize, value| {
        let mut values = ParameterValues {
            numbers: sane_values(model, [0.5; 4]),
            latency: None,
        };
        values.numbers[place] = value;
        model.time(&network, &values, Case::new(procs(64), Bytes(1 << 20)))
    };
    let units = ["_s_per_byte", "_s", "_bytes"];
    let unbounded = [
        "threshold_bytes",
        "eager_limit_bytes",
        "overflow_bytes",
        "in_flight_bytes",
    ];
    for model in model::models() {
        for (place, parameter) in model.parameters.iter().enumerate() {
            let name = parameter.name;
            let mut stems = units.iter().filter_map(|unit| name.strip_suffix(unit));
            let stem = stems.next().unwrap_or(name);
            let may_lack = unbounded.contains(&name);
            let optional = ["first_cluster_procs", "gamma_below", "packed_blocks"].contains(&name);
            let is_count = name == "first_cluster_procs";
            for &value in &values {
                let time = at(model, place, value).map_err(|error| error.to_string());
                let is_right = match &time {
                    Ok(_) if value.is_nan() => optional,
                    Ok(_) if value.is_infinite() => may_lack && value > 0.0,
                    Ok(_) if is_count => (1.0..64.0).contains(&value),
                    Ok(ModelTime { time, .. }) => time.0.is_finite() && time.0 >= 0.0,
                    Err(error) if error.starts_with(stem) => error.contains("it must be "),
                    Err(error) if !value.is_finite() => panic!("{error}"),
                    Err(error) => error.starts_with(model.name) && error.contains("is no time"),
                };
                assert!(is_right, "{} {name}: {time:?}", model.name);
            }
        }
    }
}

/// Each input that is a number, alone.
const NUMERIC_INPUTS: [fn(f64) -> Result<(), ParameterError>; 9] = [
    |x| Hockney::new(Seconds(x), SecondsPerByte(1.0)).map(drop),
    |x| Hockney::new(Seconds(1.0), SecondsPerByte(x)).map(drop),
    |x| loggp([x, 1.0, 1.0, 1.0]),
    |x| loggp([1.0, x, 1.0, 1.0]),
    |x| loggp([1.0, 1.0, x, 1.0]),
    |x| loggp([1.0, 1.0, 1.0, x]),
    |x| rho_of_gamma(x, SecondsPerByte(1.0), SecondsPerByte(2.0)).map(drop),
    |x| edge(x, 1.0),
    |x| edge(1.0, x),
];

fn loggp([latency, overhead, gap, gap_per_byte]: [f64; 4]) -> Result<(), ParameterError> {
    let [latency, overhead, gap] = [latency, overhead, gap].map(Seconds);
    LogGP::new(latency, overhead, gap, SecondsPerByte(gap_per_byte)).map(drop)
}

fn edge(bandwidth: f64, delay: f64) -> Result<(), ParameterError> {
    let edge = TreeEdge {
        bandwidth: BytesPerSecond(bandwidth),
        delay: Seconds(delay),
    };
    plogpt::PlogPT::new(&plogpt::PlogptParameters::new(vec![edge], Seconds(0.0))).map(drop)
}

#[test]
fn constructors_refuse_what_no_formula_can_work_with() {
    let refusals = NUMERIC_INPUTS.iter().flat_map(|make| {
        assert!(make(1.0).is_ok());
        let refused = [f64::NAN, f64::INFINITY, -1.0].map(make);
        refused.map(|one| one.map_or_else(|error| format!("{error}\n"), |()| "taken\n".into()))
    });
    insta::assert_snapshot!(refusals.collect::<String>());
}
