//! Which program printed a text: the titles and headings by which each is known.

use super::{PROGRAMS, Program, imb, logp_mpi, netgauge, osu, reprompi};

/// The program of which a line is a title or heading.
pub(super) fn announcing(line: &str) -> Option<Program> {
    let announces = |program: &Program| match program {
        Program::Osu => osu::announces(line),
        Program::Imb => imb::announces(line),
        Program::ReproMpi => reprompi::announces(line),
        Program::Netgauge => netgauge::announces(line),
        Program::LogpMpi => logp_mpi::announces(line),
    };
    PROGRAMS.iter().copied().find(announces)
}
