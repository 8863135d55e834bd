//! Figures as SVG, for browsers without JavaScript and for print.

use std::ops::Range;

use itertools::Itertools as _;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::figure::{Figure, FigureSeries, SeriesForm};
use super::map::SelectionMap;
use super::scale::FigureAxis;
use crate::svg::{self, DrawResult, DrawingError, FONT, SvgArea};

const PICTURE: (u32, u32) = (860, 480);

/// Colours of the series; the page has the same.
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(31, 111, 180),
    RGBColor(200, 84, 10),
    RGBColor(20, 130, 95),
    RGBColor(176, 58, 145),
    RGBColor(110, 100, 190),
    RGBColor(150, 105, 20),
    RGBColor(60, 130, 30),
    RGBColor(190, 40, 55),
];

/// Most marks of a series in a picture; more are thinned out.
const MARKS: usize = 120;

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

fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
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
    let mut chart = ChartBuilder::on(area)
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
    let shown = figure.series.iter().filter(|series| series.is_shown);
    let mut named = Vec::new();
    for series in shown {
        let paint = colour(series.colour);
        let place = |(at, value): (&f64, &f64)| (x.place(*at), y.place(*value));
        let points = || series.x.iter().zip(&series.y).map(place);
        let is_new = !named.contains(&&series.name) && series.form != SeriesForm::Band;
        let style = paint.stroke_width(2);
        let annotation = match series.form {
            SeriesForm::Band => {
                let upper = series.x.iter().zip(&series.upper).map(place).rev();
                let around: Vec<(f64, f64)> = points().chain(upper).collect();
                chart.draw_series([Polygon::new(around, paint.mix(0.15))])?
            }
            SeriesForm::Line => chart.draw_series(LineSeries::new(points(), style))?,
            SeriesForm::Dashes => chart.draw_series(DashedLineSeries::new(points(), 6, 4, style))?,
            SeriesForm::Dots => chart
                .draw_series(thinned(series, points()).map(|point| Circle::new(point, 3, paint.mix(0.75).filled())))?,
            SeriesForm::Rings => chart
                .draw_series(thinned(series, points()).map(|point| Circle::new(point, 4, paint.stroke_width(1))))?,
        };
        if is_new {
            named.push(&series.name);
            annotation
                .label(series.name.clone())
                .legend(move |(left, middle)| Circle::new((left + 9, middle), 5, paint.filled()));
        }
    }
    if !named.is_empty() {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.2))
            .label_font((FONT, 14))
            .draw()?;
    }
    area.present()
}

fn thinned<T>(series: &FigureSeries, points: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    points.step_by(series.x.len().div_ceil(MARKS).max(1))
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
    let (columns, rows) = (map.columns.len(), map.rows.len());
    let legend = 24 * u32::try_from(map.names.len()).unwrap_or(1) + 8;
    let (chart_area, below) = area.split_vertically(PICTURE.1.saturating_sub(legend));
    let mut chart = ChartBuilder::on(&chart_area)
        .margin(10)
        .x_label_area_size(46)
        .y_label_area_size(60)
        .build_cartesian_2d(TickedAxis::of_names(&map.columns), TickedAxis::of_names(&map.rows))?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(&map.size_title)
        .y_desc("processes")
        .label_style((FONT, 14))
        .axis_desc_style((FONT, 15))
        .draw()?;
    let tiles = (0..rows).cartesian_product(0..columns).filter_map(|(row, column)| {
        let tile = map.tiles[row][column].as_ref()?;
        let (x, y) = (column as f64, row as f64);
        let strength = 0.35 + 0.65 * (tile.gain.unwrap_or(1.0).ln() / 2f64.ln()).clamp(0.0, 1.0);
        let paint = colour(tile.best).mix(strength).filled();
        Some(Rectangle::new([(x - 0.5, y - 0.5), (x + 0.5, y + 0.5)], paint))
    });
    chart.draw_series(tiles)?;
    for (number, name) in map.names.iter().enumerate() {
        let top = 24 * i32::try_from(number).unwrap_or(0);
        let paint = colour(number).filled();
        below.draw(&Rectangle::new([(70, top + 3), (86, top + 19)], paint))?;
        below.draw(&Text::new(name.clone(), (94, top + 4), (FONT, 14)))?;
    }
    area.present()
}
