//! The controls of the page: a collective, a process count and a size, which all figures and the predictor follow.

use maud::{Markup, html};

use super::chapter::CollectiveChapter;

/// Height of a row of the ranking, in rem: the page reserves the rows, so that nothing moves when they are filled.
const ROW_HEIGHT: f64 = 2.6;

/// The section of the predictor; the script fills and shows it. Nothing if no chapter predicts.
pub fn predictor_section<'a>(chapters: impl Iterator<Item = &'a CollectiveChapter<'a>>) -> Markup {
    let candidates = |chapter: &CollectiveChapter| chapter.sheets.iter().map(|sheet| sheet.curves.len()).max();
    let Some(most) = chapters.filter_map(candidates).max() else {
        return html! {};
    };
    let height = format!("min-height: {:.1}rem", (most as f64 + 1.0) * ROW_HEIGHT);
    html! {
        section #predictor {
            h2 { "Predictor" }
            noscript { p.note { "The predictor needs JavaScript; the tables of best algorithms hold its times for powers of two." } }
            form #predict {
                label { "Collective" select #predict-collective {} }
                div.slide {
                    label { "Processes" input #predict-procs type="number" min="2" step="1" required; }
                    input #slide-procs type="range" min="0" value="0" aria-label="Processes, slider";
                }
                div.slide {
                    label { span #predict-size-title { "Bytes" } input #predict-size type="text" value="64KiB" size="8" required spellcheck="false" autocomplete="off"; }
                    input #slide-size type="range" min="0" value="0" aria-label="Size, slider";
                }
                p #predict-says role="status" aria-live="polite" {}
            }
            div.ranking style=(height) {
                table #predict-ranking {
                    caption { "The less sure a time is, the lower it ranks. Gain: times as fast as the library's own choice." }
                    thead { tr {
                        th.number scope="col" { "rank" }
                        th scope="col" { "algorithm, and the setting that takes it" }
                        th.number scope="col" { "time" }
                        th.number scope="col" { "interval" }
                        th.number scope="col" { "gain" }
                        th scope="col" { "standing" }
                    } }
                    tbody {}
                }
            }
        }
    }
}
