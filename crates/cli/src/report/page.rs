//! The page as HTML.

use std::fmt::Write as _;

use anyhow::Result;
use itertools::Itertools as _;
use maud::{Markup, PreEscaped, html};
use netsig_base::text::note::Note;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use super::chapter::{Chapter, Wanted};
use super::figure::Figure;
use super::map::Map;
use super::subject::Subject;
use super::verdict::{Sentence, verdict};
use super::{figures, picture, predictor, tables};
use crate::input::kind::PAGE;
use crate::print::rows::Rows;

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");
const PLOTLY: &str = include_str!("../../assets/plotly/plotly-cartesian.min.js");

/// What may stand in the address of a table beside letters and digits is encoded.
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

/// What the page may load: nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; form-action 'none'";

/// A report.
pub struct Page<'a> {
    subjects: &'a [Subject],
    pub(super) chapters: Vec<Chapter<'a>>,
}

/// Figures and tables that the script draws, in the order of their places in the page.
#[derive(Default)]
struct Drawn {
    figures: Vec<Value>,
    maps: Vec<Value>,
}

impl<'a> Page<'a> {
    /// The page about these subjects.
    pub fn new(subjects: &'a [Subject], wanted: &Wanted) -> Self {
        let chapters = subjects.iter().flat_map(|subject| {
            let own = subject.collectives.iter();
            own.map(move |collective| Chapter::new(subject, *collective, wanted))
        });
        Self {
            chapters: chapters.collect(),
            subjects,
        }
    }

    /// The verdict as lines of text.
    pub fn verdict(&self) -> Vec<String> {
        let of = |chapter: &Chapter| {
            let head = self.heading(chapter);
            let all = verdict(chapter).into_iter();
            let lines = all.map(|Sentence { question, answer }| format!("  {question} {answer}"));
            std::iter::once(head).chain(lines).collect::<Vec<_>>()
        };
        self.chapters.iter().flat_map(of).collect()
    }

    /// Name of a chapter; with that of its subject where another chapter has the same collective.
    fn heading(&self, chapter: &Chapter) -> String {
        let same = self.chapters.iter().filter(|own| own.collective == chapter.collective);
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
    pub fn html(&self) -> Result<String> {
        let mut drawn = Drawn::default();
        let chapters = self.chapters.iter().enumerate();
        let chapters: Vec<Markup> = chapters
            .map(|(number, own)| self.chapter(number, own, &mut drawn))
            .collect::<Result<_>>()?;
        let pairs: Vec<Markup> = self
            .subjects
            .iter()
            .map(|own| subject(own, &mut drawn))
            .collect::<Result<_>>()?;
        let predictors: Vec<Value> = self
            .chapters
            .iter()
            .filter(|own| !own.sheets.is_empty())
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
                        @for (number, own) in self.chapters.iter().enumerate() {
                            a href=(format!("#chapter-{number}")) { (self.heading(own)) }
                        }
                        @for (number, own) in self.subjects.iter().enumerate() {
                            a href=(format!("#subject-{number}")) { "Network and files: " (own.name) }
                        }
                    }
                    main #main {
                        (self.in_short())
                        @if has_predictor { (predictor_form()) }
                        @for own in &chapters { (own) }
                        @for (number, own) in pairs.iter().enumerate() {
                            section id=(format!("subject-{number}")) { (own) }
                        }
                    }
                    script type="application/json" #report-data { (PreEscaped(embedded(&data))) }
                    script { (PreEscaped(PLOTLY)) }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        // The comment after the document type names the kind of the file.
        let mut page = PAGE.to_owned();
        write!(page, "\n{}\n", body.0)?;
        Ok(page)
    }

    fn title(&self) -> String {
        let names: Vec<&str> = self.subjects.iter().map(|own| own.name.as_str()).collect();
        format!("Network report: {}", names.join(", "))
    }

    /// The verdict on every chapter.
    fn in_short(&self) -> Markup {
        html! {
            section #verdict {
                h2 { "Verdict" }
                @for own in &self.chapters {
                    h3 { (self.heading(own)) }
                    dl.verdict {
                        @for Sentence { question, answer } in verdict(own) {
                            div { dt { (question) } dd { (answer) } }
                        }
                    }
                }
                @for note in self.notes() { p.note { (sentence(note)) } }
            }
        }
    }

    /// The notes on all subjects, each once.
    pub fn notes(&self) -> impl Iterator<Item = &'a Note> {
        self.subjects.iter().flat_map(|own| &own.notes).unique()
    }

    fn chapter(&self, number: usize, chapter: &Chapter, drawn: &mut Drawn) -> Result<Markup> {
        let algorithms: Vec<Markup> = chapter
            .algorithms
            .iter()
            .enumerate()
            .map(|(place, algorithm)| of_algorithm(chapter, algorithm, place < PICTURED, drawn))
            .collect::<Result<_>>()?;
        let cases = chapter.cases();
        let map = Map::of(chapter, &cases)
            .map(|map| selection_map(&map, drawn))
            .transpose()?;
        let is_exchange = chapter.collective == netsig_base::algorithm::Collective::Alltoall;
        let contention = is_exchange.then(|| figures::contention(chapter)).flatten();
        let of_all = [contention, figures::onset(chapter)].into_iter().flatten();
        let of_all: Vec<Markup> = of_all.map(|own| figure(&own, true, drawn)).collect::<Result<_>>()?;
        let name = chapter.collective;
        Ok(html! {
            section.chapter id=(format!("chapter-{number}")) data-collective=(name) {
                h2 { (self.heading(chapter)) }
                (thinning(chapter))
                @if let Some(map) = &map { (map) }
                (table("Best algorithms", &format!("{name}-best"), &tables::best(&cases)))
                (table("Cross-overs: sizes from which on another algorithm is the best", &format!("{name}-cross-overs"), &tables::cross_overs(chapter)))
                @for own in &of_all { (own) }
                (table("Overflow M(n)", &format!("{name}-overflow"), &tables::onsets(chapter)))
                div.algorithms { @for own in &algorithms { (own) } }
                (table("All measured cells with predictions, losses and stalls", &format!("{name}-measured"), &tables::measured(chapter)))
            }
        })
    }
}

/// A note as a sentence.
fn sentence(note: &Note) -> String {
    match note {
        Note::Remark(text) => format!("Note: {text}."),
        Note::Warning(text) => format!("Warning: {text}."),
    }
}

/// JSON that may stand in a script element, whatever its texts hold.
fn embedded(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

/// Says that repetitions were left out of the figures, if they were.
fn thinning(chapter: &Chapter) -> Markup {
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
fn selection_map(map: &Map, drawn: &mut Drawn) -> Result<Markup> {
    let number = drawn.maps.len();
    drawn.maps.push(serde_json::to_value(map)?);
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
fn of_algorithm(chapter: &Chapter, algorithm: &str, is_pictured: bool, drawn: &mut Drawn) -> Result<Markup> {
    let all = [
        figures::times(chapter, algorithm),
        figures::errors_by_size(chapter, algorithm),
        figures::errors_by_procs(chapter, algorithm),
        figures::losses(chapter, algorithm),
        figures::stalls(chapter, algorithm),
    ];
    let all = all.into_iter().flatten();
    let all: Vec<Markup> = all.map(|own| figure(&own, is_pictured, drawn)).collect::<Result<_>>()?;
    Ok(html! {
        section.algorithm data-algorithm=(algorithm) {
            h3 { (algorithm) }
            @for own in &all { (own) }
        }
    })
}

/// A figure: the place where the script draws it, and its picture.
fn figure(own: &Figure, is_pictured: bool, drawn: &mut Drawn) -> Result<Markup> {
    let number = drawn.figures.len();
    drawn.figures.push(serde_json::to_value(own)?);
    let svg = is_pictured.then(|| picture::figure(own)).transpose()?;
    Ok(html! {
        figure data-figure=(number) {
            figcaption { (own.title) }
            div.plot role="group" aria-label=(own.alt) {}
            @if let Some(svg) = svg { div.static { (PreEscaped(svg)) } }
            p.alt { (own.alt) }
        }
    })
}

/// A table that can be opened, with its rows as CSV to download; nothing without rows.
fn table(title: &str, name: &str, rows: &Rows) -> Markup {
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
                    thead { tr { @for key in rows.keys() { th scope="col" { (key.replace('_', " ")) } } } }
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
fn subject(own: &Subject, drawn: &mut Drawn) -> Result<Markup> {
    let pairs = figures::pairs(own)
        .map(|pairs| figure(&pairs, true, drawn))
        .transpose()?;
    let models = tables::models(own);
    let parameters = own.profile.as_ref().map(crate::print::parameters::of_profile);
    let name = own.name.rsplit('/').next().unwrap_or(&own.name);
    Ok(html! {
        h2 { "Network and files: " (own.name) }
        @if let Some(profile) = &own.profile {
            p { "α = " (netsig_base::units::Seconds(profile.hockney.alpha.value)) ", β = " (netsig_base::units::SecondsPerByte(profile.hockney.beta.value)) " between two processes." }
        }
        @if let Some(pairs) = &pairs { (pairs) }
        @if let Some(parameters) = &parameters { (table("Parameters: α, β, pLogP, signatures and regimes", &format!("{name}-parameters"), parameters)) }
        @if let Some((largest, rows)) = &models {
            p { "All models, fitted to the measured processes below " (largest) " and judged at " (largest) ":" }
            (table("Errors of all models", &format!("{name}-models"), rows))
        }
        (table("Origin of data and profile", &format!("{name}-provenance"), &tables::provenance(own)))
    })
}
