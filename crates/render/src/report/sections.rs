//! The sections of the page: chapters with their map, figures and tables, and networks.

use std::rc::Rc;

use itertools::Itertools as _;
use maud::{Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;
use serde_json::Value;

use super::chapter::CollectiveChapter;
use super::figure::Figure;
use super::map::SelectionMap;
use super::subject::{PageSubject, parameters_key};
use super::{cells, figures, picture, tables};
use crate::rows::PrintedRows;
use crate::rows::quantity::name_and_unit;
use crate::svg::DrawingError;

/// Characters that are encoded in the address of a table.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'`');

/// Most characters of a table of which two stand side by side in print.
const NARROW: usize = 70;

/// Algorithms of a chapter all of whose figures have a picture for browsers without JavaScript; of the others the
/// times have one.
const PICTURED: usize = 4;

/// Figures and tables that the script draws, in the order of their places in the page.
#[derive(Default)]
pub struct ScriptDrawings {
    /// Figures.
    pub figures: Vec<Value>,
    /// Selection maps.
    pub maps: Vec<Value>,
    /// Measured cells, by chapter.
    pub cells: Vec<Value>,
}

/// The section of a chapter.
///
/// # Errors
/// If a picture cannot be drawn.
pub fn chapter_section(
    number: usize,
    title: &str,
    chapter: &CollectiveChapter,
    drawn: &mut ScriptDrawings,
) -> Result<Markup, DrawingError> {
    let algorithms: Vec<Markup> = chapter
        .algorithms
        .iter()
        .enumerate()
        .map(|(place, _)| algorithm_section(chapter, place, drawn))
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
    let distribution = distribution_markup(number, chapter)?;
    drawn.cells.push(cells::table(chapter));
    let name = chapter.collective;
    Ok(html! {
        section.chapter id=(format!("chapter-{number}")) data-collective=(name) {
            h2 { (title) }
            (thinning_note(chapter))
            @if let Some(map) = &map { (map) }
            (table_markup("Best algorithms", &format!("{name}-best"), &tables::best(&cases)))
            (table_markup("Cross-overs: sizes from which on another algorithm is the best", &format!("{name}-cross-overs"), &tables::cross_overs(chapter)))
            @if let Some(markup) = &distribution { (markup) }
            @for markup in &common_markup { (markup) }
            (table_markup("Overflow M(n)", &format!("{name}-overflow"), &tables::overflows(chapter)))
            div.algorithms {
                @if chapter.algorithms.len() > 1 {
                    label.chooser { "Figures of" select { @for algorithm in &chapter.algorithms { option { (algorithm) } } } }
                }
                @for markup in &algorithms { (markup) }
            }
            (table_markup("All measured cells with predictions, losses and stalls", &format!("{name}-measured"), &tables::measured(chapter)))
        }
    })
}

/// The network between two processes, and the files of its subjects, of which there is at least one.
pub fn network_markup(network: &[&PageSubject], drawn: &mut ScriptDrawings) -> Result<Markup, DrawingError> {
    let point_to_point = figures::point_to_point(network)
        .map(|one_figure| figure_markup(&one_figure, true, drawn))
        .transpose()?;
    let data_subjects = network.iter().unique_by(|subject| Rc::as_ptr(&subject.data));
    let models: Vec<_> = data_subjects
        .filter_map(|subject| Some((subject.short_name(), tables::models(subject)?)))
        .collect();
    let profiles: Vec<_> = network
        .iter()
        .filter_map(|subject| Some((*subject, subject.profile.as_ref()?)))
        .collect();
    let name = network[0].short_name();
    Ok(html! {
        h2 { "Network and files: " (network_name(network)) }
        @for (subject, profile) in profiles.iter().unique_by(|(_, profile)| parameters_key(profile)) {
            p { "α = " (netsig_base::units::Seconds(profile.hockney.alpha.value)) ", β = " (netsig_base::units::SecondsPerByte(profile.hockney.beta.value)) " between two processes" @if network.len() > 1 { " (" (subject.name) ")" } "." }
        }
        @if let Some(markup) = &point_to_point { (markup) }
        @for (subject, profile) in &profiles {
            @let of_which = if network.len() > 1 { format!(" ({})", subject.name) } else { String::new() };
            (table_markup(&format!("Parameters: α, β, pLogP, signatures and regimes{of_which}"), &format!("{}-parameters", subject.short_name()), &crate::parameters::of_profile(profile)))
        }
        @for (models_name, (largest, rows)) in &models {
            p { "All models, fitted to the measured processes below " (largest) " and judged at " (largest) ":" }
            (table_markup("Errors of all models", &format!("{models_name}-models"), rows))
        }
        (table_markup("Origin of data and profiles", &format!("{name}-provenance"), &tables::provenance(network)))
    })
}

/// Names of the subjects of a network.
fn network_name(network: &[&PageSubject]) -> String {
    network.iter().map(|subject| subject.name.as_str()).join(", ")
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
        "Best algorithm by processes and size: {}. Numbers: times as fast as the library's own choice, or as the second best where that is not known. Paler: not sure, because the intervals of the times overlap or the algorithm was never measured.",
        map.names.join(", ")
    );
    Ok(html! {
        figure.map data-map=(number) style=(format!("--plot-height: {}px", map.height())) {
            figcaption { "Best algorithm over processes and size" }
            div.plot role="group" aria-label=(alt) {}
            div.static role="img" aria-label=(alt) { (PreEscaped(svg)) }
            p.alt { (alt) }
        }
    })
}

/// The distribution of a cell: the script draws any, the picture is of the one where the library loses most.
fn distribution_markup(number: usize, chapter: &CollectiveChapter) -> Result<Option<Markup>, DrawingError> {
    let contests = cells::contests(chapter);
    let widest = cells::widest(chapter, &contests).map(|place| &contests[place]);
    let Some(figure) = widest.and_then(|contest| figures::distribution(chapter, contest)) else {
        return Ok(None);
    };
    let svg = picture::figure(&figure)?;
    Ok(Some(html! {
        figure.distribution data-distribution=(number) {
            figcaption { (figure.title) }
            div.plot role="group" aria-label=(figure.label()) {}
            div.static role="img" aria-label=(figure.label()) { (PreEscaped(svg)) }
            (key_markup(&figure))
            p.alt { (figure.alt) }
        }
    }))
}

/// The forms of a figure with their meaning.
fn key_markup(figure: &Figure) -> Markup {
    html! {
        @if !figure.key.is_empty() {
            p.key { @for (form, meaning) in &figure.key { span { span aria-hidden="true" { (form.glyph()) } " " (meaning) } " " } }
        }
    }
}

/// The figures of the algorithm at this place of the chapter; the script shows one algorithm at a time.
fn algorithm_section(
    chapter: &CollectiveChapter,
    place: usize,
    drawn: &mut ScriptDrawings,
) -> Result<Markup, DrawingError> {
    let algorithm = &chapter.algorithms[place];
    let further_figures = [
        figures::errors_by_size(chapter, algorithm),
        figures::errors_by_procs(chapter, algorithm),
        figures::losses(chapter, algorithm),
        figures::stalls(chapter, algorithm),
    ];
    let times = figures::times(chapter, algorithm).map(|one_figure| figure_markup(&one_figure, true, drawn));
    let is_pictured = place < PICTURED;
    let all_figures = further_figures.into_iter().flatten();
    let further_markup: Vec<Markup> = all_figures
        .map(|one_figure| figure_markup(&one_figure, is_pictured, drawn))
        .collect::<Result<_, _>>()?;
    let times_markup = times.transpose()?;
    Ok(html! {
        section.algorithm.chosen[place == 0] data-algorithm=(algorithm) {
            h3 { (algorithm) }
            @if let Some(markup) = &times_markup { (markup) }
            @for markup in &further_markup { (markup) }
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
            div.plot role="group" aria-label=(figure.label()) {}
            @if let Some(svg) = svg { div.static role="img" aria-label=(figure.label()) { (PreEscaped(svg)) } }
            (key_markup(figure))
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
    let is_number = |column: usize| rows.cells().any(|row| row[column].is_number());
    html! {
        details.table {
            summary { (title) }
            p { a.download download=(format!("{name}.csv")) href=(href) { "Download as CSV" } span.more hidden { " The table goes on to the right: scroll it." } }
            div.scroll.narrow[width(rows) <= NARROW] tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr {
                        @for (column, key) in rows.keys().enumerate() { th.number[is_number(column)] scope="col" { (heading(key)) } }
                    } }
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

/// Characters of the widest row that a table may need.
fn width(rows: &PrintedRows) -> usize {
    let cells = |column: usize| rows.cells().map(move |row| row[column].shown().chars().count());
    let keys = rows.keys().enumerate();
    keys.map(|(column, key)| cells(column).max().unwrap_or_default().max(key.len()))
        .sum()
}

/// Heading of a column, whose cells carry their units unless the key alone states one.
fn heading(key: &str) -> String {
    match name_and_unit(key) {
        (name, Some(unit)) => format!("{name} [{unit}]"),
        (name, None) => name,
    }
}

/// A drawing as the script reads it.
fn script_data(drawing: &impl Serialize) -> Value {
    serde_json::to_value(drawing).expect("drawings have texts and numbers alone")
}
