//! Agreement of all ranks of a communicator on a decision. Inside a collective call of all ranks, rank 0 decides and
//! broadcasts; then each rank says whether it can follow.
//!
//! The first call of a collective on a communicator always agrees, whatever its arguments are. So all ranks learn of
//! arguments that differ between ranks, or that one rank refuses. They then leave the collective on this communicator
//! to the MPI library: programs know its answer to wrong arguments.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use mpi::ffi;
use netsig_base::algorithm::{Algorithm, ClusterLayout, PairSizes};
use netsig_base::units::{Bytes, Rank};
use netsig_model::predict::result_rule::OrderDependence;
use netsig_mpi::{MpiError, SegmentOrder};

use crate::call::{MOST_BYTES, PairPieces, is_in_place};
use crate::choice::{CallQuestion, CombinedElements};
use crate::decision::CallDecision;
use crate::member::CommMember;
use crate::operation::CalledOperation;
use crate::reduction::{largest, sum};
use crate::size_class::{class, least_size};

/// The ranks that agree: those of a communicator of the program.
#[derive(Clone, Copy)]
pub struct AgreeingRanks<'a> {
    /// The program's communicator.
    pub comm: ffi::MPI_Comm,
    /// This process in it.
    pub member: CommMember,
    /// Clusters of the processes, where they are known.
    pub layout: Option<&'a ClusterLayout>,
    /// Tag of the messages on the communicator, if it has one. Rank 0 knows it; the other ranks get it with a decision.
    pub tag: &'a OnceLock<c_int>,
}

/// The properties of a call that must be equal on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTerms {
    /// The operation.
    pub operation: CalledOperation,
    /// The root, where there is one.
    pub root: c_int,
    /// Class of the sizes of pieces, or its substitute.
    pub kind: PieceKind,
}

/// Class of the sizes of pieces, or its substitute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// Pieces of one size, of this class.
    Class(u32),
    /// Vectors of so many elements of this length.
    Vector {
        /// Number of elements.
        elements: u64,
        /// Length of an element in bytes.
        element: u64,
        /// How the result depends on the order of the operands.
        dependence: OrderDependence,
        /// True for an operation of the program.
        is_of_program: bool,
    },
    /// Pieces whose sizes differ from pair to pair.
    ByPair,
    /// A call that is passed on in any case.
    Passed,
}

/// The functions by which rank 0 decides and each rank checks that it can follow.
pub struct AgreementRules<D, F> {
    /// The decision for a question; asked on rank 0.
    pub decide: D,
    /// True if this rank can run the algorithm for the call.
    pub can_follow: F,
}

/// The result of an agreement.
#[derive(Debug, PartialEq)]
pub enum AgreementOutcome {
    /// A decision.
    Decided(CallDecision),
    /// The arguments contradict each other: all calls of the collective are left to the MPI library.
    LeftToLibrary,
}

/// Reason for a collective that is left to the MPI library.
pub const CONTRADICTING: &str = "arguments that differ between ranks, or that MPI refuses";

/// Length of the broadcast decision in bytes.
const LINE_BYTES: usize = 320;

/// Most processes of an exchange that is decided by the lengths of all its pieces.
pub const MOST_PROCS: u32 = 512;

/// Agrees on a call with pieces of one size. `terms` belong to this rank's call; `None` if MPI refuses it.
///
/// # Errors
/// If an MPI call fails.
pub fn agree_on_equal_pieces<D: FnOnce(CallQuestion) -> CallDecision, F: FnOnce(Algorithm) -> bool>(
    rules: AgreementRules<D, F>,
    party: AgreeingRanks,
    terms: Option<CallTerms>,
) -> Result<AgreementOutcome, MpiError> {
    let AgreementRules { decide, can_follow } = rules;
    let question = |terms: CallTerms| {
        let (size, combined) = match terms.kind {
            PieceKind::Class(class) => (Bytes(least_size(class)), None),
            PieceKind::Vector {
                elements,
                element,
                dependence,
                is_of_program,
            } => {
                let combined = CombinedElements {
                    element: Bytes(element),
                    dependence,
                    is_of_program,
                };
                let least = least_size(class(elements * element));
                (Bytes(least.next_multiple_of(element)), Some(combined))
            }
            PieceKind::ByPair | PieceKind::Passed => return CallDecision::library(""),
        };
        decide(CallQuestion {
            operation: terms.operation,
            procs: party.member.procs,
            size,
            combined,
            pairs: None,
            layout: party.layout,
        })
    };
    agreed_decision(party, terms, question, can_follow)
}

/// Agrees on an exchange of pieces of different sizes. Rank 0 gathers the lengths of all ranks and decides by their
/// mean.
///
/// # Errors
/// If an MPI call fails.
pub fn agree_by_pair<D: FnOnce(CallQuestion) -> CallDecision, F: FnOnce(Algorithm) -> bool>(
    rules: AgreementRules<D, F>,
    party: AgreeingRanks,
    terms: Option<CallTerms>,
    sides: [PairPieces; 2],
) -> Result<AgreementOutcome, MpiError> {
    let AgreementRules { decide, can_follow } = rules;
    let AgreeingRanks { comm, member, .. } = party;
    let this_lengths = terms.map(|_| lengths_of_rank(member, sides));
    let lengths = gather_lengths(comm, member, this_lengths)?;
    let consistent_terms = terms.filter(|_| member.rank != Rank(0) || are_consistent(member, &lengths));
    let question = |terms: CallTerms| {
        let count = member.procs.get() as usize;
        let row = 2 * count + 1;
        let sent = |from: usize, to: usize| lengths[from * row + to];
        let place = |rank: Rank| rank.0 as usize;
        let pairs = PairSizes::new(member.procs, |from, to| Bytes(sent(place(from), place(to))));
        let mean = pairs.mean();
        if mean == Bytes(0) {
            return CallDecision::library("no data");
        }
        let is_much = |rank: &[u64]| {
            let sum = |all: &[u64]| all.iter().fold(0u64, |sum, length| length.saturating_add(sum));
            sum(&rank[..count]) > MOST_BYTES || sum(&rank[count..2 * count]) > MOST_BYTES
        };
        if lengths.chunks(row).any(is_much) {
            return CallDecision::library("more than 2 GiB");
        }
        let question = CallQuestion {
            operation: terms.operation,
            procs: member.procs,
            size: mean,
            combined: None,
            pairs: Some(&pairs),
            layout: party.layout,
        };
        // All exchanges of a class share one row of the report. With a root, a piece of each rank has data.
        let rows = if terms.operation.has_root() { count as u64 } else { 1 };
        let size = Bytes(least_size(class(mean.0.saturating_mul(rows))));
        // A single port of a root is busy in any order.
        let order = if pairs.is_sparse() && !terms.operation.has_root() {
            SegmentOrder::Together
        } else {
            SegmentOrder::ByGroup
        };
        CallDecision {
            size,
            order,
            ..decide(question)
        }
    };
    agreed_decision(party, consistent_terms, question, can_follow)
}

/// The lengths that this rank sends to each rank, followed by those that it receives from each.
fn lengths_of_rank(member: CommMember, [send, receive]: [PairPieces; 2]) -> Vec<u64> {
    let send = if is_in_place(send.buffer) { receive } else { send };
    let lengths = |side: PairPieces| {
        // SAFETY: the program gives a number for each rank.
        let all = unsafe { side.lengths(member.procs) };
        all.map(Option::unwrap_or_default).collect::<Vec<u64>>()
    };
    [lengths(send), lengths(receive)].concat()
}

/// On rank 0, a row for each rank: the lengths that it sends, the lengths that it receives, and 1. The row is zero if
/// MPI refuses the call of the rank.
fn gather_lengths(comm: ffi::MPI_Comm, member: CommMember, lengths: Option<Vec<u64>>) -> Result<Vec<u64>, MpiError> {
    let count = member.procs.get() as usize;
    let row = 2 * count + 1;
    let mut this_row = lengths.map_or_else(Vec::new, |mut with_flag| {
        with_flag.push(1);
        with_flag
    });
    this_row.resize(row, 0);
    let is_root = member.rank == Rank(0);
    let mut all = vec![0u64; if is_root { count * row } else { 0 }];
    let length = c_int::try_from(8 * row).unwrap_or(c_int::MAX);
    // SAFETY: the arrays have the stated lengths, at the root one for each rank.
    let code = unsafe {
        ffi::PMPI_Gather(
            this_row.as_ptr().cast(),
            length,
            ffi::RSMPI_UINT8_T,
            all.as_mut_ptr().cast(),
            length,
            ffi::RSMPI_UINT8_T,
            0,
            comm,
        )
    };
    MpiError::check(code).map(|()| all)
}

/// True if senders and receivers give the same lengths, and MPI refuses no rank's arguments.
fn are_consistent(member: CommMember, lengths: &[u64]) -> bool {
    let count = member.procs.get() as usize;
    let row = 2 * count + 1;
    let is_fine = |from: usize| lengths[from * row + 2 * count] == 1;
    let agree = |from: usize, to: usize| lengths[from * row + to] == lengths[to * row + count + from];
    (0..count).all(|from| is_fine(from) && (0..count).all(|to| agree(from, to)))
}

/// Broadcasts the decision of rank 0 and its tag, and agrees on it.
fn agreed_decision(
    party: AgreeingRanks,
    terms: Option<CallTerms>,
    decide: impl FnOnce(CallTerms) -> CallDecision,
    can_follow: impl FnOnce(Algorithm) -> bool,
) -> Result<AgreementOutcome, MpiError> {
    let AgreeingRanks { comm, member, tag, .. } = party;
    let mut line = [0u8; LINE_BYTES];
    if member.rank == Rank(0) {
        let tag = tag.get().map(ToString::to_string).unwrap_or_default();
        let decided = terms.map(|terms| format!("{terms}\t{}", decide(terms).to_line()));
        let text = format!("{tag}\t{}", decided.unwrap_or_default());
        for (place, byte) in line.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
    }
    broadcast(&mut line, comm)?;
    let end = line.iter().position(|byte| *byte == 0).unwrap_or(LINE_BYTES);
    let text = String::from_utf8_lossy(&line[..end]);
    let decision = text.split_once('\t').and_then(|(number, rest)| {
        if let Ok(number) = number.parse() {
            tag.get_or_init(|| number);
        }
        let (of_root, rest) = rest.split_once('\t')?;
        let terms = terms.filter(|terms| terms.to_string() == of_root)?;
        CallDecision::of_line(terms.operation.collective(), rest)
    });
    let objection = match &decision {
        None => RankObjection::Contradicts,
        Some(CallDecision {
            algorithm: Some(algorithm),
            ..
        }) if !can_follow(*algorithm) => RankObjection::CannotFollow,
        Some(_) => RankObjection::None,
    };
    let [most] = largest([objection as u64], comm)?;
    Ok(match decision {
        Some(decision) if most == RankObjection::None as u64 => AgreementOutcome::Decided(decision),
        Some(_) if most == RankObjection::CannotFollow as u64 => {
            AgreementOutcome::Decided(CallDecision::library("a rank cannot run the schedule"))
        }
        _ => AgreementOutcome::LeftToLibrary,
    })
}

/// Objection of a rank to the decision of rank 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RankObjection {
    /// Nothing.
    None,
    /// It cannot prepare the schedule.
    CannotFollow,
    /// Its arguments differ from those of rank 0.
    Contradicts,
}

/// True if the ranks of an exchange send as many bytes in all as they receive, and MPI refuses no rank's arguments.
/// `sides` are the buffers of this rank; `None` if MPI refuses its arguments.
///
/// # Errors
/// If MPI fails.
pub fn is_balanced(comm: ffi::MPI_Comm, member: CommMember, sides: Option<[PairPieces; 2]>) -> Result<bool, MpiError> {
    let balance = |sides| {
        let lengths = lengths_of_rank(member, sides);
        let (sent, received) = lengths.split_at(member.procs.get() as usize);
        let total = |all: &[u64]| all.iter().fold(0u64, |sum, length| sum.wrapping_add(*length));
        total(sent).wrapping_sub(total(received)).cast_signed()
    };
    let totals = [sides.map_or(0, balance), i64::from(sides.is_none())];
    Ok(sum(totals, comm)? == [0, 0])
}

/// Replaces all ranks' bytes by rank 0's.
///
/// # Errors
/// If MPI refuses it.
pub fn broadcast(bytes: &mut [u8], comm: ffi::MPI_Comm) -> Result<(), MpiError> {
    let count = c_int::try_from(bytes.len()).unwrap_or(c_int::MAX);
    let start: *mut c_void = bytes.as_mut_ptr().cast();
    // SAFETY: the memory has `count` bytes.
    MpiError::check(unsafe { ffi::PMPI_Bcast(start, count, ffi::RSMPI_UINT8_T, 0, comm) })
}

/// Like [`broadcast`], for many bytes, in parts that fit in TCP's first congestion window of ten segments (RFC 6928).
/// All ranks have a part before the next part leaves, so that no window grows. With larger windows the program's first
/// exchange would overflow a switch.
///
/// # Errors
/// If MPI refuses it.
pub fn broadcast_in_parts(bytes: &mut [u8], comm: ffi::MPI_Comm) -> Result<(), MpiError> {
    const PART: usize = 8192;
    for part in bytes.chunks_mut(PART) {
        broadcast(part, comm)?;
        // SAFETY: a valid communicator.
        MpiError::check(unsafe { ffi::PMPI_Barrier(comm) })?;
    }
    Ok(())
}

/// Writes the terms in one line without a tab.
impl std::fmt::Display for CallTerms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operation, root, kind } = self;
        write!(f, "{operation} {root} {kind:?}")
    }
}
