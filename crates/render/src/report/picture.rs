//! Figures as SVG, for browsers without JavaScript and for print.

use std::ops::Range;

use itertools::Itertools as _;
use netsig_base::units::Bytes;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::element::{DashedPathElement, DynElement, IntoDynElement as _};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::figure::{Figure, FigureSeries, SeriesForm};
use super::map::SelectionMap;
use super::paint::SeriesPaint;
use super::scale::FigureAxis;
use crate::svg::{self, DrawResult, DrawingError, FONT, SvgArea};

const PICTURE: (u32, u32) = (860, 480);

/// Most marks of a series in a picture; more are thinned out.
const MARKS: usize = 90;

/// Most rows of a map in a picture, so that its numbers are legible; more are thinned out.
const ROWS: usize = 16;

/// An axis of the drawing library whose ticks are given.
struct TickedAxis {
    range: Range<f64>,
    ticks: Vec<(f64, String)>,
}

impl TickedAxis {
    fn of(axis: &FigureAxis) -> Self {
        let [least, most] = axis.range.map(|end| axis.place(end));
        let tick = |(value, text): &(f64, String)| (axis.place(*value), text.clone());
        Self {
            range: least..most,
            ticks: axis.ticks.iter().map(tick).collect(),
        }
    }

    /// One place for each name; of many names only every few get a tick.
    fn of_names(names: &[String]) -> Self {
        let step = names.len().div_ceil(12).max(1);
        let ticks = names.iter().enumerate().step_by(step);
        Self {
            range: -0.5..names.len() as f64 - 0.5,
            ticks: ticks.map(|(place, name)| (place as f64, name.clone())).collect(),
        }
    }
}

impl Ranged for TickedAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limits: (i32, i32)) -> i32 {
        let inner = RangedCoordf64::from(self.range.clone());
        inner.map(value, limits)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for TickedAxis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| (tick.0 - value).abs() < 1e-9);
        tick.map_or(String::new(), |tick| tick.1.clone())
    }
}

/// The figure as SVG text, with the series that are shown from the start.
///
/// # Errors
/// If the drawing library fails.
pub fn figure(figure: &Figure) -> Result<String, DrawingError> {
    svg::picture("figure", PICTURE, |area| draw(area, figure))
}

fn draw<'a>(area: &SvgArea<'a>, figure: &Figure) -> DrawResult<'a> {
    area.fill(&WHITE)?;
    let (x, y) = (&figure.x, &figure.y);
    let shown = || figure.series.iter().filter(|series| series.is_shown);
    let named: Vec<&FigureSeries> = shown().unique_by(|series| &series.name).collect();
    let (chart_area, below) = area.split_vertically(PICTURE.1 - LEGEND_ROW * legend_rows(named.len()) - 8);
    draw_legend(&below, named.iter().map(|series| (series.name.as_str(), series.paint)))?;
    let mut chart = ChartBuilder::on(&chart_area)
        .margin(10)
        .x_label_area_size(46)
        .y_label_area_size(76)
        .build_cartesian_2d(TickedAxis::of(x), TickedAxis::of(y))?;
    chart
        .configure_mesh()
        .x_desc(&x.title)
        .y_desc(&y.title)
        .label_style((FONT, 14))
        .axis_desc_style((FONT, 15))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    for series in shown() {
        for element in elements(figure, series) {
            chart.draw_series([element])?;
        }
    }
    area.present()
}

/// Pixels of a row of a legend, and of a name in it.
const LEGEND_ROW: u32 = 22;
const LEGEND_NAME: u32 = 270;

fn legend_rows(names: usize) -> u32 {
    let columns = (PICTURE.0 / LEGEND_NAME) as usize;
    u32::try_from(names.div_ceil(columns)).unwrap_or(1).min(8)
}

/// Names with their colours, in columns.
fn draw_legend<'a, 'n>(area: &SvgArea<'a>, names: impl Iterator<Item = (&'n str, SeriesPaint)>) -> DrawResult<'a> {
    for (number, (name, paint)) in (0u32..).zip(names) {
        let columns = PICTURE.0 / LEGEND_NAME;
        let places = [50 + (number % columns) * LEGEND_NAME, (number / columns) * LEGEND_ROW];
        let [left, top] = places.map(|place| i32::try_from(place).unwrap_or(0));
        area.draw(&Rectangle::new(
            [(left, top + 3), (left + 14, top + 17)],
            paint.rgb().filled(),
        ))?;
        area.draw(&Text::new(name.to_owned(), (left + 20, top + 4), (FONT, 14)))?;
    }
    Ok(())
}

/// The drawing of a series.
fn elements<'a>(figure: &Figure, series: &FigureSeries) -> Vec<DynElement<'static, SVGBackend<'a>, (f64, f64)>> {
    let paint = series.paint.rgb();
    let placed = |(at, value): (f64, f64)| (figure.x.place(at), figure.y.place(value));
    let all: Vec<(f64, f64)> = series.points().map(placed).collect();
    let upper = series.x.iter().copied().zip(series.upper.iter().copied()).map(placed);
    let step = all.len().div_ceil(MARKS).max(1);
    let marks = all.iter().copied().step_by(step);
    let line = |points: Vec<(f64, f64)>, style: ShapeStyle| PathElement::new(points, style).into_dyn();
    let mark = |point, size, style: ShapeStyle| Circle::new(point, size, style).into_dyn();
    let wide = paint.stroke_width(2);
    match series.form {
        SeriesForm::Band => {
            let around: Vec<(f64, f64)> = all.iter().copied().chain(upper.rev()).collect();
            vec![Polygon::new(around, paint.mix(0.15)).into_dyn()]
        }
        SeriesForm::Line => vec![line(all, wide)],
        SeriesForm::Dashes => vec![DashedPathElement::new(all, 6, 4, wide).into_dyn()],
        SeriesForm::Bars => all
            .into_iter()
            .zip(upper)
            .map(|(low, high)| line(vec![low, high], paint.stroke_width(4)))
            .collect(),
        SeriesForm::Specks => marks.map(|point| mark(point, 2, paint.mix(0.4).filled())).collect(),
        SeriesForm::Dots => marks.map(|point| mark(point, 4, paint.filled())).collect(),
        SeriesForm::Rings => marks.map(|point| mark(point, 5, wide)).collect(),
        SeriesForm::Stars => marks.map(|point| Cross::new(point, 6, wide).into_dyn()).collect(),
        SeriesForm::Arrows => marks
            .map(|point| TriangleMarker::new(point, 6, wide).into_dyn())
            .collect(),
    }
}

/// A map of the best algorithms as SVG text.
///
/// # Errors
/// If the drawing library fails.
pub fn map(map: &SelectionMap) -> Result<String, DrawingError> {
    svg::picture("map", PICTURE, |area| draw_map(area, map))
}

fn draw_map<'a>(area: &SvgArea<'a>, map: &SelectionMap) -> DrawResult<'a> {
    area.fill(&WHITE)?;
    let step = map.procs.len().div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..map.procs.len())
        .rev()
        .step_by(step)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let row_name = |place: &usize| map.procs[*place].to_string();
    let columns: Vec<String> = map.sizes.iter().map(|size| Bytes(*size).to_string()).collect();
    let legend = LEGEND_ROW * legend_rows(map.names.len()) + 8;
    let (chart_area, below) = area.split_vertically(PICTURE.1 - legend);
    let mut chart = ChartBuilder::on(&chart_area)
        .margin(10)
        .x_label_area_size(46)
        .y_label_area_size(60)
        .build_cartesian_2d(
            TickedAxis::of_names(&columns),
            TickedAxis::of_names(&rows.iter().map(row_name).collect::<Vec<_>>()),
        )?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(&map.size_title)
        .y_desc("processes")
        .label_style((FONT, 14))
        .axis_desc_style((FONT, 15))
        .draw()?;
    for (row, column) in (0..rows.len()).cartesian_product(0..columns.len()) {
        let Some(tile) = &map.tiles[rows[row]][column] else {
            continue;
        };
        let (x, y) = (column as f64, row as f64);
        let paint = map.colours[tile.best].rgb();
        let (strength, ink) = if tile.unsure { (0.35, BLACK) } else { (1.0, WHITE) };
        let ends = [(x - 0.48, y - 0.48), (x + 0.48, y + 0.48)];
        chart.draw_series([Rectangle::new(ends, paint.mix(strength).filled())])?;
        let centred = Pos::new(HPos::Center, VPos::Center);
        let style = (FONT, 13).into_font().color(&ink).pos(centred);
        chart.draw_series(tile.number().map(|text| Text::new(text, (x, y), style)))?;
    }
    let names = map.names.iter().map(String::as_str);
    draw_legend(&below, names.zip(map.colours.iter().copied()))?;
    area.present()
}
