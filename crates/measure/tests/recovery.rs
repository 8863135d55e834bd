//! The whole way on the simulated transport: a campaign on a network with a known
//! signature, and the fit that must find it again.

use netsig_core::data::Dataset;
use netsig_core::fit::fitted::Found;
use netsig_core::fit::network::{self, Options};
use netsig_core::network::Network;
use netsig_core::stats::interval::Estimate;
use netsig_measure::campaign::{self, Launch};
use netsig_measure::plan::{JobId, Plan};
use netsig_measure::simulated::{Simulated, truth};

const SCENARIO: &str = r#"
description = "a known truth"
topology = "star"
hosts = 12
rate = "40Mbit/s"
port_buffer = "64KiB"
congestion_control = "reno"
[truth]
alpha = "100us"
gamma = 1.8
delta = "4ms"
threshold = "48KiB"
noise = 0.05
"#;

const PLAN: &str = r#"
launches = 2
[pingpong]
sizes = "1..1MiB"
repetitions = 20
[[collective]]
name = "alltoall"
algorithms = ["direct"]
procs = [4, 6, 8]
sizes = "256..1MiB, 48KiB"
repetitions = 10
"#;

fn simulate(seed: u64) -> Dataset {
    let scenario = Network::parse("known", SCENARIO).unwrap();
    let stated = scenario.truth.unwrap();
    let known = truth(&scenario, &stated).unwrap();
    let plan = Plan::parse("plan.toml", &format!("seed = {seed}\n{PLAN}")).unwrap();
    let mut data = Dataset::default();
    for launch in 0..plan.launches {
        let mut network = Simulated::new(known, stated.noise, &plan, launch);
        let launch = Launch {
            plan: &plan,
            job: JobId { launch, variant: 0 },
            past: &Dataset::default(),
            budget: None,
        };
        let Ok(_) = campaign::run(&launch, &mut network, |records| {
            data.extend(records.iter().cloned());
            Ok(())
        });
    }
    assert_eq!(data.samples.len() as u64, plan.samples());
    data
}

/// Within how far of the truth the fit of the first seed is, relatively.
const NEAR: [(&str, f64, f64); 3] = [
    ("gamma", 1.8, 0.02),
    ("delta_s", 4e-3, 0.1),
    ("threshold_bytes", 49152.0, 1e-9),
];

/// A 95 % interval that covers less than 80 % of 60 trials is no 95 % interval: by chance
/// that happens less than once in 10 000 times.
#[test]
fn a_known_signature_is_recovered_and_covered_by_its_intervals() {
    let mut covered = [0; 2];
    for seed in 0..60 {
        let fitted = network::fit(&simulate(seed), &Options::default()).unwrap();
        let signature = &fitted.signatures[0].model;
        if seed == 1 {
            for (name, truth, near) in NEAR {
                let error = signature.value(name).unwrap() / truth - 1.0;
                assert!(error.abs() < near, "{signature:?}");
            }
            let alpha = fitted.hockney.model().alpha().0;
            assert!((alpha / 1e-4 - 1.0).abs() < 0.02);
        }
        for (covered, (name, truth, _)) in covered.iter_mut().zip(NEAR) {
            if let Found::Estimated(Estimate { lower, upper, .. }) = signature.parameters[name] {
                *covered += u32::from((lower..=upper).contains(&truth));
            }
        }
    }
    assert!(
        covered.iter().all(|count| *count >= 48),
        "{covered:?} of 60"
    );
}

#[test]
fn the_same_seed_gives_the_same_data_and_another_does_not() {
    assert_eq!(simulate(3), simulate(3));
    assert_ne!(simulate(3), simulate(4));
}
