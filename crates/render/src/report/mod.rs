//! The report: one self-contained HTML page about data and profiles. `subject` joins the files of one network, and
//! `chapter` compares measured and predicted times of one collective. `verdict` describes them in sentences, `figures`
//! draws them, `predictor` tabulates them for interpolation, and `page` writes the HTML. The page computes no model;
//! all its times are predicted here.

mod cells;
mod chapter;
mod cluster_line;
mod controls;
mod figure;
mod figures;
mod headline;
mod licences;
mod map;
mod page;
mod paint;
mod picture;
mod predictor;
mod scale;
mod sections;
mod subject;
mod tables;
mod unpredicted;

use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;
use netsig_base::units::list::QuantityList;
use netsig_model::verdict::VerdictAnswer;

use self::chapter::PageRequest;
pub use self::page::PAGE_START;
use self::page::ReportPage;
pub use self::subject::NamedSources;

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

/// A page, and its first text.
#[derive(Debug)]
pub struct RenderedPage {
    /// The page as HTML.
    pub html: String,
    /// Heading and answers of each verdict.
    pub verdicts: Vec<(String, Vec<VerdictAnswer>)>,
    /// Notes on the sources for the reader.
    pub notes: Vec<Note>,
}

/// The page about profiles and data.
///
/// # Errors
/// If data cannot be joined, a process count of the user is too far from all measurements, or a picture cannot be
/// drawn.
pub fn page(sources: NamedSources, options: &ReportOptions) -> Result<RenderedPage, Refusal> {
    let subjects = subject::subjects(sources)?;
    let mut most_counts = MOST_COUNTS;
    loop {
        let page = ReportPage::new(&subjects, &PageRequest { options, most_counts });
        let procs = options.procs.as_ref().map_or(&[][..], QuantityList::items);
        unpredicted::refuse_unpredicted(&page.chapters, procs)?;
        let html = page.html().map_err(Refusal::request)?;
        if html.len() <= LARGE_PAGE_BYTES || options.procs.is_some() || most_counts <= FEWEST_COUNTS {
            return Ok(RenderedPage {
                html,
                verdicts: page.verdicts(),
                notes: page.notes().cloned().collect(),
            });
        }
        most_counts /= 2;
    }
}
