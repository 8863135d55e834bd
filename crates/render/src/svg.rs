//! Pictures as SVG text.

use plotters::coord::Shift;
use plotters::prelude::*;

/// A picture that the drawing library refuses to draw.
#[derive(Debug, thiserror::Error)]
#[error("the {name} cannot be drawn: {problem}")]
pub struct DrawingError {
    name: String,
    problem: String,
}

/// The font of all text.
pub const FONT: &str = "sans-serif";

/// The drawing area of a picture.
pub type SvgArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The result of drawing.
pub type DrawResult<'a, T = ()> = Result<T, DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// Creates a picture of `pixels` (width, height) with `draw`; errors refer to it as `name`.
///
/// # Errors
/// If the drawing library fails.
pub fn picture(
    name: &str,
    pixels: (u32, u32),
    draw: impl for<'a> FnOnce(&SvgArea<'a>) -> DrawResult<'a>,
) -> Result<String, DrawingError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, pixels).into_drawing_area();
        draw(&area).map_err(|error| DrawingError {
            name: name.to_owned(),
            problem: error.to_string(),
        })?;
    }
    Ok(svg)
}
