//! `adve`: the time of a parallel program as the sum of four times.
//!
//! # Domain
//! Programs whose four times have been found by other means. The papers that quote the model
//! call the last two difficult: contention is not deterministic, and the mean delay of a
//! synchronisation is hard to estimate.
//!
//! # Source
//! V. Adve, doctoral thesis, University of Wisconsin, 1993, as quoted by Barchet-Steffenel and
//! Mounié 2005 (PPAM) §3 and Steffenel, Martinasso, Trystram 2007 (GPC) eq. 2.

use super::prelude::*;

pub(super) const ADVE: Model = Model {
    name: "adve",
    kind: ModelKind::Contention,
    formula: "T = t_computation + t_communication + t_resource-contention + t_synchronisation",
    source: "Adve 1993, as quoted in Steffenel, Martinasso, Trystram 2007, eq. 2",
    domain: "An account of where time goes; the contention signature models its third term.",
    needs: &[],
    parameters: &[
        ModelParameter::given("computation_s", "t_computation", None),
        ModelParameter::given("communication_s", "t_communication", None),
        ModelParameter::given("resource_contention_s", "t_resource-contention", None),
        ModelParameter::given("synchronisation_s", "t_synchronisation", None),
    ],
    example: WorkedExample::on_network(ROUND_NUMBERS, "1 s, 0.5 s, 0.25 s, 0.125 s", 1.875, (2, 1000))
        .with_values(&[1.0, 0.5, 0.25, 0.125]),
    time: |inputs| {
        let mut total = 0.0;
        for part in 0..4 {
            total += inputs.non_negative(part)?;
        }
        Ok(Seconds(total).into())
    },
    ..Model::of_subject(ModelSubject::Program)
};
