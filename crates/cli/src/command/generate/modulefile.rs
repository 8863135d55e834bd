//! The module file of an installation, in the Tcl that both Environment Modules and Lmod read.

/// The file with VERSION in the place of netsig's version.
const TEMPLATE: &str = include_str!("modulefile.tcl");

/// The module file of this version of netsig, with its place in a share folder.
pub fn of_this_version() -> (String, String) {
    let version = env!("CARGO_PKG_VERSION");
    let place = format!("modulefiles/netsig/{version}");
    (place, TEMPLATE.replace("VERSION", version))
}
