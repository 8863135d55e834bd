//! The observers of a simulation: its timeline and its Gantt chart.

use std::path::PathBuf;

use netsig_core::sim::Time;
use netsig_core::sim::observer::{Activity, Observer};
use netsig_core::units::Procs;

use super::exports::Exports;
use super::gantt::Gantt;
use super::timeline::Timeline;
use crate::input::failure::Failure;
use crate::input::files;

/// The files that are wanted.
pub struct Recorders {
    timeline: Option<Timeline>,
    gantt: Option<(Gantt, PathBuf)>,
}

impl Recorders {
    /// Those of `exports`, for `procs` ranks.
    ///
    /// # Errors
    /// If a file cannot be written, or the ranks are too many for a picture.
    pub fn new(exports: &Exports, procs: Procs) -> Result<Self, Failure> {
        let gantt = exports.gantt.as_ref();
        let gantt = gantt.map(|path| Ok::<_, Failure>((Gantt::new(procs)?, path.clone())));
        let gantt = gantt.transpose()?;
        let timeline = exports.timeline.as_ref();
        let timeline = timeline.map(|path| Timeline::create(path, procs));
        Ok(Self {
            gantt,
            timeline: timeline.transpose()?,
        })
    }

    /// Completes the files; `title` is that of the picture.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn finish(self, title: &str) -> Result<(), Failure> {
        if let Some(timeline) = self.timeline {
            timeline.finish()?;
        }
        if let Some((gantt, path)) = self.gantt {
            files::replace(&path, gantt.svg(title)?.as_bytes())?;
        }
        Ok(())
    }
}

impl Observer for Recorders {
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time) {
        if let Some(timeline) = &mut self.timeline {
            timeline.observe(activity, start, end);
        }
        if let Some((gantt, _)) = &mut self.gantt {
            gantt.observe(activity, start, end);
        }
    }
}
