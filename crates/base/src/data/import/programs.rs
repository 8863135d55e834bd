//! Recognises the program that printed a text by its titles and headings.

use super::{BenchmarkProgram, PROGRAMS, imb, logp_mpi, netgauge, osu, reprompi};

/// The program whose title or heading a line is.
pub(super) fn announced_program(line: &str) -> Option<BenchmarkProgram> {
    let announces = |program: &BenchmarkProgram| match program {
        BenchmarkProgram::Osu => osu::announces(line),
        BenchmarkProgram::Imb => imb::announces(line),
        BenchmarkProgram::ReproMpi => reprompi::announces(line),
        BenchmarkProgram::Netgauge => netgauge::announces(line),
        BenchmarkProgram::LogpMpi => logp_mpi::announces(line),
    };
    PROGRAMS.iter().copied().find(announces)
}
