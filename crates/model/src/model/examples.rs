//! Worked examples: inputs in words, the same inputs as values, and the expected result.

use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

use super::case::{Case, KnownNetwork, ParameterValues, SegmentChoice};
use super::hockney::Hockney;
use super::plogp::{PLogP, PLogPParameters};
use super::segment::Segment;

/// A worked example.
#[derive(Debug, Clone, Copy)]
pub struct WorkedExample {
    /// The case in words.
    pub inputs: &'static str,
    /// The value that the formula must give.
    pub expected: f64,
    /// The unit of that value.
    pub unit: &'static str,
    pub(super) network: ExampleNetwork,
    /// The values of the model's parameters.
    pub(super) values: &'static [f64],
    /// L(m), the same at every size, for the model `tam` only.
    pub(super) latency: Option<Seconds>,
    /// Process count n and bytes m.
    pub(super) case: (u32, u64),
    /// Segment size s, for segmented algorithms.
    pub(super) segment: Option<u64>,
}

/// The network of an example.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExampleNetwork {
    /// α in seconds and β in seconds per byte.
    Hockney(f64, f64),
    /// The tables of [`toy_network`], which [`WorkedExample::inputs_in_words`] appends to the inputs.
    Toy,
    /// The toy network, and ω = 1 ns/B.
    ToyOperation,
    /// A network with further known properties.
    Known(fn() -> KnownNetwork),
}

/// The Fast Ethernet of Steffenel 2006: α about 60 µs, β of 94.1 Mbit/s assumed.
pub(super) const FAST_ETHERNET: ExampleNetwork = ExampleNetwork::Hockney(6e-5, 8.498e-8);

/// The Gigabit Ethernet of Steffenel 2006: β is its `β_F`, α = 50 µs assumed.
pub(super) const GIGABIT_ETHERNET: ExampleNetwork = ExampleNetwork::Hockney(5e-5, 8.502e-9);

/// A network with round numbers: α = 50 µs, β = 10 ns/B.
pub(super) const ROUND_NUMBERS: ExampleNetwork = ExampleNetwork::Hockney(5e-5, 1e-8);

impl WorkedExample {
    /// An example on a network, n = `case.0` and m = `case.1`.
    pub(super) const fn on_network(
        network: ExampleNetwork,
        inputs: &'static str,
        expected: f64,
        case: (u32, u64),
    ) -> Self {
        Self {
            inputs,
            expected,
            unit: "s",
            network,
            values: &[],
            latency: None,
            case,
            segment: None,
        }
    }

    /// An example on the toy network.
    pub(super) const fn on_toy(inputs: &'static str, expected: f64, case: (u32, u64)) -> Self {
        Self::on_network(ExampleNetwork::Toy, inputs, expected, case)
    }

    /// The same example with these parameter values.
    pub(super) const fn with_values(self, values: &'static [f64]) -> Self {
        Self { values, ..self }
    }

    /// The same example with a message in segments of this many bytes.
    pub(super) const fn in_segments(self, segment: u64) -> Self {
        let segment = Some(segment);
        Self { segment, ..self }
    }

    /// The same example with another expected result, for another formula.
    pub(super) const fn with_expected(self, expected: f64) -> Self {
        Self { expected, ..self }
    }

    /// All inputs in words.
    pub fn inputs_in_words(&self) -> String {
        const TOY: &str = "; L = 50 µs, g(m) = 10 µs + 10 ns/B·m, os(m) = 5 µs + 4 ns/B·m, or(m) = 6 µs + 5 ns/B·m";
        let (network_words, operation) = match self.network {
            ExampleNetwork::Toy => (TOY, ""),
            ExampleNetwork::ToyOperation => (TOY, ", ω = 1 ns/B"),
            ExampleNetwork::Hockney(..) | ExampleNetwork::Known(_) => ("", ""),
        };
        format!("{}{network_words}{operation}", self.inputs)
    }

    /// The network.
    pub fn known_network(&self) -> KnownNetwork {
        self.inputs().0
    }

    /// The inputs as arguments of [`Model::time`](super::Model::time).
    pub(super) fn inputs(&self) -> (KnownNetwork, ParameterValues, Case) {
        let known = match self.network {
            ExampleNetwork::Hockney(alpha, beta) => hockney_network(alpha, beta),
            ExampleNetwork::Toy => toy_network(),
            ExampleNetwork::ToyOperation => KnownNetwork {
                operation: SecondsPerByte(1e-9),
                ..toy_network()
            },
            ExampleNetwork::Known(known) => known(),
        };
        let table = |latency| SizeTable::new("L", vec![(Bytes(0), latency)]).expect("one size");
        let values = ParameterValues {
            numbers: self.values.to_vec(),
            latency: self.latency.map(table),
        };
        let (procs, size) = self.case;
        let mut case = Case::new(Procs::new(procs).expect("not zero"), Bytes(size));
        if let Some(segment) = self.segment {
            case.segments = SegmentChoice::Fixed(Segment::new(Bytes(segment)).expect("not zero"));
        }
        (known, values, case)
    }
}

/// g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, or = 6 µs + 5 ns/B·m, L = 50 µs; α and β
/// follow from them: 60 µs and 10 ns/B.
pub(super) fn toy_network() -> KnownNetwork {
    let line = |at_zero: f64, slope: f64| {
        let row = |size: u64| (Bytes(size), Seconds(at_zero + slope * size as f64));
        SizeTable::new("toy", vec![row(0), row(1 << 24)]).expect("two ascending sizes")
    };
    let plogp = PLogP::new(PLogPParameters {
        latency: Seconds(5e-5),
        gap: line(1e-5, 1e-8),
        send_overhead: line(5e-6, 4e-9),
        receive_overhead: line(6e-6, 5e-9),
    });
    KnownNetwork {
        plogp: plogp.expect("positive numbers"),
        ..hockney_network(6e-5, 1e-8)
    }
}

/// Hockney's model alone, α in seconds and β in seconds per byte.
pub(super) fn hockney_network(alpha: f64, beta: f64) -> KnownNetwork {
    let model = Hockney::new(Seconds(alpha), SecondsPerByte(beta));
    KnownNetwork::of(model.expect("positive numbers"), None)
}
