//! Draws a simulation as an SVG picture: a row for each rank, with bars for its activities over
//! time.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Procs, Rank, Seconds};
use netsig_sim::Time;
use netsig_sim::observer::{Activity, Observer};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use strum::{EnumCount, IntoEnumIterator};

use crate::lanes::{ActivityKind, ActivityLane, ActivityLanes};
use crate::svg::{self, DrawResult, DrawingError, FONT, SvgArea};

/// The most ranks that are readable in a picture.
const MOST_RANKS: u32 = 64;
/// Number of bars above which indistinguishable ones are merged.
const MANY_BARS: usize = 20_000;
const WIDTH: u32 = 1200;
const TEXT: RGBColor = RGBColor(50, 50, 50);
/// Transparent, so that the lines of the axis remain visible.
const IDLE: RGBAColor = RGBAColor(0, 0, 0, 0.07);

/// An activity of a rank on a lane.
#[derive(Debug, Clone, Copy)]
struct GanttBar {
    lane: ActivityLane,
    start: Time,
    end: Time,
    /// The partner of the message, if the activity is one.
    peer: Option<Rank>,
}

/// Collects bars, without details that the width of the picture cannot show.
#[derive(Debug)]
pub struct Gantt {
    procs: Procs,
    lanes: ActivityLanes,
    bars: Vec<GanttBar>,
    /// Number of bars that triggers the next merge.
    limit: usize,
    end: Time,
}

impl Gantt {
    /// Creates a chart of `procs` ranks.
    ///
    /// # Errors
    /// If there are too many ranks for a picture.
    pub fn new(procs: Procs) -> Result<Self, Refusal> {
        if procs.get() > MOST_RANKS {
            return Err(Refusal::request(format!(
                "{} ranks do not fit a Gantt chart of at most {MOST_RANKS}; use --timeline",
                procs.get()
            )));
        }
        Ok(Self {
            procs,
            lanes: ActivityLanes::new(procs),
            bars: Vec::new(),
            limit: MANY_BARS,
            end: Time::ZERO,
        })
    }

    /// The picture as SVG text.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(mut self, title: &str) -> Result<String, DrawingError> {
        if self.bars.len() > MANY_BARS {
            self.merge();
        }
        // Waits come last, to be drawn over simultaneous activities.
        self.bars.sort_by_key(|bar| bar.lane.kind);
        let height = HEAD + row_height(self.procs) * self.procs.get() + FOOT;
        svg::picture("Gantt chart", (WIDTH, height), |area| self.draw(area, title))
    }

    /// Merges neighbouring bars on a lane if bars and gap are narrower than half a pixel. The scale
    /// is that of the time so far; it only becomes coarser.
    fn merge(&mut self) {
        let half_pixel = Time(self.end.0 / u64::from(2 * WIDTH));
        self.bars.sort_unstable_by_key(|bar| (bar.lane, bar.start));
        let is_narrow = |bar: &GanttBar| bar.end - bar.start < half_pixel;
        self.bars.dedup_by(|next, last| {
            let is_same =
                next.lane == last.lane && is_narrow(next) && is_narrow(last) && next.start - last.end < half_pixel;
            if is_same {
                (last.end, last.peer) = (next.end, None);
            }
            is_same
        });
        self.limit = MANY_BARS.max(2 * self.bars.len());
    }

    fn draw<'a>(&self, area: &SvgArea<'a>, title: &str) -> DrawResult<'a> {
        area.fill(&WHITE)?;
        area.draw(&Text::new(title.to_owned(), (LEFT, 14), text(18)))?;
        let chart = ChartGeometry {
            columns: draw_axis(area, self.end)?,
            row: pixels(row_height(self.procs)),
            lanes: self.lanes_by_kind(),
            end: self.end,
        };
        chart.draw_legend(area)?;
        for rank in self.procs.ranks() {
            chart.draw_row(area, rank)?;
        }
        for bar in &self.bars {
            chart.draw_bar(area, bar)?;
        }
        area.present()
    }

    /// For each kind, the largest number of lanes of any rank.
    fn lanes_by_kind(&self) -> [u32; ActivityKind::COUNT] {
        let mut lanes = [0; ActivityKind::COUNT];
        for GanttBar { lane, .. } in &self.bars {
            let most = &mut lanes[lane.kind as usize];
            *most = (*most).max(lane.number + 1);
        }
        lanes
    }
}

impl Observer for Gantt {
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time) {
        self.end = self.end.max(end);
        self.bars.push(GanttBar {
            lane: self.lanes.take(&activity, start, end),
            start,
            end,
            peer: match activity {
                Activity::Send(_, flight) => Some(flight.to),
                Activity::Receive(_, flight, _) => Some(flight.from),
                Activity::Compute(..) | Activity::Loss(_) => None,
            },
        });
        if self.bars.len() > self.limit {
            self.merge();
        }
    }
}

/// Pixels above the rows, below them, and left of them.
const HEAD: u32 = 76;
const FOOT: u32 = 58;
const LEFT: i32 = 84;

/// The height of a row: the fewer ranks, the higher.
fn row_height(procs: Procs) -> u32 {
    (640 / procs.get()).clamp(16, 60)
}

fn pixels(count: u32) -> i32 {
    i32::try_from(count).expect("a picture has fewer than 2^31 pixels")
}

fn text(size: i32) -> TextStyle<'static> {
    let middle = Pos::new(HPos::Left, VPos::Center);
    (FONT, size).into_text_style(&(1, 1)).color(&TEXT).pos(middle)
}

/// Colours that colour-blind people can distinguish, after Okabe and Ito.
fn colour(kind: ActivityKind) -> RGBColor {
    match kind {
        ActivityKind::Send => RGBColor(0, 114, 178),
        ActivityKind::Receive => RGBColor(230, 159, 0),
        ActivityKind::Compute => RGBColor(0, 158, 115),
        ActivityKind::Wait => RGBColor(190, 0, 50),
    }
}

/// Draws the time axis; returns the range of pixel columns above it.
fn draw_axis<'a>(area: &SvgArea<'a>, end: Time) -> DrawResult<'a, std::ops::Range<i32>> {
    let shown_end = end.max(Time(1)).seconds().0;
    let mut chart = ChartBuilder::on(area)
        .margin_top(HEAD)
        .margin_right(24)
        .margin_bottom(8)
        .margin_left(LEFT)
        .x_label_area_size(FOOT - 8)
        .build_cartesian_2d(0.0..shown_end, 0.0..1.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(WHITE)
        .x_labels(12)
        .x_desc("time")
        .label_style((FONT, 13).into_font().color(&TEXT))
        .axis_desc_style((FONT, 14).into_font().color(&TEXT))
        .x_label_formatter(&|time| time_label(*time))
        .draw()?;
    Ok(chart.plotting_area().get_pixel_range().0)
}

fn time_label(time: f64) -> String {
    match time {
        0.0 => "0".to_owned(),
        _ => Seconds(time).to_string(),
    }
}

/// The end of a box with a gap to its neighbour if it is large enough; at least one pixel wide.
fn shorten(start: i32, end: i32) -> i32 {
    if end - start > 3 { end - 1 } else { end.max(start + 1) }
}

/// Draws a filled box, or for a wait an outline with diagonals, which keeps the background visible.
fn draw_box<'a>(area: &SvgArea<'a>, kind: ActivityKind, corners: [(i32, i32); 2]) -> DrawResult<'a> {
    const APART: usize = 7;
    if kind != ActivityKind::Wait {
        return area.draw(&Rectangle::new(corners, colour(kind).filled()));
    }
    let [(left, top), (right, bottom)] = corners;
    let height = bottom - top;
    area.draw(&Rectangle::new(corners, colour(kind).stroke_width(1)))?;
    for foot in (left..right + height).step_by(APART) {
        let low = (foot.min(right), bottom - (foot - right).max(0));
        let high = ((foot - height).max(left), top + (left - (foot - height)).max(0));
        area.draw(&PathElement::new([low, high], colour(kind).mix(0.7)))?;
    }
    Ok(())
}

/// Geometry of the chart.
struct ChartGeometry {
    columns: std::ops::Range<i32>,
    /// The height of a row.
    row: i32,
    lanes: [u32; ActivityKind::COUNT],
    end: Time,
}

impl ChartGeometry {
    /// Draws a legend of the kinds of boxes in the chart.
    fn draw_legend<'a>(&self, area: &SvgArea<'a>) -> DrawResult<'a> {
        const APART: i32 = 170;
        const MIDDLE: i32 = 48;
        let sample = |left| [(left, MIDDLE - 7), (left + 28, MIDDLE + 7)];
        let label = |name: String, left| Text::new(name, (left + 34, MIDDLE), text(14));
        let mut left = LEFT;
        for kind in ActivityKind::iter() {
            if self.lanes[kind as usize] == 0 {
                continue;
            }
            draw_box(area, kind, sample(left))?;
            let name = match kind {
                ActivityKind::Send => "send (to rank)".to_owned(),
                ActivityKind::Receive => "receive (from rank)".to_owned(),
                ActivityKind::Compute | ActivityKind::Wait => kind.to_string(),
            };
            area.draw(&label(name, left))?;
            left += APART;
        }
        area.draw(&Rectangle::new(sample(left), IDLE.filled()))?;
        area.draw(&label("idle".to_owned(), left))
    }

    fn draw_row<'a>(&self, area: &SvgArea<'a>, rank: Rank) -> DrawResult<'a> {
        let (top, bottom) = self.row(rank);
        let corners = [(self.columns.start, top), (self.columns.end, bottom)];
        area.draw(&Rectangle::new(corners, IDLE.filled()))?;
        let size = (self.row - 4).min(14);
        let style = text(size).pos(Pos::new(HPos::Right, VPos::Center));
        let place = (self.columns.start - 8, i32::midpoint(top, bottom));
        area.draw(&Text::new(format!("rank {rank}"), place, style))
    }

    fn draw_bar<'a>(&self, area: &SvgArea<'a>, bar: &GanttBar) -> DrawResult<'a> {
        let (top, bottom) = self.lane(bar.lane);
        let (left, right) = (self.column(bar.start), self.column(bar.end));
        let kind = bar.lane.kind;
        let (right, bottom) = (shorten(left, right), shorten(top, bottom));
        draw_box(area, kind, [(left, top), (right, bottom)])?;
        let size = (bottom - top).min(12);
        let Some(peer) = bar.peer.filter(|_| size >= 9 && right - left >= 2 * size) else {
            return Ok(());
        };
        let middle = Pos::new(HPos::Center, VPos::Center);
        let ink = if kind == ActivityKind::Send { WHITE } else { BLACK };
        let place = (i32::midpoint(left, right), i32::midpoint(top, bottom));
        area.draw(&Text::new(peer.to_string(), place, text(size).color(&ink).pos(middle)))
    }

    fn column(&self, time: Time) -> i32 {
        let width = i128::from(self.columns.end - self.columns.start);
        let column = width * i128::from(time.0) / i128::from(self.end.0.max(1));
        self.columns.start + i32::try_from(column).expect("no time is beyond the end")
    }

    fn row(&self, rank: Rank) -> (i32, i32) {
        let top = pixels(HEAD) + pixels(rank.0) * self.row;
        (top + 1, top + self.row - 1)
    }

    /// The vertical range of a lane. Sends use the upper half of a row, receives the lower half,
    /// other kinds both. Lanes are stacked, and overlap if there is no room.
    fn lane(&self, lane: ActivityLane) -> (i32, i32) {
        const LEAST: i32 = 2;
        let (top, bottom) = self.row(lane.rank);
        let middle = i32::midpoint(top, bottom);
        let (top, bottom) = match lane.kind {
            ActivityKind::Send => (top, middle),
            ActivityKind::Receive => (middle, bottom),
            ActivityKind::Compute | ActivityKind::Wait => (top, bottom),
        };
        let lanes = pixels(self.lanes[lane.kind as usize]).clamp(1, (bottom - top) / LEAST);
        let number = pixels(lane.number) % lanes;
        let edge = |number| top + (bottom - top) * number / lanes;
        (edge(number), edge(number + 1))
    }
}

#[cfg(test)]
mod tests {
    use netsig_sim::program::OperationId;

    use super::*;
    use crate::lanes::testing::{LossyMedium, endpoint, exchange};

    fn chart(procs: u32) -> Gantt {
        Gantt::new(Procs::new(procs).unwrap()).unwrap()
    }

    /// The start and the width of all boxes of a kind, in pixels.
    fn boxes(svg: &str, kind: ActivityKind) -> Vec<(i32, i32)> {
        let RGBColor(r, g, b) = colour(kind);
        let fill = format!("fill=\"#{r:02X}{g:02X}{b:02X}\"");
        let number = |line: &str, key: &str| -> i32 {
            let (_, rest) = line.split_once(&format!(" {key}=\"")).unwrap();
            rest.split_once('"').unwrap().0.parse().unwrap()
        };
        svg.lines()
            .filter(|line| line.starts_with("<rect") && line.contains(&fill))
            .map(|line| (number(line, "x"), number(line, "width")))
            .collect()
    }

    /// o = 15.5 µs, L = 20 µs, 65535·G = 65.535 µs: the receive ends at 116.535 µs, where
    /// the 1092 columns of the picture end.
    #[test]
    fn boxes_are_where_their_times_are() {
        let mut gantt = chart(2);
        exchange("pairwise", 2, &mut endpoint(2), &mut gantt);
        let svg = gantt.svg("two ranks").unwrap();
        for (kind, start, width) in [(ActivityKind::Send, 0, 145), (ActivityKind::Receive, 946, 145)] {
            let boxes = boxes(&svg, kind);
            assert_eq!(boxes.len(), 3, "of each rank, and in the legend");
            for (x, w) in &boxes[1..] {
                let is_near = (x - 84 - start).abs() <= 2 && (w - width).abs() <= 2;
                assert!(is_near, "{kind:?}: {x} {w}");
            }
        }
        assert!(boxes(&svg, ActivityKind::Compute).is_empty(), "nothing computes");
    }

    #[test]
    fn many_bars_become_few_and_a_gap_remains_a_gap() {
        let mut gantt = chart(1);
        let burst = |from: u64| (from..from + 500_000).map(|at| (Time(10 * at), Time(10 * at + 9)));
        for (op, (start, end)) in (0..).zip(burst(0).chain(burst(600_000))) {
            let op: OperationId = op;
            gantt.observe(Activity::Compute(Rank(0), op), start, end);
        }
        assert!(gantt.bars.len() <= 2 * MANY_BARS, "{}", gantt.bars.len());
        let svg = gantt.svg("two bursts").unwrap();
        let mut boxes = boxes(&svg, ActivityKind::Compute).split_off(1);
        boxes.sort_unstable();
        let gaps: Vec<i32> = boxes
            .windows(2)
            .map(|pair| pair[1].0 - (pair[0].0 + pair[0].1))
            .filter(|gap| *gap > 1)
            .collect();
        assert_eq!(gaps.len(), 1, "{boxes:?}");
        assert!((gaps[0] - 1092 / 11).abs() <= 2, "{gaps:?}");
    }

    #[test]
    fn a_wide_bar_takes_no_narrow_one_in() {
        let mut gantt = chart(1);
        let far = Time(u64::from(2 * WIDTH) * 10);
        for (op, (start, end)) in (0..).zip([(0, 1000), (1001, 1005), (1006, 1010), (1011, 2000)]) {
            let op: OperationId = op;
            gantt.observe(Activity::Compute(Rank(0), op), Time(start), Time(end));
        }
        gantt.end = far;
        gantt.merge();
        let bars = gantt.bars.iter().map(|bar| (bar.start.0, bar.end.0));
        assert!(bars.eq([(0, 1000), (1001, 1010), (1011, 2000)]));
    }

    #[test]
    fn up_to_64_ranks_fit() {
        let mut gantt = chart(64);
        let losses = exchange("pairwise", 64, &mut LossyMedium, &mut gantt).losses.len();
        let svg = gantt.svg("64 ranks").unwrap();
        let shown = |text: &str| svg.lines().filter(|line| *line == text).count();
        assert!((0..64).all(|rank| shown(&format!("rank {rank}")) == 1));
        let outlines = svg.matches("fill=\"none\" stroke=\"#BE0032\"").count();
        assert_eq!(outlines, losses + 1, "and in the legend");
    }
}
