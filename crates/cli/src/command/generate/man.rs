//! Man pages of netsig and of each of its subcommands, nested ones too.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::command::EXAMPLES_HEADING;

/// A man page.
pub struct ManPage {
    /// Its place in a share folder.
    pub place: String,
    /// Its text in roff.
    pub text: Vec<u8>,
}

/// The pages of a command and of all its subcommands.
pub fn pages(command: Command) -> Vec<ManPage> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add(&command, &mut pages);
    pages
}

/// Adds the pages of a built command and of its subcommands.
fn add(command: &Command, pages: &mut Vec<ManPage>) {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    pages.push(ManPage {
        place: format!("man/man1/{name}.1"),
        text: page(command).expect("memory takes everything"),
    });
    for subcommand in command.get_subcommands() {
        add(subcommand, pages);
    }
}

/// The page of one command.
fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let man = Man::new(command.clone())
        .source(concat!("netsig ", env!("CARGO_PKG_VERSION")))
        .manual("netsig");
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    examples(command).to_writer(&mut text)?;
    Ok(text)
}

/// The section of examples, each on a line of its own.
fn examples(command: &Command) -> Roff {
    let given_help = command.get_after_help().map(ToString::to_string);
    let help = given_help.unwrap_or_default();
    let lines = help.lines().filter(|line| *line != EXAMPLES_HEADING);
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in lines {
        roff.text([roman(line.trim())]);
    }
    roff.control("fi", []);
    roff
}
