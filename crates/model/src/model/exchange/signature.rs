//! `exchange_signature`: the contention signature of an exchange that is not uniform. On the
//! uniform exchange it is the signature `full` of the all-to-all.

use super::MessageExchange;
use super::bounds::CLAIM_1;
use crate::model::alltoall::signature::signature;
use crate::model::prelude::*;
use crate::model::signature::{Signature, SignatureForm};

impl MessageExchange {
    /// Time under contention, γ·(per vertex) + δ·max(Δs, Δr)·[mean message ≥ M].
    ///
    /// The time uses base, γ, δ and M of the signature, not its form or its γ below M.
    pub fn signature_time(&self, signature: &Signature) -> Seconds {
        let bounds = self.bounds(&signature.base);
        let is_contended = signature.threshold.is_some_and(|m| self.mean_reaches(m));
        let delays = if is_contended { f64::from(bounds.startups) } else { 0.0 };
        bounds.per_vertex * signature.gamma + signature.delta * delays
    }

    /// True if the mean size of the messages is at least the threshold.
    fn mean_reaches(&self, threshold: Bytes) -> bool {
        self.bytes >= u128::from(threshold.0) * u128::from(self.messages)
    }
}

pub(super) const EXCHANGE_SIGNATURE: Model = Model {
    name: "exchange_signature",
    kind: ModelKind::Contention,
    formula: "T = γ·per_vertex + δ·max(Δ_s, Δ_r)·[mean message ≥ M]",
    source: "netsig, the signature of Steffenel 2006 for exchanges that are not uniform",
    domain: "A saturated network; γ, δ and M of an all-to-all on it.",
    parameters: &[
        ModelParameter::given("gamma", "contention ratio γ", None),
        ModelParameter::given(
            "delta_s",
            "start-up of each simultaneous communication from M on",
            Some(0.0),
        ),
        ModelParameter::given("threshold_bytes", "M, held against the mean message", Some(0.0)),
    ],
    example: WorkedExample::on_network(
        ROUND_NUMBERS,
        "4 processes, 1000 B between any two, α = 50 µs, β = 10 ns/B, γ = 4.3628, δ = 4.93 ms, \
         M = 1000 B",
        0.015_575_304,
        (4, 1000),
    )
    .with_values(&[4.3628, 0.00493, 1000.0]),
    time: |inputs| {
        let signature = signature(inputs, SignatureForm::Full, None, [1, 2])?;
        inputs.evaluate_hockney(|_, procs, size| MessageExchange::uniform(procs, size).signature_time(&signature))
    },
    ..CLAIM_1
};

#[cfg(test)]
mod tests {
    use netsig_base::units::SecondsPerByte;

    use super::*;
    use crate::model::exchange::ZeroMessages;
    use crate::model::hockney::Hockney;
    use crate::testing::{assert_close, matrix};

    #[test]
    fn the_mean_message_decides_about_delta() {
        let signature = |threshold| Signature {
            base: Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8)).unwrap(),
            form: SignatureForm::Full,
            gamma: 2.0,
            gamma_below: None,
            delta: Seconds(1e-3),
            threshold,
        };
        // Mean 1500 bytes; process 0 sends 3000 bytes in two messages: 130 µs.
        let rows = [vec![0, 1000, 2000], vec![0; 3], vec![0; 3]];
        let uneven = matrix(&rows, ZeroMessages::Absent);
        let time = |threshold| uneven.signature_time(&signature(threshold));
        assert_close(time(None), 2.6e-4);
        assert_close(time(Some(Bytes(1500))), 2.26e-3);
        assert_close(time(Some(Bytes(1501))), 2.6e-4);
    }
}
