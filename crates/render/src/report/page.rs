//! The page as HTML.

use itertools::Itertools as _;
use maud::{Markup, PreEscaped, html};
use netsig_base::text::note::Note;
use netsig_model::verdict::VerdictAnswer;
use serde_json::{Value, json};

use super::chapter::{CollectiveChapter, PageRequest};
use super::cluster_line::cluster_lines;
use super::headline::{command_markup, headline};
use super::sections::{ScriptDrawings, chapter_section, network_markup};
use super::subject::{PageSubject, networks};
use super::{controls, licences, predictor};
use crate::svg::DrawingError;

/// Start of every page, by which netsig knows it.
pub const PAGE_START: &str = "<!DOCTYPE html>\n<!-- netsig report -->";

const STYLE: &str = include_str!("../../assets/page/page.css");

/// The parts of the script, which share one scope.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("../../assets/page/basics.js"),
    include_str!("../../assets/page/figures.js"),
    include_str!("../../assets/page/cursor.js"),
    include_str!("../../assets/page/presenting.js"),
    include_str!("../../assets/page/distribution.js"),
    include_str!("../../assets/page/curves.js"),
    include_str!("../../assets/page/controls.js"),
    include_str!("../../assets/page/page.js"),
    "})();\n",
);
const PLOTLY: &str = include_str!("../../assets/plotly/plotly.min.js");

/// The page may load nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; base-uri 'none'";

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
            _ => format!("{collective} ({})", chapter.subject.short_name()),
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
        let networks = networks(self.subjects);
        let network_sections: Vec<Markup> = networks
            .iter()
            .map(|network| network_markup(network, &mut drawn))
            .collect::<Result<_, _>>()?;
        let data = json!({
            "figures": drawn.figures,
            "maps": drawn.maps,
            "cells": drawn.cells,
            "predictors": self.predicting_chapters().map(predictor::table).collect::<Vec<_>>(),
        });
        let main = html! {
            main #main {
                (self.verdict_section())
                (controls::predictor_section(self.predicting_chapters()))
                @for markup in &chapters { (markup) }
                div #networks { @for markup in &network_sections { section { (markup) } } }
            }
        };
        // The comment after the document type names the kind of the file.
        let mut page = PAGE_START.to_owned();
        page.extend(["\n", &self.document(&main, &data).0, "\n"]);
        Ok(page)
    }

    /// The chapters with predictions.
    fn predicting_chapters(&self) -> impl Iterator<Item = &CollectiveChapter<'a>> {
        self.chapters.iter().filter(|chapter| !chapter.sheets.is_empty())
    }

    /// The document around its main part.
    fn document(&self, main: &Markup, data: &Value) -> Markup {
        let clusters = cluster_lines(self.subjects);
        html! {
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content=(concat!("netsig ", env!("CARGO_PKG_VERSION")));
                    title { "Network report: " (clusters.iter().map(|cluster| cluster.facts.join(", ")).join("; ")) }
                    style { (PreEscaped(STYLE)) }
                    // Before anything is painted, so that nothing moves when the figures are drawn.
                    script { "document.documentElement.classList.add('has-script')" }
                }
                body {
                    a.skip href="#main" { "Skip to the verdict" }
                    header {
                        p.product { "Network report by netsig " (env!("CARGO_PKG_VERSION")) }
                        @match clusters.as_slice() {
                            [cluster] => h1 { (cluster_markup(&cluster.facts)) },
                            several => {
                                h1 { (several.len()) " networks" }
                                ul { @for cluster in several { li { (cluster.names) ": " (cluster_markup(&cluster.facts)) } } }
                            }
                        }
                        button #theme type="button" { "Dark or light" }
                    }
                    (self.contents())
                    (main)
                    footer { (licences::folded()) p.note { "Every time on this page was measured, or predicted by netsig when the page was written, or interpolated between such predictions." span.keys { " The arrow keys tell the values of a figure in focus." } } }
                    script type="application/json" #report-data { (PreEscaped(embedded(data))) }
                    script { (PreEscaped(PLOTLY)) }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        }
    }

    /// Links to the sections.
    fn contents(&self) -> Markup {
        html! {
            nav aria-label="Contents" {
                a href="#verdict" { "Verdict" }
                @if self.predicting_chapters().next().is_some() { a href="#predictor" { "Predictor" } }
                @for (number, chapter) in self.chapters.iter().enumerate() {
                    a href=(format!("#chapter-{number}")) { (self.heading(chapter)) }
                }
                a href="#networks" { "Network and files" }
            }
        }
    }

    /// The verdict on every chapter: its numbers, then its answers.
    fn verdict_section(&self) -> Markup {
        html! {
            section #verdict aria-label="Verdict" {
                h2.told { "Summary" }
                @for chapter in &self.chapters { (headline(&self.heading(chapter), &chapter.verdict)) }
                @for chapter in &self.chapters {
                    h2 { "Verdict on " (self.heading(chapter)) }
                    dl.verdict {
                        @for VerdictAnswer { question, answer, command } in chapter.verdict.answers() {
                            div {
                                dt { (question) }
                                dd { (answer) @if let Some(command) = command { (command_markup(&command, &format!("{question}, {}", self.heading(chapter)))) } }
                            }
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

/// The parts of a cluster's line, none of which is broken.
fn cluster_markup(parts: &[String]) -> Markup {
    html! { @for part in parts { span.part { (part) } " " } }
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
