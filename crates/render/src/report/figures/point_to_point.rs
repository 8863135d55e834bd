//! The network between two processes.

use netsig_base::data::Experiment;
use netsig_base::data::cells::{Statistic, summarise};
use netsig_base::units::Bytes;
use netsig_model::profile::Profile;

use super::{AxisDescription, figure_of_series};
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::scale::AxisQuantity;
use crate::report::subject::PageSubject;

/// g(m), os(m) and or(m) of a profile, and the measured ping-pong with α + β·m.
pub fn point_to_point(subject: &PageSubject) -> Option<Figure> {
    let profile = subject.profile.as_ref()?;
    let mut series = Vec::new();
    if let Some(plogp) = &profile.plogp {
        let names = ["gap g(m)", "send overhead os(m)", "receive overhead or(m)"];
        for (colour, (name, table)) in names.into_iter().zip(plogp.tables()).enumerate() {
            let all_points = table.rows().iter().map(|(size, time)| (size.as_f64(), time.0));
            let points: Vec<(f64, f64)> = all_points.filter(|(size, _)| *size > 0.0).collect();
            series.push(FigureSeries::new(name, SeriesForm::Line, colour, points));
        }
    }
    let cells = summarise(&subject.data);
    let ping_pongs = cells.iter().filter(|(key, _)| key.experiment == Experiment::PingPong);
    let measured: Vec<(f64, f64)> = ping_pongs
        .filter(|(key, _)| key.size.0 > 0)
        .map(|(key, summary)| (key.size.as_f64(), summary.value(Statistic::Median).0))
        .collect();
    let sizes: Vec<f64> = if measured.is_empty() {
        (0..=18).map(|power| f64::from(1 << power)).collect()
    } else {
        measured.iter().map(|point| point.0).collect()
    };
    series.push(FigureSeries::new("half of a ping-pong", SeriesForm::Dots, 3, measured));
    series.push(hockney_line(profile, &sizes));
    figure_of_series(
        "Between two processes".to_owned(),
        "Parameters of messages between two processes over the size on logarithmic axes: gap, send and receive \
         overhead of pLogP, the measured ping-pong, and α + β·m."
            .to_owned(),
        AxisDescription::log("bytes of the message", AxisQuantity::Bytes),
        AxisDescription::log("time", AxisQuantity::Seconds),
        series,
        &[],
    )
}

fn hockney_line(profile: &Profile, sizes: &[f64]) -> FigureSeries {
    let hockney = profile.hockney.model();
    let line = sizes.iter().map(|size| (*size, hockney.time(Bytes::rounded(*size)).0));
    FigureSeries::new("α + β·m", SeriesForm::Dashes, 4, line)
}
