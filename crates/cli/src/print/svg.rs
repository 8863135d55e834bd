//! Pictures as SVG text.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

/// The font of all text.
pub const FONT: &str = "sans-serif";

/// Where a picture is drawn.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Whether a part of it could be drawn.
pub type DrawResult<'a, T = ()> =
    std::result::Result<T, DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// The picture that `draw` draws on so many pixels; `what` is its name in errors.
///
/// # Errors
/// If the drawing library fails.
pub fn picture(
    what: &str,
    pixels: (u32, u32),
    draw: impl for<'a> FnOnce(&Area<'a>) -> DrawResult<'a>,
) -> Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, pixels).into_drawing_area();
        draw(&area).map_err(|error| anyhow!("the {what} cannot be drawn: {error}"))?;
    }
    Ok(svg)
}
