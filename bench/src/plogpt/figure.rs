//! The comparison as an SVG picture: one panel for each network, time over size.

use anyhow::{Result, anyhow};
use itertools::Itertools as _;
use netsig_base::units::{Bytes, Seconds};
use plotters::coord::Shift;
use plotters::coord::combinators::IntoLogRange;
use plotters::prelude::*;

use super::PlogptRow;

type PicturePanel<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type PanelResult<'a> = std::result::Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

const PICTURE: (u32, u32) = (1200, 420);
const FONT: &str = "sans-serif";

/// The colours of A and B.
const COLOURS: [(&str, RGBColor); 2] = [("A", RGBColor(0, 90, 160)), ("B", RGBColor(200, 80, 20))];

/// The picture of `rows`, as SVG text.
pub(super) fn draw(rows: &[PlogptRow]) -> Result<String> {
    let mut networks: Vec<&str> = rows.iter().map(|row| row.network).collect();
    networks.dedup();
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, PICTURE).into_drawing_area();
        let failed = |error| anyhow!("the figure cannot be drawn: {error}");
        area.fill(&WHITE).map_err(failed)?;
        let panels = area.split_evenly((1, networks.len()));
        for (network, panel) in networks.iter().zip(&panels) {
            let network_rows: Vec<&PlogptRow> = rows.iter().filter(|row| row.network == *network).collect();
            draw_panel(panel, network, &network_rows).map_err(failed)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

fn draw_panel<'a>(area: &PicturePanel<'a>, network: &str, rows: &[&PlogptRow]) -> PanelResult<'a> {
    let sizes = rows.iter().map(|row| row.size.as_f64());
    let times = rows
        .iter()
        .flat_map(|row| [row.measured.median(), row.plogp.0, row.fluid.0]);
    let title = format!("{network}, n = {}", rows[0].procs);
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 18))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(
            padded_range(sizes).log_scale().base(2.0),
            padded_range(times).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("bytes per destination")
        .x_label_formatter(&|size| Bytes::rounded(*size).to_string())
        .y_label_formatter(&|time| Seconds(*time).to_string())
        .light_line_style(WHITE)
        .draw()?;
    for (letter, colour) in COLOURS {
        let letter_rows = || rows.iter().filter(move |row| row.letter == letter);
        let line = |time: fn(&PlogptRow) -> f64| letter_rows().map(move |row| (row.size.as_f64(), time(row)));
        chart
            .draw_series(LineSeries::new(line(|row| row.fluid.0), colour.stroke_width(2)))?
            .label(format!("{letter}: PlogPT, fluid"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        chart
            .draw_series(DashedLineSeries::new(
                line(|row| row.plogp.0),
                4,
                4,
                colour.mix(0.6).stroke_width(1),
            ))?
            .label(format!("{letter}: pLogP"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.mix(0.4)));
        chart
            .draw_series(line(|row| row.measured.median()).map(|at| Circle::new(at, 4, colour.filled())))?
            .label(format!("{letter}: measured"))
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, colour.filled()));
        chart.draw_series(letter_rows().map(|row| {
            let ends = [0.25, 0.75].map(|level| (row.size.as_f64(), row.measured.quantile(level)));
            PathElement::new(ends, colour.stroke_width(1))
        }))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .label_font((FONT, 12))
        .draw()
}

/// The range of all values with a margin.
fn padded_range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (least, most) = values.minmax().into_option().expect("a panel has rows");
    least / 1.3..most * 1.3
}
