//! The networks and cases of the worked examples.

use super::case::{Case, Known, Segments, Values};
use super::entry::Example;
use super::hockney::Hockney;
use super::plogp::{PLogP, Parameters};
use super::segment::Segment;
use crate::units::table::Table;
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

/// g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, or = 6 µs + 5 ns/B·m, L = 50 µs; α and β
/// follow from them: 60 µs and 10 ns/B.
pub(super) fn toy() -> Known {
    let table = |at_zero: f64, slope: f64| {
        let row = |size: u64| (Bytes(size), Seconds(at_zero + slope * size as f64));
        Table::new("toy", vec![row(0), row(1 << 24)]).expect("two ascending sizes")
    };
    let plogp = PLogP::new(Parameters {
        latency: Seconds(5e-5),
        gap: table(1e-5, 1e-8),
        send_overhead: table(5e-6, 4e-9),
        receive_overhead: table(6e-6, 5e-9),
    });
    let plogp = plogp.expect("positive numbers");
    Known {
        plogp,
        ..hockney(6e-5, 1e-8)
    }
}

/// Hockney's model alone, α in seconds and β in seconds per byte.
pub(super) fn hockney(alpha: f64, beta: f64) -> Known {
    let model = Hockney::new(Seconds(alpha), SecondsPerByte(beta)).expect("positive numbers");
    Known {
        hockney: model,
        plogp: PLogP::from_hockney(&model),
        signature: None,
        tree: None,
    }
}

/// The Fast Ethernet of Steffenel 2006: α about 60 µs, β of 94.1 Mbit/s assumed.
pub(super) fn fast_ethernet() -> Known {
    hockney(6e-5, 8.498e-8)
}

/// The Gigabit Ethernet of Steffenel 2006: β its `β_F`, α = 50 µs assumed.
pub(super) fn gigabit_ethernet() -> Known {
    hockney(5e-5, 8.502e-9)
}

/// Parameter values.
pub(super) fn values(numbers: &[f64]) -> Values {
    Values {
        numbers: numbers.to_vec(),
        latency: None,
    }
}

/// n = `procs` and m = `size`.
pub(super) fn case(procs: u32, size: u64) -> Case {
    Case::new(Procs::new(procs).expect("not zero"), Bytes(size))
}

/// The same, cut into segments of `segment` bytes.
pub(super) fn in_segments(procs: u32, size: u64, segment: u64) -> Case {
    Case {
        segments: Segments::Of(Segment::new(Bytes(segment)).expect("not zero")),
        ..case(procs, size)
    }
}

/// An example that `inputs` tell in full, α and β included.
pub(super) const fn on_hockney(
    inputs: &'static str,
    expected: f64,
    known: fn() -> Known,
    case: fn() -> Case,
) -> Example {
    Example {
        inputs,
        expected,
        unit: "s",
        on: "",
        known,
        values: Values::default,
        case,
    }
}

/// An example on the toy network.
pub(super) const fn on_toy(inputs: &'static str, expected: f64, case: fn() -> Case) -> Example {
    Example {
        inputs,
        expected,
        unit: "s",
        on: "L = 50 µs, g(m) = 10 µs + 10 ns/B·m, os(m) = 5 µs + 4 ns/B·m, or(m) = 6 µs + 5 ns/B·m",
        known: toy,
        values: Values::default,
        case,
    }
}
