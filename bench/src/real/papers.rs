//! Data made from the papers' law with the papers' γ, δ and M, which a tool of this field must recover exactly. The
//! papers do not print all α and β; the values for Fast Ethernet and Myrinet are usual for these networks.

use netsig_base::algorithm::Collective;
use netsig_base::data::{Dataset, Experiment, LaunchCell};
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::signature::{Signature, SignatureForm};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::sets::{JudgedNetwork, SetGroup, SetSplit};

/// Name, α in seconds, β in seconds per byte, γ, δ in seconds and M in bytes (0: none).
const LAWS: [(&str, f64, f64, f64, f64, u64); 3] = [
    ("fast-ethernet", 6e-5, 8.498e-8, 1.0195, 8.23e-3, 2048),
    ("gigabit-ethernet", 5e-5, 8.502e-9, 4.3628, 4.93e-3, 8192),
    ("myrinet", 1e-5, 4.2e-9, 2.497_54, 0.0, 0),
];

/// The fitted process counts; further counts are judged too.
const FITTED_COUNTS: [&[u32]; 2] = [&[8, 16, 24], &[4, 8, 12, 16, 24]];
const FURTHER_COUNTS: [u32; 3] = [32, 48, 96];

const SIZES: [u64; 11] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
const REPETITIONS: u32 = 10;
const SEED: u64 = 2006;

/// Relative standard deviation of a repetition.
const NOISE: f64 = 0.02;

/// Every law with every list of fitted process counts.
pub fn networks() -> Vec<JudgedNetwork> {
    let mut all = Vec::new();
    for (index, &(name, alpha, beta, gamma, delta, threshold)) in LAWS.iter().enumerate() {
        let base = Hockney::new(Seconds(alpha), SecondsPerByte(beta)).expect("a law of the papers");
        let law = Signature {
            base,
            form: SignatureForm::Full,
            gamma,
            gamma_below: None,
            delta: Seconds(delta),
            threshold: (threshold > 0).then_some(Bytes(threshold)),
        };
        for fitted in FITTED_COUNTS {
            let seed = SEED + index as u64;
            all.push(JudgedNetwork {
                group: SetGroup::Papers,
                machine: name.to_owned(),
                file: format!("{name}-{}", fitted.len()),
                data: law_data(&law, fitted, seed),
                splits: fitted
                    .last()
                    .and_then(|last| Procs::new(*last).ok())
                    .map(SetSplit::UpTo)
                    .into_iter()
                    .collect(),
                judges_fitted: true,
            });
        }
    }
    all
}

/// Repetitions of a ping-pong and of an all-to-all.
fn law_data(law: &Signature, fitted: &[u32], seed: u64) -> Dataset {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut data = Dataset::default();
    let mut add_cell = |experiment, algorithm: &str, procs: Procs, size: Bytes, time: Seconds| {
        for repetition in 0..REPETITIONS {
            let place = LaunchCell {
                launch: 0,
                experiment,
                algorithm: algorithm.into(),
                procs,
                size,
            };
            // The sum of twelve uniform numbers is nearly normal.
            let normal = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
            let noisy_time = Seconds(time.0 * (1.0 + NOISE * normal));
            data.samples.push(place.sample(repetition, noisy_time));
        }
    };
    for size in SIZES.map(Bytes) {
        let two = Procs::new(2).expect("two processes");
        add_cell(Experiment::PingPong, "", two, size, law.base.time(size));
        for count in fitted.iter().chain(&FURTHER_COUNTS) {
            let procs = Procs::new(*count).expect("more than one process");
            let alltoall = Experiment::Collective(Collective::Alltoall);
            add_cell(alltoall, "direct", procs, size, law.time(procs, size));
        }
    }
    data
}
