//! Decisions that all ranks of a communicator take alike: rank 0 decides, inside a collective call that all are in,
//! and broadcasts; then all say whether they can follow.
//!
//! The first call of a collective on a communicator agrees whatever its arguments are. So a call whose arguments
//! differ between ranks, or are refused on one of them, is seen by all, and all leave the collective on this
//! communicator to the MPI library, whose answer to wrong arguments is the one that programs know.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use mpi::ffi;
use netsig_base::algorithm::{Algorithm, Collective, Layout, PairSizes};
use netsig_base::units::{Bytes, Rank};
use netsig_mpi::MpiError;

use crate::call::{MOST_BYTES, PairSide, is_in_place};
use crate::choice::{Decision, Question};
use crate::member::Member;
use crate::reduction::{largest, sum};
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

/// What a call must have alike on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The operation.
    pub collective: Collective,
    /// The root, where there is one.
    pub root: c_int,
    /// Class of the sizes of pieces, or what stands in its place.
    pub kind: Kind,
}

/// Class of the sizes of pieces, or what stands in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Pieces of one size, of this class.
    Class(u32),
    /// Pieces whose sizes differ from pair to pair.
    ByPair,
    /// A call that is passed on in any case.
    Passed,
}

/// How rank 0 decides, and whether this rank could follow.
pub struct Deciding<D, F> {
    /// The decision for a question; asked on rank 0.
    pub decide: D,
    /// True if this rank can run the algorithm for the call.
    pub can_follow: F,
}

/// What all ranks have agreed on.
#[derive(Debug, PartialEq)]
pub enum Agreed {
    /// A decision.
    On(Decision),
    /// The arguments contradict each other: all calls of the collective are left to the MPI library.
    ToLeave,
}

/// Why a collective is left to the MPI library.
pub const CONTRADICTING: &str = "arguments that differ between ranks, or that MPI refuses";

/// Length of the broadcast decision in bytes.
const LINE: usize = 320;

/// Most processes whose exchange is decided on the lengths of all its pieces.
pub const MOST_PROCS: u32 = 512;

/// The decision for pieces of one size. `terms` are those of this rank's call, `None` if MPI refuses it.
///
/// # Errors
/// If an MPI call fails.
pub fn equal<D: FnOnce(Question) -> Decision, F: FnOnce(Algorithm) -> bool>(
    deciding: Deciding<D, F>,
    party: Party,
    terms: Option<Terms>,
) -> Result<Agreed, MpiError> {
    let Deciding { decide, can_follow } = deciding;
    let question = |terms: Terms| match terms.kind {
        Kind::Class(class) => decide(Question {
            collective: terms.collective,
            procs: party.member.procs,
            size: Bytes(least(class)),
            pairs: None,
            layout: party.layout,
        }),
        Kind::ByPair | Kind::Passed => Decision::library(""),
    };
    shared(party, terms, question, can_follow)
}

/// The decision for an exchange of pieces of different sizes, and their mean: rank 0 gathers the lengths that
/// the ranks send and receive.
///
/// # Errors
/// If an MPI call fails.
pub fn by_pair<D: FnOnce(Question) -> Decision, F: FnOnce(Algorithm) -> bool>(
    deciding: Deciding<D, F>,
    party: Party,
    (terms, sides): (Option<Terms>, [PairSide; 2]),
) -> Result<Agreed, MpiError> {
    let Deciding { decide, can_follow } = deciding;
    let Party { comm, member, .. } = party;
    let lengths = terms.map(|_| own_lengths(member, sides));
    let lengths = gathered(comm, member, lengths)?;
    let terms = terms.filter(|_| member.rank != Rank(0) || are_consistent(member, &lengths));
    let question = |_| {
        let count = member.procs.get() as usize;
        let row = 2 * count + 1;
        let sent = |from: usize, to: usize| lengths[from * row + to];
        let place = |rank: Rank| rank.0 as usize;
        let pairs = PairSizes::new(member.procs, |from, to| Bytes(sent(place(from), place(to))));
        let mean = pairs.mean();
        if mean == Bytes(0) {
            return Decision::library("no data");
        }
        let is_much = |rank: &[u64]| {
            let sum = |all: &[u64]| all.iter().fold(0u64, |sum, own| own.saturating_add(sum));
            sum(&rank[..count]) > MOST_BYTES || sum(&rank[count..2 * count]) > MOST_BYTES
        };
        if lengths.chunks(row).any(is_much) {
            return Decision::library("more than 2 GiB");
        }
        let question = Question {
            collective: Collective::Alltoallv,
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
    shared(party, terms, question, can_follow)
}

/// What this rank sends to each rank and receives from each.
fn own_lengths(member: Member, [send, receive]: [PairSide; 2]) -> Vec<u64> {
    let send = if is_in_place(send.buffer) { receive } else { send };
    let lengths = |side: PairSide| {
        // SAFETY: the program gives a number for each rank.
        let all = unsafe { side.lengths(member.procs) };
        all.map(Option::unwrap_or_default).collect::<Vec<u64>>()
    };
    [lengths(send), lengths(receive)].concat()
}

/// The lengths of all ranks on rank 0: those that it sends, those that it receives, and 1, or zeros of a rank whose
/// call MPI refuses.
fn gathered(comm: ffi::MPI_Comm, member: Member, lengths: Option<Vec<u64>>) -> Result<Vec<u64>, MpiError> {
    let count = member.procs.get() as usize;
    let row = 2 * count + 1;
    let mut own = lengths.map_or_else(Vec::new, |mut own| {
        own.push(1);
        own
    });
    own.resize(row, 0);
    let is_root = member.rank == Rank(0);
    let mut all = vec![0u64; if is_root { count * row } else { 0 }];
    let length = c_int::try_from(8 * row).unwrap_or(c_int::MAX);
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

/// True if each rank sends what the other receives, and none has refused arguments.
fn are_consistent(member: Member, lengths: &[u64]) -> bool {
    let count = member.procs.get() as usize;
    let row = 2 * count + 1;
    let is_fine = |from: usize| lengths[from * row + 2 * count] == 1;
    let agree = |from: usize, to: usize| lengths[from * row + to] == lengths[to * row + count + from];
    (0..count).all(|from| is_fine(from) && (0..count).all(|to| agree(from, to)))
}

/// The decision of rank 0, and its tag, on all ranks.
fn shared(
    party: Party,
    terms: Option<Terms>,
    decide: impl FnOnce(Terms) -> Decision,
    can_follow: impl FnOnce(Algorithm) -> bool,
) -> Result<Agreed, MpiError> {
    let Party { comm, member, tag, .. } = party;
    let mut line = [0u8; LINE];
    if member.rank == Rank(0) {
        let tag = tag.get().map(ToString::to_string).unwrap_or_default();
        let decided = terms.map(|terms| format!("{terms}\t{}", decide(terms).to_line()));
        let text = format!("{tag}\t{}", decided.unwrap_or_default());
        for (place, byte) in line.iter_mut().zip(text.bytes()) {
            *place = byte;
        }
    }
    broadcast(&mut line, comm)?;
    let end = line.iter().position(|byte| *byte == 0).unwrap_or(LINE);
    let text = String::from_utf8_lossy(&line[..end]);
    let decision = text.split_once('\t').and_then(|(number, rest)| {
        if let Ok(number) = number.parse() {
            tag.get_or_init(|| number);
        }
        let (of_root, rest) = rest.split_once('\t')?;
        let terms = terms.filter(|terms| terms.to_string() == of_root)?;
        Decision::of_line(terms.collective, rest)
    });
    let doubt = match &decision {
        None => Doubt::Contradicts,
        Some(Decision {
            algorithm: Some(algorithm),
            ..
        }) if !can_follow(*algorithm) => Doubt::CannotFollow,
        Some(_) => Doubt::None,
    };
    let [most] = largest([doubt as u64], comm)?;
    Ok(match decision {
        Some(decision) if most == Doubt::None as u64 => Agreed::On(decision),
        Some(_) if most == Doubt::CannotFollow as u64 => {
            Agreed::On(Decision::library("a rank cannot run the schedule"))
        }
        _ => Agreed::ToLeave,
    })
}

/// What a rank has against rank 0's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// Nothing.
    None,
    /// It cannot prepare the schedule.
    CannotFollow,
    /// Its own arguments are others.
    Contradicts,
}

/// True if the ranks of an exchange send as many bytes in all as they receive, and no rank's arguments are
/// refused. `sides` are those of this rank, `None` if they are.
///
/// # Errors
/// If MPI fails.
pub fn is_balanced(comm: ffi::MPI_Comm, member: Member, sides: Option<[PairSide; 2]>) -> Result<bool, MpiError> {
    let balance = |sides| {
        let lengths = own_lengths(member, sides);
        let (sent, received) = lengths.split_at(member.procs.get() as usize);
        let total = |all: &[u64]| all.iter().fold(0u64, |sum, own| sum.wrapping_add(*own));
        total(sent).wrapping_sub(total(received)).cast_signed()
    };
    let own = [sides.map_or(0, balance), i64::from(sides.is_none())];
    Ok(sum(own, comm)? == [0, 0])
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

/// As `broadcast`, for many bytes, in parts that fit in TCP's first congestion window of ten segments (RFC 6928). All
/// ranks have a part before the next one leaves, so that no window grows: in the program's first exchange, connections
/// with larger windows would overflow a switch.
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

/// The terms in a line without a tabulator.
impl std::fmt::Display for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { collective, root, kind } = self;
        write!(f, "{collective} {root} {kind:?}")
    }
}
