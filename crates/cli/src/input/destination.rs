//! The place behind an output path: a regular file, which is replaced; or standard output, another open
//! descriptor, a pipe or a device, which are written through.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use crate::input::files::parent;
use crate::input::standard;

/// The place behind an output path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A regular file, or one to make: the path behind symbolic links.
    Regular(PathBuf),
    /// Standard output, by `-` or by its path.
    Standard,
    /// A pipe, a character device, or a descriptor that netsig was started with.
    Through(PathBuf),
}

/// The problem of a place that takes no file.
const NO_FILE: &str = "is not a regular file; choose another path";

/// The most symbolic links to follow, as the kernel does.
const MOST_LINKS: u32 = 40;

/// The open descriptors of this process.
const DESCRIPTORS: &str = "/proc/self/fd";

/// The descriptor of standard output.
const STANDARD_OUTPUT: &str = "1";

impl Destination {
    /// The destination at `path`.
    ///
    /// # Errors
    /// If a directory, a block device or a socket is there, with the reason.
    pub fn of(path: &Path) -> Result<Self, &'static str> {
        if standard::is_dash(path) {
            return Ok(Self::Standard);
        }
        let followed = follow_links(path);
        if let Some(opened) = descriptor(&followed) {
            return match path.metadata() {
                Ok(found) => refuse_unwritable(&found).map(|()| opened),
                Err(_) => Err("is not open; choose another path"),
            };
        }
        // A name with a slash at its end, and a circle of links, can never be a file.
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") || followed.is_symlink() {
            return Err(NO_FILE);
        }
        match path.metadata() {
            Ok(found) if !found.is_file() => refuse_unwritable(&found).map(|()| Self::Through(path.to_owned())),
            _ => Ok(Self::Regular(followed)),
        }
    }

    /// The folder for temporary files: the folder of a regular file, else the current one.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Regular(path) => parent(path),
            Self::Standard | Self::Through(_) => Path::new("."),
        }
    }

    /// Writes `content` through; a reader that has gone is no error.
    ///
    /// # Errors
    /// If the destination cannot be written.
    pub fn write_through(&self, content: &mut impl Read) -> io::Result<()> {
        let written = match self {
            Self::Standard => copy_and_flush(content, &mut io::stdout().lock()),
            Self::Regular(path) | Self::Through(path) => {
                // Appending adds to a file that a descriptor has open, as standard output does.
                let opened = OpenOptions::new().append(true).open(path);
                opened.and_then(|mut out| copy_and_flush(content, &mut out))
            }
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }
}

fn copy_and_flush(content: &mut impl Read, out: &mut impl Write) -> io::Result<()> {
    io::copy(content, out)?;
    out.flush()
}

/// The destination of an open descriptor of this process, if the path is one.
fn descriptor(path: &Path) -> Option<Destination> {
    let descriptors = Path::new(DESCRIPTORS).canonicalize().ok()?;
    let number = path.strip_prefix(descriptors).ok()?;
    number.to_str()?.parse::<u32>().ok()?;
    if number == Path::new(STANDARD_OUTPUT) {
        return Some(Destination::Standard);
    }
    Some(Destination::Through(path.to_owned()))
}

/// Refuses a file that cannot be written through, or that writing would destroy.
fn refuse_unwritable(found: &Metadata) -> Result<(), &'static str> {
    let kind = found.file_type();
    if kind.is_dir() || kind.is_block_device() || kind.is_socket() {
        return Err(NO_FILE);
    }
    Ok(())
}

/// The path behind symbolic links, which need not exist, up to a descriptor of this process.
fn follow_links(path: &Path) -> PathBuf {
    let descriptors = Path::new(DESCRIPTORS).canonicalize().ok();
    let mut current_path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let (Ok(folder), Some(name)) = (parent(&current_path).canonicalize(), current_path.file_name()) else {
            break;
        };
        let place = folder.join(name);
        if Some(&folder) == descriptors.as_ref() {
            return place;
        }
        match place.read_link() {
            Ok(link) => current_path = folder.join(link),
            Err(_) => return place,
        }
    }
    current_path
}
