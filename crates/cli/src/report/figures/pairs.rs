//! The network between two processes.

use netsig_base::data::Experiment;
use netsig_base::data::cells::{Statistic, summarise};
use netsig_base::units::Bytes;
use netsig_model::profile::Profile;

use super::finished;
use crate::report::figure::{Figure, Look, Series};
use crate::report::scale::Quantity;
use crate::report::subject::Subject;

/// g(m), os(m) and or(m) of a profile, and the measured ping-pong with α + β·m.
pub fn pairs(subject: &Subject) -> Option<Figure> {
    let profile = subject.profile.as_ref()?;
    let mut series = Vec::new();
    if let Some(plogp) = &profile.plogp {
        let names = ["gap g(m)", "send overhead os(m)", "receive overhead or(m)"];
        for (colour, (name, table)) in names.into_iter().zip(plogp.tables()).enumerate() {
            let rows = table.rows().iter().map(|(size, time)| (size.as_f64(), time.0));
            let rows: Vec<(f64, f64)> = rows.filter(|(size, _)| *size > 0.0).collect();
            series.push(Series::new(name, Look::Line, colour, rows));
        }
    }
    let cells = summarise(&subject.data);
    let own = cells.iter().filter(|(key, _)| key.experiment == Experiment::PingPong);
    let measured: Vec<(f64, f64)> = own
        .filter(|(key, _)| key.size.0 > 0)
        .map(|(key, summary)| (key.size.as_f64(), summary.value(Statistic::Median).0))
        .collect();
    let sizes: Vec<f64> = if measured.is_empty() {
        (0..=18).map(|power| f64::from(1 << power)).collect()
    } else {
        measured.iter().map(|point| point.0).collect()
    };
    series.push(Series::new("half of a ping-pong", Look::Dots, 3, measured));
    series.push(line_of(profile, &sizes));
    finished(
        "Between two processes".to_owned(),
        "Parameters of messages between two processes over the size on logarithmic axes: gap, send and receive \
         overhead of pLogP, the measured ping-pong, and α + β·m."
            .to_owned(),
        ("bytes of the message", Quantity::Bytes, true),
        ("time", Quantity::Seconds, true),
        series,
        &[],
    )
}

fn line_of(profile: &Profile, sizes: &[f64]) -> Series {
    let base = profile.hockney.model();
    let line = sizes.iter().map(|size| (*size, base.time(Bytes::rounded(*size)).0));
    Series::new("α + β·m", Look::Dashes, 4, line)
}
