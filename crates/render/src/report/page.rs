//! The page as HTML.

use itertools::Itertools as _;
use maud::{Markup, PreEscaped, html};
use netsig_base::text::note::Note;
use netsig_model::verdict::VerdictAnswer;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;
use serde_json::{Value, json};

use super::chapter::{CollectiveChapter, PageRequest};
use super::figure::Figure;
use super::map::SelectionMap;
use super::subject::PageSubject;
use super::{figures, picture, predictor, tables};
use crate::rows::PrintedRows;
use crate::rows::quantity::name_and_unit;
use crate::svg::DrawingError;

/// Start of every page, by which netsig knows it.
pub const PAGE_START: &str = "<!DOCTYPE html>\n<!-- netsig report -->";

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");
const PLOTLY: &str = include_str!("../../assets/plotly/plotly-cartesian.min.js");

/// Characters that are encoded in the address of a table.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'`');

/// Algorithms of a chapter whose figures have a picture for browsers without JavaScript.
const PICTURED: usize = 4;

/// The page may load nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; form-action 'none'";

/// A report.
pub struct ReportPage<'a> {
    subjects: &'a [PageSubject],
    pub(super) chapters: Vec<CollectiveChapter<'a>>,
}

/// Figures and tables that the script draws, in the order of their places in the page.
#[derive(Default)]
struct ScriptDrawings {
    figures: Vec<Value>,
    maps: Vec<Value>,
}

impl<'a> ReportPage<'a> {
    /// The page about these subjects.
    pub fn new(subjects: &'a [PageSubject], request: &PageRequest) -> Self {
        let chapters = subjects.iter().flat_map(|subject| {
            let collectives = subject.collectives.iter();
            collectives.map(move |collective| CollectiveChapter::new(subject, *collective, request))
        });
        Self {
            chapters: chapters.collect(),
            subjects,
        }
    }

    /// Heading and answers of each verdict.
    pub fn verdicts(&self) -> Vec<(String, Vec<VerdictAnswer>)> {
        let chapters = self.chapters.iter();
        chapters
            .map(|chapter| (self.heading(chapter), chapter.verdict.answers()))
            .collect()
    }

    /// Name of a chapter, with the name of its subject if another chapter has the same collective.
    fn heading(&self, chapter: &CollectiveChapter) -> String {
        let same = self
            .chapters
            .iter()
            .filter(|other| other.collective == chapter.collective);
        let collective = chapter.collective;
        match same.count() {
            1 => collective.to_string(),
            _ => format!("{collective} ({})", chapter.subject.name),
        }
    }

    /// The page.
    ///
    /// # Errors
    /// If a picture cannot be drawn.
    pub fn html(&self) -> Result<String, DrawingError> {
        let mut drawn = ScriptDrawings::default();
        let numbered_chapters = self.chapters.iter().enumerate();
        let chapters: Vec<Markup> = numbered_chapters
            .map(|(number, chapter)| self.chapter_markup(number, chapter, &mut drawn))
            .collect::<Result<_, _>>()?;
        let subject_sections: Vec<Markup> = self
            .subjects
            .iter()
            .map(|page_subject| subject_markup(page_subject, &mut drawn))
            .collect::<Result<_, _>>()?;
        let predictors: Vec<Value> = self
            .chapters
            .iter()
            .filter(|chapter| !chapter.sheets.is_empty())
            .map(predictor::table)
            .collect();
        let has_predictor = !predictors.is_empty();
        let data = json!({
            "figures": drawn.figures,
            "maps": drawn.maps,
            "predictors": predictors,
        });
        let title = self.title();
        let body = html! {
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content=(concat!("netsig ", env!("CARGO_PKG_VERSION")));
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    a.skip href="#main" { "Skip to the verdict" }
                    header {
                        h1 { (title) }
                        p { "By netsig " (env!("CARGO_PKG_VERSION")) ". Every time on this page was measured, or predicted by netsig when the page was written; the page computes no model." span.keys { " The arrow keys tell the values of a figure in focus." } }
                        button #theme type="button" hidden { "Dark or light" }
                    }
                    nav aria-label="Contents" {
                        a href="#verdict" { "Verdict" }
                        @if has_predictor { a href="#predictor" { "Predictor" } }
                        @for (number, chapter) in self.chapters.iter().enumerate() {
                            a href=(format!("#chapter-{number}")) { (self.heading(chapter)) }
                        }
                        @for (number, subject) in self.subjects.iter().enumerate() {
                            a href=(format!("#subject-{number}")) { "Network and files: " (subject.name) }
                        }
                    }
                    main #main {
                        (self.verdict_section())
                        @if has_predictor { (predictor_form()) }
                        @for markup in &chapters { (markup) }
                        @for (number, markup) in subject_sections.iter().enumerate() {
                            section id=(format!("subject-{number}")) { (markup) }
                        }
                    }
                    script type="application/json" #report-data { (PreEscaped(embedded(&data))) }
                    script { (PreEscaped(PLOTLY)) }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        // The comment after the document type names the kind of the file.
        let mut page = PAGE_START.to_owned();
        page.extend(["\n", &body.0, "\n"]);
        Ok(page)
    }

    fn title(&self) -> String {
        let names: Vec<&str> = self.subjects.iter().map(|subject| subject.name.as_str()).collect();
        format!("Network report: {}", names.join(", "))
    }

    /// The verdict on every chapter.
    fn verdict_section(&self) -> Markup {
        html! {
            section #verdict {
                h2 { "Verdict" }
                @for chapter in &self.chapters {
                    h3 { (self.heading(chapter)) }
                    dl.verdict {
                        @for VerdictAnswer { question, answer, command } in chapter.verdict.answers() {
                            div { dt { (question) } dd { (answer) @if let Some(command) = command { pre { code { (command) } } } } }
                        }
                    }
                }
                @for note in self.notes() { p.note { (note_sentence(note)) } }
            }
        }
    }

    /// The notes on all subjects, each once.
    pub fn notes(&self) -> impl Iterator<Item = &'a Note> {
        self.subjects.iter().flat_map(|subject| &subject.notes).unique()
    }

    fn chapter_markup(
        &self,
        number: usize,
        chapter: &CollectiveChapter,
        drawn: &mut ScriptDrawings,
    ) -> Result<Markup, DrawingError> {
        let algorithms: Vec<Markup> = chapter
            .algorithms
            .iter()
            .enumerate()
            .map(|(place, algorithm)| algorithm_section(chapter, algorithm, place < PICTURED, drawn))
            .collect::<Result<_, _>>()?;
        let cases = chapter.cases();
        let map = SelectionMap::of(chapter, &cases)
            .map(|map| selection_map(&map, drawn))
            .transpose()?;
        let is_exchange = chapter.collective == netsig_base::algorithm::Collective::Alltoall;
        let contention = is_exchange.then(|| figures::contention(chapter)).flatten();
        let common_figures = [contention, figures::overflow_figure(chapter)].into_iter().flatten();
        let common_markup: Vec<Markup> = common_figures
            .map(|one_figure| figure_markup(&one_figure, true, drawn))
            .collect::<Result<_, _>>()?;
        let name = chapter.collective;
        Ok(html! {
            section.chapter id=(format!("chapter-{number}")) data-collective=(name) {
                h2 { (self.heading(chapter)) }
                (thinning_note(chapter))
                @if let Some(map) = &map { (map) }
                (table_markup("Best algorithms", &format!("{name}-best"), &tables::best(&cases)))
                (table_markup("Cross-overs: sizes from which on another algorithm is the best", &format!("{name}-cross-overs"), &tables::cross_overs(chapter)))
                @for markup in &common_markup { (markup) }
                (table_markup("Overflow M(n)", &format!("{name}-overflow"), &tables::overflows(chapter)))
                div.algorithms { @for markup in &algorithms { (markup) } }
                (table_markup("All measured cells with predictions, losses and stalls", &format!("{name}-measured"), &tables::measured(chapter)))
            }
        })
    }
}

/// A note as a sentence.
fn note_sentence(note: &Note) -> String {
    match note {
        Note::Remark(text) => format!("Note: {text}."),
        Note::Warning(text) => format!("Warning: {text}."),
    }
}

/// A drawing as the script reads it.
fn script_data(drawing: &impl Serialize) -> Value {
    serde_json::to_value(drawing).expect("drawings have texts and numbers alone")
}

/// JSON that is safe in a script element, whatever its texts contain.
fn embedded(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

/// Says that repetitions were left out of the figures, if they were.
fn thinning_note(chapter: &CollectiveChapter) -> Markup {
    let all: usize = chapter.cells.iter().map(|cell| cell.summary.repetitions).sum();
    let shown: usize = chapter.cells.iter().map(|cell| cell.times.len()).sum();
    let is_thinned = shown > 0 && shown < all;
    html! {
        @if is_thinned {
            p.note { "The figures show " (shown) " of " (all) " repetitions, in every cell evenly by rank; medians, means and shares are of all." }
        }
    }
}

/// The selection map.
fn selection_map(map: &SelectionMap, drawn: &mut ScriptDrawings) -> Result<Markup, DrawingError> {
    let number = drawn.maps.len();
    drawn.maps.push(script_data(map));
    let svg = picture::map(map)?;
    let alt = format!(
        "Best algorithm by processes and size: {}. Numbers, or stronger colours in a still picture: times as fast as the library's own choice, or where that is not known as the second best.",
        map.names.join(", ")
    );
    Ok(html! {
        figure.map data-map=(number) {
            figcaption { "Best algorithm over processes and size" }
            div.plot role="group" aria-label=(alt) {}
            div.static { (PreEscaped(svg)) }
            p.alt { (alt) }
        }
    })
}

/// The figures of one algorithm.
fn algorithm_section(
    chapter: &CollectiveChapter,
    algorithm: &str,
    is_pictured: bool,
    drawn: &mut ScriptDrawings,
) -> Result<Markup, DrawingError> {
    let possible_figures = [
        figures::times(chapter, algorithm),
        figures::errors_by_size(chapter, algorithm),
        figures::errors_by_procs(chapter, algorithm),
        figures::losses(chapter, algorithm),
        figures::stalls(chapter, algorithm),
    ];
    let all_figures = possible_figures.into_iter().flatten();
    let all_markup: Vec<Markup> = all_figures
        .map(|one_figure| figure_markup(&one_figure, is_pictured, drawn))
        .collect::<Result<_, _>>()?;
    Ok(html! {
        section.algorithm data-algorithm=(algorithm) {
            h3 { (algorithm) }
            @for markup in &all_markup { (markup) }
        }
    })
}

/// A figure: the place where the script draws it, and its picture.
fn figure_markup(figure: &Figure, is_pictured: bool, drawn: &mut ScriptDrawings) -> Result<Markup, DrawingError> {
    let number = drawn.figures.len();
    drawn.figures.push(script_data(figure));
    let svg = is_pictured.then(|| picture::figure(figure)).transpose()?;
    Ok(html! {
        figure data-figure=(number) {
            figcaption { (figure.title) }
            div.plot role="group" aria-label=(figure.alt) {}
            @if let Some(svg) = svg { div.static { (PreEscaped(svg)) } }
            p.alt { (figure.alt) }
        }
    })
}

/// A table that can be opened, with its rows as CSV to download; nothing without rows.
fn table_markup(title: &str, name: &str, rows: &PrintedRows) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let csv = rows.csv_text();
    let href = format!("data:text/csv;charset=utf-8,{}", utf8_percent_encode(&csv, ENCODED));
    html! {
        details.table {
            summary { (title) }
            p { a.download download=(format!("{name}.csv")) href=(href) { "Download as CSV" } }
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr { @for key in rows.keys() { th scope="col" { (heading(key)) } } } }
                    tbody {
                        @for row in rows.cells() {
                            tr { @for cell in row { td.number[cell.is_number()] { (cell.shown()) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Heading of a column, whose cells carry their units unless the key alone states one.
fn heading(key: &str) -> String {
    match name_and_unit(key) {
        (name, Some(unit)) => format!("{name} [{unit}]"),
        (name, None) => name,
    }
}

/// The form of the predictor; the script fills and shows it.
fn predictor_form() -> Markup {
    html! {
        section #predictor {
            h2 { "Predictor" }
            noscript { p.note { "The predictor needs JavaScript; the tables of best algorithms hold its times for powers of two." } }
            form #predict hidden {
                label { "Collective " select #predict-collective {} }
                label { "Processes " input #predict-procs type="number" min="2" step="1" list="predict-counts" required; }
                datalist #predict-counts {}
                label { span #predict-size-title { "Bytes" } " " input #predict-size type="text" value="64KiB" size="10" required spellcheck="false" autocomplete="off"; }
            }
            p #predict-says role="status" aria-live="polite" {}
            div.scroll tabindex="0" role="region" aria-label="Ranking of the algorithms" {
                table #predict-ranking hidden {
                    caption.alt { "The less sure a time is, the lower it ranks. Gain: times as fast as the library's own choice." }
                    thead { tr {
                        th scope="col" { "rank" } th scope="col" { "algorithm" } th scope="col" { "time" }
                        th scope="col" { "from" } th scope="col" { "to" } th scope="col" { "gain" }
                        th scope="col" { "standing" } th scope="col" { "setting" }
                    } }
                    tbody {}
                }
            }
        }
    }
}

/// The network between two processes, and the files.
fn subject_markup(subject: &PageSubject, drawn: &mut ScriptDrawings) -> Result<Markup, DrawingError> {
    let point_to_point = figures::point_to_point(subject)
        .map(|one_figure| figure_markup(&one_figure, true, drawn))
        .transpose()?;
    let models = tables::models(subject);
    let parameters = subject.profile.as_ref().map(crate::parameters::of_profile);
    let name = subject.name.rsplit('/').next().unwrap_or(&subject.name);
    Ok(html! {
        h2 { "Network and files: " (subject.name) }
        @if let Some(profile) = &subject.profile {
            p { "α = " (netsig_base::units::Seconds(profile.hockney.alpha.value)) ", β = " (netsig_base::units::SecondsPerByte(profile.hockney.beta.value)) " between two processes." }
        }
        @if let Some(markup) = &point_to_point { (markup) }
        @if let Some(parameters) = &parameters { (table_markup("Parameters: α, β, pLogP, signatures and regimes", &format!("{name}-parameters"), parameters)) }
        @if let Some((largest, rows)) = &models {
            p { "All models, fitted to the measured processes below " (largest) " and judged at " (largest) ":" }
            (table_markup("Errors of all models", &format!("{name}-models"), rows))
        }
        (table_markup("Origin of data and profile", &format!("{name}-provenance"), &tables::provenance(subject)))
    })
}
