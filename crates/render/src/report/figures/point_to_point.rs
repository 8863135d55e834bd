//! The network between two processes.

use itertools::Itertools as _;
use netsig_base::data::Experiment;
use netsig_base::data::cells::{Statistic, summarise};
use netsig_base::units::Bytes;
use netsig_model::profile::Profile;

use super::{AxisDescription, FigureText, figure_of_series};
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::paint::SeriesPaint;
use crate::report::scale::AxisQuantity;
use crate::report::subject::{PageSubject, parameters_key};

/// Hues of a profile: three of pLogP and one of α + β·m.
const HUES: usize = 4;

/// g(m), os(m) and or(m) of the profiles of one network, and the measured ping-pong with α + β·m. Equal parameters are
/// there once; those of the first profile are shown from the start.
pub fn point_to_point(network: &[&PageSubject]) -> Option<Figure> {
    let profiled = network
        .iter()
        .filter_map(|subject| Some((&subject.name, subject.profile.as_ref()?)));
    let distinct: Vec<(&String, &Profile)> = profiled.unique_by(|(_, profile)| parameters_key(profile)).collect();
    let measured = ping_pongs(network.first()?);
    let sizes: Vec<f64> = if measured.is_empty() {
        (0..=18).map(|power| f64::from(1 << power)).collect()
    } else {
        measured.iter().map(|point| point.0).collect()
    };
    let mut series = Vec::new();
    for (place, &(name, profile)) in distinct.iter().enumerate() {
        let suffix = if distinct.len() > 1 {
            format!(", {name}")
        } else {
            String::new()
        };
        let of_profile = parameter_lines(profile, &suffix, HUES * place, &sizes).into_iter();
        series.extend(of_profile.map(|one_series| one_series.shown_from_start(place == 0)));
    }
    if series.is_empty() {
        return None;
    }
    let paint = SeriesPaint::Hue(9);
    series.push(FigureSeries::new(
        "half of a ping-pong",
        SeriesForm::Dots,
        paint,
        measured,
    ));
    figure_of_series(
        FigureText {
            title: "Between two processes".to_owned(),
            alt: "Parameters of messages between two processes over the size on logarithmic axes: gap, send and \
                  receive overhead of pLogP, the measured ping-pong, and α + β·m."
                .to_owned(),
            key: Vec::new(),
        },
        AxisDescription::log("bytes of the message", AxisQuantity::Bytes),
        AxisDescription::log("time", AxisQuantity::Seconds),
        series,
    )
}

/// Sizes with the medians of the measured ping-pongs.
fn ping_pongs(subject: &PageSubject) -> Vec<(f64, f64)> {
    let cells = summarise(&subject.data);
    let ping_pongs = cells.iter().filter(|(key, _)| key.experiment == Experiment::PingPong);
    ping_pongs
        .filter(|(key, _)| key.size.0 > 0)
        .map(|(key, summary)| (key.size.as_f64(), summary.value(Statistic::Median).0))
        .collect()
}

/// The parameters of a profile, with names that end in `suffix`.
fn parameter_lines(profile: &Profile, suffix: &str, first_hue: usize, sizes: &[f64]) -> Vec<FigureSeries> {
    let mut series = Vec::new();
    if let Some(plogp) = &profile.plogp {
        let names = ["gap g(m)", "send overhead os(m)", "receive overhead or(m)"];
        for (hue, (name, table)) in names.into_iter().zip(plogp.tables()).enumerate() {
            let all_points = table.rows().iter().map(|(size, time)| (size.as_f64(), time.0));
            let points = all_points.filter(|(size, _)| *size > 0.0);
            let paint = SeriesPaint::Hue(first_hue + hue);
            series.push(FigureSeries::new(
                &format!("{name}{suffix}"),
                SeriesForm::Line,
                paint,
                points,
            ));
        }
    }
    let hockney = profile.hockney.model();
    let line = sizes.iter().map(|size| (*size, hockney.time(Bytes::rounded(*size)).0));
    let paint = SeriesPaint::Hue(first_hue + HUES - 1);
    series.push(FigureSeries::new(
        &format!("α + β·m{suffix}"),
        SeriesForm::Dashes,
        paint,
        line,
    ));
    series
}
