//! The fitted field of an algorithm, as a profile stores it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use itertools::Itertools as _;
use nalgebra::DMatrix;
use netsig_base::algorithm::{Collective, DOUBLE};
use netsig_base::network::Network;
use netsig_base::stats::interval::check_confidence;
use netsig_base::stats::sample::median;
use netsig_base::units::parameter::{finite, non_negative};
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use serde::{Deserialize, Serialize};

use super::contention_free::{ContentionFreeForm, ContentionFreeTime, FieldLibrary, FieldWire};
use super::context::FieldContext;
use super::fit;
use super::table::FieldTable;
use crate::fitted::domain::MeasuredDomain;
use crate::fitted::error::FitError;
use crate::fitted::{ContentionModel, ParameterValue};
use crate::model::{self, FIELD, Model};
use crate::regimes::fit::CellObservation;

/// The field of one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldEntry {
    /// The measured collective.
    pub collective: Collective,
    /// Algorithm that ran the collective.
    pub algorithm: String,
    /// Algorithm whose start-ups and bytes T₀ has; for a library's own choice, the likeliest algorithm.
    pub free_time_of: String,
    /// Time of a start-up in T₀.
    pub startup_s: Seconds,
    /// Time of a byte in T₀.
    pub byte_s: SecondsPerByte,
    /// Times between two processes, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<FieldWire>,
    /// Ranks on a host.
    pub per_host: u32,
    /// Length of an element of the vectors that are reduced, if it is not that of a double.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_bytes: Option<Bytes>,
    /// Bytes through a port of an exchange beyond which repetitions may stall: the largest measured value. Set only
    /// if messages travel by TCP over Ethernet and nothing was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalls_beyond_bytes: Option<Bytes>,
    /// Confidence level of the intervals.
    pub confidence: f64,
    /// Standard deviation of ln T of one repetition; `None` if no repetitions are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scatter: Option<f64>,
    /// γ and its deviation.
    pub ratio: FieldTable,
    /// Measured process counts and sizes.
    pub domain: MeasuredDomain,
}

/// A fitted field, its cross-validated times, and its largest load of a port.
#[derive(Debug, Clone)]
pub struct FieldFit {
    /// The field.
    pub entry: FieldEntry,
    /// Time of every cell, predicted without the cells of its process count.
    pub left_out: BTreeMap<(Procs, Bytes), Seconds>,
    /// Largest number of bytes through a port in a measured exchange; 0 for other algorithms.
    pub most_port_bytes: f64,
}

impl FieldFit {
    /// Fits the field to the cells of an algorithm.
    ///
    /// # Errors
    /// If there are fewer than two cells, or no traffic pattern describes the algorithm.
    pub fn of(
        collective: Collective,
        algorithm: &str,
        cells: &[CellObservation],
        context: &FieldContext,
    ) -> Result<Self, FitError> {
        let forms = ContentionFreeForm::candidates(collective, algorithm, context.library());
        let fitted_field = fit::fit(cells, &forms, context)?;
        let known = cells
            .iter()
            .filter(|cell| cell.averaged.is_none() && cell.unstalled > 1);
        let spreads = known.map(|cell| cell.spread).collect_vec();
        let port_bytes = |cell: &CellObservation| {
            let form = &fitted_field.form;
            form.port_bytes(cell.procs, cell.size, context.network)
        };
        let most_port_bytes = cells.iter().filter_map(port_bytes).fold(0.0, f64::max);
        let entry = FieldEntry {
            collective,
            algorithm: algorithm.to_owned(),
            free_time_of: fitted_field.form.algorithm,
            startup_s: Seconds(fitted_field.byte * fitted_field.balance),
            byte_s: SecondsPerByte(fitted_field.byte),
            pairs: context
                .point_to_point
                .as_ref()
                .map(|pair_times| pair_times.wire.clone()),
            per_host: context.per_host,
            element_bytes: (context.element != DOUBLE).then_some(context.element),
            stalls_beyond_bytes: None,
            confidence: context.confidence,
            scatter: (!spreads.is_empty()).then(|| median(spreads)),
            ratio: fitted_field.table,
            domain: MeasuredDomain::of(cells.iter().map(|cell| (cell.procs, cell.size))).expect("a fit has cells"),
        };
        Ok(Self {
            entry,
            left_out: fitted_field.left_out,
            most_port_bytes,
        })
    }
}

impl FieldEntry {
    fn library<'a>(&self, mpi: Option<&'a str>) -> FieldLibrary<'a> {
        FieldLibrary {
            mpi,
            element: self.element_bytes.unwrap_or(DOUBLE),
        }
    }

    /// T₀ on a network; `mpi` names the library of the data. `None` if no traffic pattern describes the algorithm.
    pub(super) fn contention_free_time<'a>(
        &self,
        mpi: Option<&str>,
        network: Option<&'a Network>,
    ) -> Option<ContentionFreeTime<'a>> {
        let form = ContentionFreeForm::of(self.collective, &self.free_time_of, self.library(mpi))?;
        let wire = self.pairs.clone().unwrap_or_else(FieldWire::unit);
        Some(ContentionFreeTime::new(
            form,
            self.startup_s,
            self.byte_s,
            wire,
            network,
        ))
    }

    /// T₀ of a case on a network without known links; `mpi` names the library of the data. `None` if no traffic
    /// pattern describes the algorithm.
    pub(crate) fn time_without_contention(&self, mpi: Option<&str>, procs: Procs, size: Bytes) -> Option<Seconds> {
        Some(self.contention_free_time(mpi, None)?.time_of(procs, size))
    }
}

impl ContentionModel for FieldEntry {
    fn entry(&self) -> &'static Model {
        model::find(self.collective, FIELD).expect("a collective of equal pieces has a field")
    }

    fn collective(&self) -> Option<Collective> {
        Some(self.collective)
    }

    fn algorithm(&self) -> &str {
        &self.algorithm
    }

    fn domain(&self) -> &MeasuredDomain {
        &self.domain
    }

    /// γ is the value at the largest measured process count and size.
    fn parameters(&self) -> Vec<(String, ParameterValue)> {
        let most = self.domain.procs.last().expect("a domain has process counts");
        let gamma = self.ratio.at(*most, self.domain.largest).gamma;
        let named = [
            ("startup_s", self.startup_s.0),
            ("byte_s", self.byte_s.0),
            ("gamma", gamma),
        ];
        let parameters = named.map(|(name, value)| (name.to_owned(), ParameterValue::Plain(value)));
        parameters.into()
    }

    fn covariance(&self) -> (Vec<&str>, &DMatrix<f64>) {
        static NONE: LazyLock<DMatrix<f64>> = LazyLock::new(|| DMatrix::zeros(0, 0));
        (Vec::new(), &NONE)
    }

    fn check(&self) -> Result<(), String> {
        if model::find(self.collective, FIELD).is_err() {
            return Err(format!("{} has no field", self.collective));
        }
        if ContentionFreeForm::of(self.collective, &self.free_time_of, self.library(None)).is_none() {
            return Err(format!(
                "free_time_of = {:?} is no algorithm whose messages are known",
                self.free_time_of
            ));
        }
        non_negative("startup_s", self.startup_s.0)?;
        if finite("byte_s", self.byte_s.0)? <= 0.0 {
            return Err("byte_s must be above 0".to_owned());
        }
        if self
            .pairs
            .as_ref()
            .is_some_and(|field_wire| field_wire.wire.beta().0 <= 0.0)
        {
            return Err("pairs.wire.beta_s_per_byte must be above 0".to_owned());
        }
        non_negative("scatter", self.scatter.unwrap_or(0.0))?;
        check_confidence(self.confidence)?;
        self.ratio.check().map_err(|what| format!("ratio.{what}"))?;
        self.domain.check()
    }
}
