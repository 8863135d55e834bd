//! Closed forms against simulations.

use netsig_base::algorithm::{ALGORITHMS, Collective, SettingKind};
use proptest::prelude::*;

use super::*;
use crate::setup::SimReport;
use crate::testing::procs;
use crate::testing::{loggp, on_ports, plogp};

/// Times in nanoseconds; many are equal, or sums of others.
fn coinciding_times() -> impl Strategy<Value = f64> {
    let times = prop_oneof![Just(0u32), 0u32..12, (0u32..12).prop_map(|time| 1000 * time)];
    times.prop_map(f64::from)
}

/// Networks with an overhead, and networks whose processors are always free. Tables of g may decrease.
fn any_ports() -> impl Strategy<Value = (PortParameters, bool)> {
    let per_byte = prop_oneof![Just(0.0), (0u32..4).prop_map(f64::from), 0.0..10.0];
    let overhead = prop_oneof![coinciding_times(), Just(0.0)];
    let any_loggp = (coinciding_times(), overhead, coinciding_times(), per_byte)
        .prop_map(|(l, o, g, per_byte)| (loggp([l, o, g], per_byte), o == 0.0));
    let any_plogp = [
        coinciding_times(),
        coinciding_times(),
        coinciding_times(),
        coinciding_times(),
    ]
    .prop_map(|times| {
        let [latency, a, b, c] = times.map(|time| 1e-9 * time);
        let gaps = [(0, a), (1000, b), (100_000, c)];
        (PortParameters::PLogP(plogp(latency, &gaps)), true)
    });
    prop_oneof![2 => any_loggp, 1 => any_plogp]
}

/// A network and whether its processors are free, an algorithm, and the ranks and bytes.
type AnyPortCase = ((PortParameters, bool), Algorithm, (u32, u64));

/// Any algorithm with a setting that cuts its message into a few segments.
fn any_case() -> impl Strategy<Value = AnyPortCase> {
    let counts = prop_oneof![15 => 1u32..=17, 1 => 18u32..=80];
    let sizes = prop_oneof![0u64..20, 0u64..200_000];
    let chosen = (0..ALGORITHMS.len(), 1u64..9);
    (any_ports(), counts, sizes, chosen).prop_map(|(ports, count, size, (entry, setting))| {
        let entry = &ALGORITHMS[entry];
        let text = entry.text(|parameter| match parameter.kind {
            SettingKind::Size => size / setting + 1,
            SettingKind::Number => 1 + setting,
        });
        let algorithm = Algorithm::parse(entry.collective, &text).unwrap();
        (ports, algorithm, (count, size))
    })
}

/// Small numbers, so that sends and receives meet at a processor in all ways.
fn any_near_case() -> impl Strategy<Value = AnyPortCase> {
    let times = ([0u32..30, 0u32..4, 0u32..10], 0u32..3);
    let case = (2u32..14, 0u64..8);
    (times, case, 0..3usize, 1u64..8).prop_map(|((times, per_byte), case, algorithm, segment)| {
        let algorithm = match algorithm {
            0 => Algorithm::parse(Collective::Alltoall, "direct"),
            1 => Algorithm::parse(Collective::Alltoall, "throttled:1"),
            _ => Algorithm::parse(Collective::Bcast, &format!("pipeline:{segment}")),
        };
        let ports = loggp(times.map(f64::from), per_byte.into());
        ((ports, times[1] == 0), algorithm.unwrap(), case)
    })
}

/// Closed forms that lack an answer for some sizes of parts; those of reductions have none on ports.
const FORMS_OF_PARTS: [ClosedForm; 4] = [
    ClosedForm::ChainOfParts,
    ClosedForm::Binary,
    ClosedForm::BinomialSegmented,
    ClosedForm::BinomialOfParts,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_closed_form_is_what_the_simulation_finds(
        ((ports, is_free), algorithm, (count, size)) in prop_oneof![any_case(), any_near_case()],
    ) {
        let solved = endpoint(algorithm, procs(count), Bytes(size), &ports);
        let may_lack = |form| FORMS_OF_PARTS.contains(&form) || matches!(form, ClosedForm::Reduction(_));
        let must = algorithm.closed_form().is_some_and(|form| !may_lack(form));
        prop_assert!(solved.is_some() || !must || !is_free);
        if let Some(solved) = solved {
            let outcome = on_ports(algorithm, count, size, &ports, &mut ());
            prop_assert_eq!(solved, SimReport::of_events(&outcome).totals, "{}", algorithm);
        }
    }
}
