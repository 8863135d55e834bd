//! The report: one self-contained HTML page about data and profiles. `subject` joins the files of one network, and
//! `chapter` compares measured and predicted times of one collective. `verdict` describes them in sentences, `figures`
//! draws them, `predictor` tabulates them for interpolation, and `page` writes the HTML. The page computes no model;
//! all its times are predicted here.

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
mod unpredicted;

use std::path::PathBuf;

use netsig_base::text::note::Note;
use netsig_base::units::Procs;
use netsig_base::units::list::QuantityList;
use netsig_model::verdict::VerdictAnswer;

use self::chapter::PageRequest;
use self::page::ReportPage;
use crate::input::failure::Failure;
use crate::input::output::OutputPath;

/// Options of the user.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// Process counts to predict; `None` for every count up to twice the largest measured one, thinned out if there are
    /// many.
    pub procs: Option<QuantityList<Procs>>,
    /// Most repetitions of a collective that the page shows one by one.
    pub repetitions: usize,
}

/// The most process counts that a page predicts, and the fewest even if it is large, unless the user names some.
const MOST_COUNTS: usize = 48;
const FEWEST_COUNTS: usize = 8;

/// Bytes from which on a page predicts fewer process counts.
const LARGE_PAGE_BYTES: usize = 6_000_000;

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            procs: None,
            repetitions: 6000,
        }
    }
}

/// The text of a page before its figures.
#[derive(Debug)]
pub struct PageSummary {
    /// Heading and answers of each verdict.
    pub verdicts: Vec<(String, Vec<VerdictAnswer>)>,
    /// Notes on the files for the reader.
    pub notes: Vec<Note>,
}

/// Writes the page about the files, and returns its first text.
///
/// # Errors
/// If a file cannot be used, a process count of the user is too far from all measurements, or the page cannot be
/// written.
pub fn write(files: &[PathBuf], options: &ReportOptions, output: &OutputPath) -> Result<PageSummary, Failure> {
    let subjects = subject::read_subjects(files)?;
    let mut most_counts = MOST_COUNTS;
    loop {
        let request = PageRequest { options, most_counts };
        let page = ReportPage::new(&subjects, &request);
        let procs = options.procs.as_ref().map_or(&[][..], QuantityList::items);
        unpredicted::refuse_unpredicted(&page.chapters, procs)?;
        let html = page.html()?;
        if html.len() <= LARGE_PAGE_BYTES || options.procs.is_some() || most_counts <= FEWEST_COUNTS {
            output.replace(html.as_bytes())?;
            return Ok(PageSummary {
                verdicts: page.verdicts(),
                notes: page.notes().cloned().collect(),
            });
        }
        most_counts /= 2;
    }
}
