//! Length of the vector that a benchmark reduced, from the number that it prints beside the time.

use super::imported_log::ImportedLog;
use super::operands::StatedOperands;
use super::table::ImportRow;
use super::tables::LogTable;
use crate::algorithm::Collective;
use crate::text::file_error::FileError;
use crate::units::{Bytes, Procs};

/// Program, and for IMB the versions, whose convention of size a number follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeConvention {
    /// The OSU micro-benchmarks: bytes of the vector. The block form reduces only whole blocks of equal lengths.
    Osu,
    /// IMB up to 2019.0: bytes of the vector.
    ImbVectors,
    /// IMB from 2019.1 on: bytes of the vector; of reduce-scatter and its block form those of each process.
    ImbBlocks,
    /// `ReproMPI`: elements of the vector; of reduce-scatter and its block form those of each process.
    ReproMpi,
    /// nccl-tests: bytes of the vector.
    NcclTests,
    /// PICO: elements of the vector.
    Pico,
}

/// The number that a benchmark prints for a reduction or a barrier, with all that decides its meaning.
#[derive(Debug, Clone, Copy)]
pub struct PrintedSize {
    /// Whose convention the number follows.
    pub convention: SizeConvention,
    /// The collective that was called.
    pub collective: Collective,
    /// The number.
    pub number: u64,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes of an element; 0 counts as 1.
    pub element: Bytes,
}

impl SizeConvention {
    /// The convention of a version of IMB, such as `2018 Update 1` or `2021.11`; `None` if the text holds no number.
    pub fn of_imb(version: &str) -> Option<Self> {
        let first_digit = version.find(|sign: char| sign.is_ascii_digit())?;
        let mut numbers = version[first_digit..].split(|sign: char| !sign.is_ascii_digit());
        let release: u32 = numbers.next()?.parse().ok()?;
        let update: u32 = numbers.find_map(|number| number.parse().ok()).unwrap_or(0);
        Some(if (release, update) >= (2019, 1) {
            Self::ImbBlocks
        } else {
            Self::ImbVectors
        })
    }

    /// True if numbers are elements instead of bytes.
    fn counts_elements(self) -> bool {
        matches!(self, Self::ReproMpi | Self::Pico)
    }
}

impl PrintedSize {
    /// Bytes of the whole vector: e·c for c elements of e bytes, and 0 for a barrier. Bytes beyond the last whole
    /// element are not sent. `None` if they are more than 2⁶⁴ − 1.
    pub fn vector(self) -> Option<Bytes> {
        use Collective::{Barrier, ReduceScatter, ReduceScatterBlock};
        use SizeConvention::{ImbBlocks, ImbVectors, NcclTests, Osu, Pico, ReproMpi};
        let procs = u64::from(self.procs.get());
        let element = self.element.0.max(1);
        let printed = if self.convention.counts_elements() {
            self.number
        } else {
            self.number / element
        };
        let elements = match (self.collective, self.convention) {
            (Barrier, _) => 0,
            (ReduceScatter, ImbBlocks | ReproMpi) | (ReduceScatterBlock, ImbVectors | ImbBlocks | ReproMpi) => {
                printed.checked_mul(procs)?
            }
            (ReduceScatterBlock, Osu) => printed / procs * procs,
            (_, Osu | ImbVectors | ImbBlocks | ReproMpi | NcclTests | Pico) => printed,
        };
        elements.checked_mul(element).map(Bytes)
    }
}

/// How the rows of a table state the sizes of one collective.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowSizes {
    /// The collective; `None` for another experiment.
    pub collective: Option<Collective>,
    /// Whose convention the numbers follow.
    pub convention: SizeConvention,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes of an element.
    pub element: Bytes,
    /// Line of the names of the columns.
    pub line: u64,
}

impl RowSizes {
    /// The sizes of a table, of single bytes.
    pub fn of_table(table: &LogTable, procs: Procs, convention: SizeConvention) -> Self {
        Self {
            collective: table.collective(),
            convention,
            procs,
            element: Bytes(1),
            line: table.line,
        }
    }

    /// The same with the elements that the output states, if the collective is a reduction. These are noted.
    pub fn with_operands<'t>(self, imported: &mut ImportedLog, stated: impl FnOnce() -> StatedOperands<'t>) -> Self {
        if !self.collective.is_some_and(Collective::is_reduction) {
            return self;
        }
        let operands = stated();
        imported.add_operands(self.line, operands);
        Self {
            element: operands.element_bytes(),
            ..self
        }
    }

    /// The size of a row that prints `number`: the bytes of a reduction's vector, 0 for a barrier, else `number`.
    /// `None`, with a note, if the row reduced nothing although its number is above 0.
    ///
    /// # Errors
    /// If the vector has more than 2⁶⁴ − 1 bytes.
    pub fn size(
        self,
        number: u64,
        row: &ImportRow<'_>,
        imported: &mut ImportedLog,
    ) -> Result<Option<Bytes>, FileError> {
        let is_converted = |collective: &Collective| collective.is_reduction() || *collective == Collective::Barrier;
        let Some(collective) = self.collective.filter(is_converted) else {
            return Ok(Some(Bytes(number)));
        };
        let Self {
            convention,
            procs,
            element,
            ..
        } = self;
        let printed = PrintedSize {
            convention,
            collective,
            number,
            procs,
            element,
        };
        let problem = || {
            row.fault(format!(
                "{number} for each of {procs} processes is too much; delete the line"
            ))
        };
        let size = printed.vector().ok_or_else(problem)?;
        if size == Bytes(0) && number > 0 && collective.is_reduction() {
            imported.leave_out(
                row.line(),
                "fewer elements than the call needs, so that it reduced nothing",
            );
            return Ok(None);
        }
        Ok(Some(size))
    }
}

#[cfg(test)]
mod tests {
    use super::SizeConvention::{ImbBlocks, ImbVectors, NcclTests, Osu, Pico, ReproMpi};
    use super::*;
    use crate::algorithm::Collective::{Allreduce, Barrier, Reduce, ReduceScatter, ReduceScatterBlock};

    #[test]
    fn each_program_counts_in_its_way() {
        for (convention, collective, number, procs, element, vector) in [
            (Osu, Allreduce, 1024, 6, 4, 1024),
            (Osu, ReduceScatter, 1024, 6, 1, 1024),
            (Osu, ReduceScatter, 4, 6, 4, 4),
            (Osu, ReduceScatterBlock, 1024, 6, 1, 1020),
            (Osu, ReduceScatterBlock, 1024, 6, 4, 1008),
            (Osu, ReduceScatterBlock, 4, 6, 1, 0),
            (Osu, Barrier, 12, 6, 1, 0),
            (ImbVectors, ReduceScatter, 1024, 4, 4, 1024),
            (ImbVectors, ReduceScatter, 2, 4, 4, 0),
            (ImbBlocks, ReduceScatter, 1024, 4, 4, 4096),
            (ImbBlocks, ReduceScatterBlock, 1024, 4, 4, 4096),
            (ImbBlocks, ReduceScatterBlock, 1023, 4, 4, 4080),
            (ImbBlocks, Reduce, 1024, 4, 4, 1024),
            (ReproMpi, Allreduce, 100, 4, 8, 800),
            (ReproMpi, ReduceScatter, 100, 4, 8, 3200),
            (ReproMpi, ReduceScatterBlock, 100, 4, 8, 3200),
            (NcclTests, ReduceScatter, 1024, 4, 4, 1024),
            (Pico, ReduceScatter, 1024, 4, 4, 4096),
        ] {
            let printed = PrintedSize {
                convention,
                collective,
                number,
                procs: Procs::new(procs).unwrap(),
                element: Bytes(element),
            };
            assert_eq!(printed.vector(), Some(Bytes(vector)), "{printed:?}");
        }
    }

    #[test]
    fn a_vector_beyond_all_sizes_is_none() {
        for convention in [ImbBlocks, ReproMpi] {
            let printed = PrintedSize {
                convention,
                collective: ReduceScatter,
                number: u64::MAX / 2,
                procs: Procs::new(3).unwrap(),
                element: Bytes(1),
            };
            assert_eq!(printed.vector(), None);
        }
    }

    #[test]
    fn the_version_of_imb_decides_its_convention() {
        for (version, convention) in [
            ("Suite V2.2", Some(ImbVectors)),
            ("4.1 Update 1", Some(ImbVectors)),
            ("2018 Update 1", Some(ImbVectors)),
            ("2019", Some(ImbVectors)),
            ("2019.0", Some(ImbVectors)),
            ("2019 Update 1", Some(ImbBlocks)),
            ("2019.6", Some(ImbBlocks)),
            ("2021.11", Some(ImbBlocks)),
            ("2021.2 Technical Preview", Some(ImbBlocks)),
            ("s", None),
        ] {
            assert_eq!(SizeConvention::of_imb(version), convention, "{version}");
        }
    }
}
