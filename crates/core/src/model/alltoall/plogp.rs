//! `plogp_a` and `plogp_b`: two orders of the steps of direct exchange in pLogP.

use super::free::{FREE, free};
use crate::model::prelude::*;

/// (P−1)·(g(m) + L): every step waits until its block has come in.
fn in_steps(net: &PLogP, procs: Procs, size: Bytes) -> Seconds {
    net.message(size) * procs.partners()
}

pub(super) const A: Model = Model {
    name: "plogp_a",
    formula: "T = (P−1)·(g(m) + L)",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm A in PlogP",
    domain: "Irecv, Send and Wait in every round; rounds do not overlap.",
    example: Example::on_toy("P = 24, m = 1 MiB", 0.242_552_48, (24, 1 << 20)),
    time: |inputs| inputs.by_plogp(in_steps),
    ..FREE
};

pub(super) const B: Model = Model {
    name: "plogp_b",
    formula: "T = (P−1)·g(m) + L",
    source: "Nomura, Matsuba, Ishikawa 2007, algorithm B in PlogP",
    domain: "All Irecv first, then all Sends, then all Waits; the same as free.",
    example: Example::on_toy("P = 24, m = 1 MiB", 0.241_452_48, (24, 1 << 20)),
    time: |inputs| inputs.by_plogp(free),
    ..FREE
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{procs, table};

    /// When the last of `count` processes holds all blocks: in step t process i sends to
    /// i xor t, and waits for the block of the step or not.
    fn simulate(gap: f64, latency: f64, count: usize, waits: bool) -> f64 {
        let mut clocks = vec![0.0; count];
        let mut end: f64 = 0.0;
        for step in 1..count {
            let arrivals: Vec<f64> = (0..count)
                .map(|i| clocks[i ^ step] + gap + latency)
                .collect();
            for (clock, arrival) in clocks.iter_mut().zip(arrivals) {
                *clock += gap;
                if waits {
                    *clock = arrival.max(*clock);
                }
                end = end.max(arrival);
            }
        }
        end
    }

    #[test]
    fn steps_are_what_a_simulation_of_the_messages_takes() {
        for (count, gap, latency) in [(2, 3.0, 1.0), (8, 2.0, 5.0), (16, 4.0, 0.0)] {
            let net = PLogP::new(crate::model::plogp::Parameters {
                latency: Seconds(latency),
                gap: table(&[(0, gap)]),
                send_overhead: table(&[(0, gap)]),
                receive_overhead: table(&[(0, gap)]),
            })
            .unwrap();
            for (formula, waits) in [(in_steps as fn(&_, _, _) -> _, true), (free, false)] {
                let time = formula(&net, procs(count), Bytes(1));
                assert_eq!(time, Seconds(simulate(gap, latency, count as usize, waits)));
            }
        }
    }
}
