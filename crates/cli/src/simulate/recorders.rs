//! The observers of a simulation: timeline and Gantt chart.

use anyhow::Context as _;
use netsig_base::units::Procs;
use netsig_render::gantt::Gantt;
use netsig_render::timeline::Timeline;
use netsig_sim::Time;
use netsig_sim::observer::{Activity, Observer};

use super::exports::SimulationFiles;
use crate::input::draft::OutputDraft;
use crate::input::failure::Failure;
use crate::input::output::OutputPath;

/// The observers of the requested files.
pub struct SimulationRecorders {
    timeline: Option<Timeline<OutputDraft>>,
    gantt: Option<(Gantt, OutputPath)>,
}

impl SimulationRecorders {
    /// The observers for `files`, with `procs` ranks.
    ///
    /// # Errors
    /// If a file cannot be written, or there are too many ranks for a chart.
    pub fn new(files: &SimulationFiles, procs: Procs) -> Result<Self, Failure> {
        let gantt_file = files.gantt.as_ref();
        let created_gantt = gantt_file.map(|file| Ok::<_, Failure>((Gantt::new(procs)?, file.clone())));
        let gantt = created_gantt.transpose()?;
        let timeline_file = files.timeline.as_ref();
        let created_timeline = timeline_file.map(|file| Ok::<_, Failure>(Timeline::new(file.draft()?, procs)));
        Ok(Self {
            gantt,
            timeline: created_timeline.transpose()?,
        })
    }

    /// Completes the files; `title` is the title of the chart.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(self, title: &str) -> Result<(), Failure> {
        if let Some(timeline) = self.timeline {
            let (draft, written) = timeline.finish();
            written.with_context(|| draft.unwritable())?;
            draft.publish()?;
        }
        if let Some((gantt, file)) = self.gantt {
            file.replace(gantt.svg(title)?.as_bytes())?;
        }
        Ok(())
    }
}

impl Observer for SimulationRecorders {
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time) {
        if let Some(timeline) = &mut self.timeline {
            timeline.observe(activity, start, end);
        }
        if let Some((gantt, _)) = &mut self.gantt {
            gantt.observe(activity, start, end);
        }
    }
}
