//! Data survive being written, and no text makes a parser panic.

use netsig_base::algorithm::{COLLECTIVES, Collective, CollectiveMethod};
use netsig_base::data::{Dataset, Experiment, LaunchCell, LossCounters, Provenance, Sample};
use netsig_base::units::list::QuantityList;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::model::exchange::{MessageExchange, ZeroMessages};
use netsig_model::profile::Profile;
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{hockney, procs};
use crate::seeded;

fn any_sample() -> impl Strategy<Value = Sample> {
    let measured = select(vec![
        (Experiment::PingPong, ""),
        (Experiment::Collective(Collective::Alltoall), "throttled:3"),
        (Experiment::Collective(Collective::Bcast), "tree:radix=2,segment=8"),
    ]);
    let numbers = (1..5000u32, any::<u64>(), any::<[u32; 3]>(), 1e-9..1e6f64);
    let counters = prop::array::uniform5(prop::option::of(any::<u32>()));
    (measured, numbers, counters).prop_map(|((experiment, algorithm), numbers, counters)| {
        let (count, size, [launch, repetition, part], time) = numbers;
        let [retransmits, rtos, tail_probes, softnet_drops, longest_processor_wait_us] = counters;
        let place = LaunchCell {
            experiment,
            algorithm: algorithm.into(),
            procs: procs(count),
            size: Bytes(size),
            launch,
        };
        Sample {
            losses: LossCounters {
                retransmits,
                rtos,
                tail_probes,
                softnet_drops,
                longest_processor_wait_us,
            },
            part,
            sync_error: rtos.map(|_| Seconds(time)),
            ..place.sample(repetition, Seconds(time))
        }
    })
}

proptest! {
    #![proptest_config(seeded::cases(256))]

    #[test]
    fn data_survive_being_written(
        samples in prop::collection::vec(any_sample(), 0..20),
        fact in "[ -~]{0,30}",
    ) {
        let mut provenance = Provenance::default();
        provenance.push("fact", fact);
        let completed = samples.iter().map(|s| s.cell.clone()).collect();
        let data = Dataset { provenance, samples, completed, ..Dataset::default() };
        let mut text = Vec::new();
        data.write(&mut text).unwrap();
        prop_assert_eq!(Dataset::read("data.csv", text.as_slice()).unwrap(), data);
    }

    #[test]
    fn no_text_makes_a_parser_panic(
        text in r#"(from,to,size_bytes\n)?([0-9]{0,21}|[,\n# "a-]|16777215|-1|\PC){0,40}"#,
        zero in select(vec![ZeroMessages::Absent, ZeroMessages::Counted]),
    ) {
        let _ = text.parse::<QuantityList<Bytes>>();
        let _ = text.parse::<QuantityList<Procs>>();
        let _ = Dataset::read("data.csv", text.as_bytes());
        let _ = Profile::parse("profile.toml", &text);
        for &collective in COLLECTIVES {
            let _ = CollectiveMethod::parse(collective, &text);
            let _ = CollectiveMethod::parse(collective, &format!("library:{text}"));
        }
        match MessageExchange::parse("x.csv", &text, zero) {
            Ok(exchange) => prop_assert!(exchange.bounds(&hockney(1e-4, 1e-8)).claim3.0.is_finite()),
            Err(error) => prop_assert!(error.to_string().starts_with("x.csv:")),
        }
    }
}
