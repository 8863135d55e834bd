//! The report: one self-contained HTML page about data and profiles. `subject` joins files that are of one
//! network, `chapter` puts measured beside predicted times of one collective, `verdict` says it in sentences,
//! `figures` draws it, `predictor` tabulates it for the page to interpolate, and `page` writes the HTML.
//! The page computes no model: every time in it was predicted here.

mod asked;
mod cell;
mod chapter;
mod figure;
mod figures;
mod map;
mod page;
mod picture;
mod predictor;
mod scale;
mod subject;
mod tables;
mod verdict;

use std::path::PathBuf;

use netsig_base::text::note::Note;
use netsig_base::units::Procs;
use netsig_base::units::list::List;

use self::chapter::Wanted;
use self::page::Page;
use crate::input::failure::Failure;
use crate::input::output::Output;

/// What the user may choose.
#[derive(Debug, Clone)]
pub struct Options {
    /// Process counts to predict; `None` for every count up to twice the measured ones, of many some.
    pub procs: Option<List<Procs>>,
    /// Most repetitions of a collective that the page shows one by one.
    pub repetitions: usize,
}

/// Process counts that a page predicts at most, and at least however large it is, unless the user names some.
const COUNTS: usize = 48;
const FEW: usize = 8;

/// Bytes from which on a page predicts fewer process counts.
const LARGE: usize = 6_000_000;

impl Default for Options {
    fn default() -> Self {
        Self {
            procs: None,
            repetitions: 6000,
        }
    }
}

/// What a page says before its figures.
#[derive(Debug)]
pub struct Said {
    /// The verdict, line by line.
    pub verdict: Vec<String>,
    /// What the reader must know of the files.
    pub notes: Vec<Note>,
}

/// Writes the page about the files, and returns what it says first.
///
/// # Errors
/// If a file cannot be used, a process count of the user is too far from all measurements, or the page cannot be
/// written.
pub fn write(files: &[PathBuf], options: &Options, output: &Output) -> Result<Said, Failure> {
    let subjects = subject::gather(files)?;
    let mut most_counts = COUNTS;
    loop {
        let wanted = Wanted { options, most_counts };
        let page = Page::new(&subjects, &wanted);
        let procs = options.procs.as_ref().map_or(&[][..], List::items);
        asked::refuse_unpredicted(&page.chapters, procs)?;
        let html = page.html()?;
        if html.len() <= LARGE || options.procs.is_some() || most_counts <= FEW {
            output.replace(html.as_bytes())?;
            return Ok(Said {
                verdict: page.verdict(),
                notes: page.notes().cloned().collect(),
            });
        }
        most_counts /= 2;
    }
}
