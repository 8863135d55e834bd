//! Exchanges for Python: sizes from pair to pair, from a matrix or a file, and the lower bounds of any exchange.

use itertools::iproduct;
use netsig_base::algorithm::{Collective, PairSizes};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Rank, Seconds, SecondsPerByte};
use netsig_model::model::exchange::{
    BoundsRequest, ExchangeArc, MessageExchange, StepSynchrony, ZeroMessages, parse_pair_sizes, refuse_many_pairs,
};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::signature::{Signature, SignatureForm};
use pyo3::prelude::*;

use crate::arguments::{PyNumberOrText, given_duration, parsed};
use crate::columns::ArrowColumns;
use crate::error::{refused, usage};
use crate::files;
use crate::grid::size_matrix;
use crate::table::PyResultTable;

/// The sizes from pair to pair of an alltoallv, if they are given, from a matrix or a file.
///
/// # Errors
/// If they cannot be read, or the collective is another.
pub fn given_pairs(exchange: Option<&Bound<'_, PyAny>>, collective: Collective) -> PyResult<Option<PairSizes>> {
    let Some(exchange) = exchange else {
        return Ok(None);
    };
    let py = exchange.py();
    if collective != Collective::Alltoallv {
        let problem =
            format!("exchange has the sizes of an alltoallv; give the collective alltoallv, not {collective}");
        return Err(usage(py, problem));
    }
    if let Some((name, text)) = file(exchange)? {
        return parse_pair_sizes(&name, &text)
            .map(Some)
            .map_err(|error| refused(py, error));
    }
    let (procs, sizes) = size_matrix(exchange, "exchange")?;
    refuse_many_pairs(procs).map_err(|problem| usage(py, format!("exchange: {problem}")))?;
    let size = |from: Rank, to: Rank| sizes[place(procs, from, to)];
    Ok(Some(PairSizes::new(procs, size)))
}

/// Place of a pair in the rows of a matrix.
fn place(procs: Procs, from: Rank, to: Rank) -> usize {
    from.0 as usize * procs.get() as usize + to.0 as usize
}

/// Name and text of the file that a path names; `None` for a matrix.
fn file(exchange: &Bound<'_, PyAny>) -> PyResult<Option<(String, String)>> {
    let Ok((path, name)) = files::path(exchange) else {
        return Ok(None);
    };
    let text = files::text(exchange.py(), &path, &name)?;
    Ok(Some((name, text)))
}

/// The exchange of a matrix or a file.
fn message_exchange(exchange: &Bound<'_, PyAny>, zero: ZeroMessages) -> PyResult<MessageExchange> {
    let py = exchange.py();
    if let Some((name, text)) = file(exchange)? {
        return MessageExchange::parse(&name, &text, zero).map_err(|error| refused(py, error));
    }
    let (procs, sizes) = size_matrix(exchange, "exchange")?;
    let ranks = || (0..procs.get()).map(Rank);
    let arc = |(from, to)| ExchangeArc {
        from,
        to,
        size: sizes[place(procs, from, to)],
    };
    let arcs = iproduct!(ranks(), ranks()).map(arc).collect();
    MessageExchange::new(procs, arcs, zero).map_err(|error| refused(py, Refusal::request(error)))
}

/// Lower bounds of a message exchange that need not be uniform, as ``netsig bounds``.
///
/// Parameters
/// ----------
/// exchange : array of int, str or os.PathLike
///     A square matrix of sizes in bytes, whose row i holds the messages of process i; or a file with
///     such a matrix, or with arcs under the header ``from,to,size_bytes``.
/// alpha : float or str
///     Start-up time of a message, in seconds or with a unit.
/// beta : float or str
///     Time of a byte, in seconds or with a unit.
/// synchronous : bool
///     All processes start each of their messages together.
/// count_zero_messages : bool
///     Empty messages cost their start-up.
/// gamma : float, optional
///     The contention ratio of a signature, whose time is a further row.
/// delta : float or str
///     Extra time of each simultaneous communication from the ``threshold`` on.
/// threshold : int or str
///     Mean message size from which ``delta`` counts, in bytes.
///
/// Returns
/// -------
/// Table
///     Columns ``bound``, ``time_s``, ``applies`` and ``meaning``.
///
/// Raises
/// ------
/// UsageError
///     If the matrix is not square, or an argument cannot be used.
#[pyfunction]
#[pyo3(
    signature = (
        exchange, alpha, beta, *, synchronous=false, count_zero_messages=false, gamma=None,
        delta=PyNumberOrText::Number(0.0), threshold=PyNumberOrText::Number(0.0)
    ),
    text_signature = "(exchange, alpha, beta, *, synchronous=False, count_zero_messages=False, gamma=None, delta=0.0, threshold=0)"
)]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn bounds(
    py: Python<'_>,
    exchange: &Bound<'_, PyAny>,
    alpha: PyNumberOrText,
    beta: PyNumberOrText,
    synchronous: bool,
    count_zero_messages: bool,
    gamma: Option<f64>,
    delta: PyNumberOrText,
    threshold: PyNumberOrText,
) -> PyResult<PyResultTable> {
    let zero_messages = if count_zero_messages {
        ZeroMessages::Counted
    } else {
        ZeroMessages::Absent
    };
    let alpha_time = given_duration(py, "alpha", alpha)?;
    let beta_time = given_duration(py, "beta", beta)?;
    let hockney = Hockney::new(alpha_time, SecondsPerByte(beta_time.0));
    let base = hockney.map_err(|error| usage(py, error))?;
    let messages = message_exchange(exchange, zero_messages)?;
    let threshold_text = threshold.into_text();
    let threshold_size: Bytes = parsed(py, "threshold", &threshold_text, threshold_text.parse())?;
    let delta_time: Seconds = given_duration(py, "delta", delta)?;
    let signature = gamma.map(|gamma| {
        let unchecked_signature = Signature {
            base,
            form: SignatureForm::Full,
            gamma,
            gamma_below: None,
            delta: delta_time,
            threshold: Some(threshold_size),
        };
        unchecked_signature.checked().map_err(|error| usage(py, error))
    });
    let request = BoundsRequest {
        exchange: &messages,
        base,
        stepping: if synchronous {
            StepSynchrony::Synchronous
        } else {
            StepSynchrony::Asynchronous
        },
        signature: signature.transpose()?,
    };
    let rows = request.rows().map_err(|error| refused(py, error))?;
    let columns = ArrowColumns::default()
        .words("bound", rows.iter().map(|row| row.name))
        .floats("time_s", rows.iter().map(|row| Some(row.time.0)))
        .words("applies", rows.iter().map(|row| row.applies))
        .words("meaning", rows.iter().map(|row| row.meaning));
    Ok(columns.batch().into())
}
