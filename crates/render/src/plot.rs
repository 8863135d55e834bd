//! Plots predictions and measurements as an SVG picture: time over message size, both on
//! logarithmic axes.

use netsig_base::units::{Bytes, Seconds};
use netsig_model::predict::Interval;
use plotters::coord::combinators::IntoLogRange;
use plotters::prelude::*;

use crate::svg::{self, DrawResult, DrawingError, FONT, SvgArea};

/// One size of the plot.
#[derive(Debug, Clone, Copy)]
pub struct PlotPoint {
    /// Bytes per destination.
    pub size: Bytes,
    /// The predicted time.
    pub predicted: Seconds,
    /// The interval of the prediction.
    pub interval: Interval,
    /// The time by the contention-free model.
    pub contention_free: Seconds,
    /// The measured time.
    pub measured: Seconds,
}

const PREDICTED_COLOUR: RGBColor = RGBColor(0, 90, 160);
const CONTENTION_FREE_COLOUR: RGBColor = RGBColor(120, 120, 120);
const MEASURED_COLOUR: RGBColor = RGBColor(200, 50, 20);
const PICTURE_SIZE: (u32, u32) = (900, 560);

/// The picture of `points` (ascending in size, at least one), as SVG text.
///
/// # Errors
/// If the drawing library fails.
pub fn comparison(title: &str, points: &[PlotPoint]) -> Result<String, DrawingError> {
    svg::picture("plot", PICTURE_SIZE, |area| draw(area, title, points))
}

fn draw<'a>(area: &SvgArea<'a>, title: &str, points: &[PlotPoint]) -> DrawResult<'a> {
    area.fill(&WHITE)?;
    let ((left, right), (bottom, top)) = ranges(points);
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d((left..right).log_scale().base(2.0), (bottom..top).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("bytes per destination")
        .y_desc("time")
        .x_label_formatter(&|size| Bytes::rounded(*size).to_string())
        .y_label_formatter(&|time| Seconds(*time).to_string())
        .light_line_style(WHITE)
        .draw()?;
    let line = |value: fn(&PlotPoint) -> f64| {
        let places = points.iter().map(move |p| (p.size.as_f64(), value(p)));
        places.collect::<Vec<(f64, f64)>>()
    };
    let lower = line(|p| p.interval.lower.0).into_iter().rev();
    let band: Vec<_> = line(|p| p.interval.upper.0).into_iter().chain(lower).collect();
    chart.draw_series([Polygon::new(band, PREDICTED_COLOUR.mix(0.15))])?;
    for (name, places, colour) in [
        ("contention-free", line(|p| p.contention_free.0), CONTENTION_FREE_COLOUR),
        ("predicted, with interval", line(|p| p.predicted.0), PREDICTED_COLOUR),
    ] {
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(places, style))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    let dot = |place| Circle::new(place, 4, MEASURED_COLOUR.filled());
    chart
        .draw_series(line(|p| p.measured.0).into_iter().map(dot))?
        .label("measured")
        .legend(|(x, y)| Circle::new((x + 9, y), 4, MEASURED_COLOUR.filled()));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .label_font((FONT, 15))
        .draw()?;
    area.present()
}

/// The ranges of the axes: all points with a margin.
fn ranges(points: &[PlotPoint]) -> ((f64, f64), (f64, f64)) {
    const MARGIN_FACTOR: f64 = 1.3;
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let all: Vec<f64> = values.filter(|value| *value > 0.0).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let most = all.iter().copied().fold(0.0, f64::max);
        (least / MARGIN_FACTOR, most * MARGIN_FACTOR)
    };
    let times = |p: &PlotPoint| {
        let Interval { lower, upper } = p.interval;
        [lower, upper, p.contention_free, p.measured].map(|time| time.0)
    };
    (
        span(&mut points.iter().map(|p| p.size.as_f64())),
        span(&mut points.iter().flat_map(times)),
    )
}
