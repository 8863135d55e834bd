//! The licences at the end of the page: of the libraries that it contains.

use maud::{Markup, html};

/// Licences of the plotting library and of what it contains, as xtask/fetch-plotly writes them.
const OF_PLOTLY: &str = include_str!("../../assets/plotly/LICENSES.txt");

/// All licences, folded under one heading.
pub fn folded() -> Markup {
    html! {
        details.licences {
            summary { "Licences" }
            p { "The figures of this page are drawn by Plotly, which the page contains in part. These are the licences of the packages in that part." }
            pre { (OF_PLOTLY) }
        }
    }
}
