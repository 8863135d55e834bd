//! Decisions that all ranks of a communicator take alike: rank 0 decides, inside a collective call that
//! all are in, and broadcasts.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use mpi::ffi;
use netsig_core::algorithm::{Collective, Layout, PairSizes};
use netsig_core::units::{Bytes, Rank};
use netsig_mpi::MpiError;

use crate::call::{MOST_BYTES, PairSide, is_in_place};
use crate::choice::{Decision, Question};
use crate::member::Member;
use crate::size_class::{class, least};

/// The processes that agree: a communicator of the program.
#[derive(Clone, Copy)]
pub struct Party<'a> {
    /// The program's communicator.
    pub comm: ffi::MPI_Comm,
    /// This process in it.
    pub member: Member,
    /// Clusters of the processes, where they are known.
    pub layout: Option<&'a Layout>,
    /// Tag of its messages, if it has one: rank 0 knows it, the others get it with a decision.
    pub tag: &'a OnceLock<c_int>,
}

/// Length of the broadcast decision in bytes.
const LINE: usize = 256;

/// Most processes whose exchange is decided on the lengths of all its pieces.
const MOST_PROCS: u32 = 512;

/// The decision for pieces of one size; rank 0 asks `decide`.
///
/// # Errors
/// If an MPI call fails.
pub fn equal(
    decide: impl FnOnce(Question) -> Decision,
    party: Party,
    (collective, size): (Collective, Bytes),
) -> Result<Decision, MpiError> {
    let question = Question {
        collective,
        procs: party.member.procs,
        size,
        pairs: None,
        layout: party.layout,
    };
    shared(party, collective, || decide(question))
}

/// The decision for an exchange of pieces of different sizes, and their mean: rank 0 gathers the lengths.
///
/// # Errors
/// If an MPI call fails.
pub fn by_pair(
    decide: impl FnOnce(Question) -> Decision,
    party: Party,
    (send, receive): (PairSide, PairSide),
) -> Result<Decision, MpiError> {
    let collective = Collective::Alltoallv;
    let Party { comm, member, .. } = party;
    if member.procs.get() > MOST_PROCS {
        let reason = format!("an alltoallv of more than {MOST_PROCS} processes");
        return Ok(Decision::library(reason));
    }
    let own = if is_in_place(send.buffer) {
        receive
    } else {
        send
    };
    let lengths = gathered(comm, member, own)?;
    let decided = || {
        let count = member.procs.get();
        let length = |from: Rank, to: Rank| Bytes(lengths[(from.0 * count + to.0) as usize]);
        let pairs = PairSizes::new(member.procs, length);
        let mean = pairs.mean();
        if mean == Bytes(0) {
            return Decision::library("no data");
        }
        if lengths.chunks(count as usize).any(is_much) {
            return Decision::library("more than 2 GiB");
        }
        let question = Question {
            collective,
            procs: member.procs,
            size: mean,
            pairs: Some(&pairs),
            layout: party.layout,
        };
        // The exchanges of a class have one row in the report.
        let size = Bytes(least(class(mean.0)));
        Decision {
            size,
            ..decide(question)
        }
    };
    shared(party, collective, decided)
}

/// True if a rank sends more than runs by schedules.
fn is_much(lengths: &[u64]) -> bool {
    lengths.iter().fold(0, |sum, own| own.saturating_add(sum)) > MOST_BYTES
}

/// The lengths of all pieces by sender and receiver, on rank 0.
fn gathered(comm: ffi::MPI_Comm, member: Member, side: PairSide) -> Result<Vec<u64>, MpiError> {
    let count = member.procs.get() as usize;
    // SAFETY: the program gives a number for each rank.
    let own = unsafe { side.lengths(member.procs) };
    let own: Vec<u64> = own.map(Option::unwrap_or_default).collect();
    let is_root = member.rank == Rank(0);
    let mut all = vec![0u64; if is_root { count * count } else { 0 }];
    let length = c_int::try_from(8 * count).unwrap_or(c_int::MAX);
    // SAFETY: the arrays have the stated lengths, at the root one for each rank.
    let code = unsafe {
        ffi::PMPI_Gather(
            own.as_ptr().cast(),
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

/// The decision of rank 0, and its tag, on all ranks.
fn shared(
    party: Party,
    collective: Collective,
    decide: impl FnOnce() -> Decision,
) -> Result<Decision, MpiError> {
    let Party {
        comm, member, tag, ..
    } = party;
    let mut line = [0u8; LINE];
    if member.rank == Rank(0) {
        let tag = tag.get().map(ToString::to_string).unwrap_or_default();
        let text = format!("{tag}\t{}", decide().to_line());
        for (place, byte) in line.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
    }
    broadcast(&mut line, comm)?;
    let end = line.iter().position(|byte| *byte == 0).unwrap_or(LINE);
    let text = String::from_utf8_lossy(&line[..end]);
    let decision = text.split_once('\t').and_then(|(own, rest)| {
        if let Ok(own) = own.parse() {
            tag.get_or_init(|| own);
        }
        Decision::of_line(collective, rest)
    });
    Ok(decision.unwrap_or_else(|| Decision::library("rank 0's decision cannot be read")))
}

/// Replaces all ranks' bytes by rank 0's.
///
/// # Errors
/// If MPI refuses it.
pub fn broadcast(bytes: &mut [u8], comm: ffi::MPI_Comm) -> Result<(), MpiError> {
    let count = c_int::try_from(bytes.len()).unwrap_or(c_int::MAX);
    let start: *mut c_void = bytes.as_mut_ptr().cast();
    // SAFETY: the memory has so many bytes.
    MpiError::check(unsafe { ffi::PMPI_Bcast(start, count, ffi::RSMPI_UINT8_T, 0, comm) })
}
