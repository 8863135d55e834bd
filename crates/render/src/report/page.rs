//! The page as HTML.

use itertools::Itertools as _;
use maud::{Markup, PreEscaped, html};
use netsig_base::text::note::Note;
use netsig_model::verdict::VerdictAnswer;
use serde_json::{Value, json};

use super::chapter::{CollectiveChapter, PageRequest};
use super::predictor;
use super::sections::{ScriptDrawings, chapter_section, subject_markup};
use super::subject::PageSubject;
use crate::svg::DrawingError;

/// Start of every page, by which netsig knows it.
pub const PAGE_START: &str = "<!DOCTYPE html>\n<!-- netsig report -->";

const STYLE: &str = include_str!("../../assets/page/page.css");

/// The parts of the script, which share one scope.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("../../assets/page/basics.js"),
    include_str!("../../assets/page/figures.js"),
    include_str!("../../assets/page/curves.js"),
    include_str!("../../assets/page/predictor.js"),
    include_str!("../../assets/page/page.js"),
    "})();\n",
);
const PLOTLY: &str = include_str!("../../assets/plotly/plotly-cartesian.min.js");

/// The page may load nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; form-action 'none'";

/// A report.
pub struct ReportPage<'a> {
    subjects: &'a [PageSubject],
    pub(super) chapters: Vec<CollectiveChapter<'a>>,
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
            .map(|(number, chapter)| chapter_section(number, &self.heading(chapter), chapter, &mut drawn))
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

/// A note as a sentence.
fn note_sentence(note: &Note) -> String {
    match note {
        Note::Remark(text) => format!("Note: {text}."),
        Note::Warning(text) => format!("Warning: {text}."),
    }
}

/// JSON that is safe in a script element, whatever its texts contain.
fn embedded(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}
