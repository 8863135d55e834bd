//! The file of the report. It replaces only an earlier report or an empty file, since `NETSIG_REPORT` may name
//! anything.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::report::ANY_HEAD;

/// Path of the report.
pub struct ReportFile(PathBuf);

impl ReportFile {
    /// The file of this path.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Replaces the file, completely or not at all.
    ///
    /// # Errors
    /// If there is another kind of file, or the folder cannot be written.
    pub fn replace(&self, text: &str) -> io::Result<()> {
        self.check()?;
        // An unpredictable name that did not exist; removed unless it takes the report's place.
        let mut new = tempfile::Builder::new()
            .prefix(".netsig-report-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(self.0.parent().unwrap_or(Path::new("/")))?;
        new.write_all(text.as_bytes())?;
        new.persist(&self.0)?;
        Ok(())
    }

    /// Refuses an existing file, unless it is a report or empty.
    fn check(&self) -> io::Result<()> {
        let found = match fs::symlink_metadata(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        if !found.is_file() {
            return Err(io::Error::other("is no regular file, and stays"));
        }
        let mut head = Vec::new();
        File::open(&self.0)?
            .take(ANY_HEAD.len() as u64)
            .read_to_end(&mut head)?;
        if head.is_empty() || head == ANY_HEAD.as_bytes() {
            return Ok(());
        }
        Err(io::Error::other("is no report of netsig, and stays"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text file, a link, a folder and a device stay; nothing is left beside them. A report of an earlier run and an
    /// empty file are replaced.
    #[test]
    fn only_a_report_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("thesis.txt"), "years of work").unwrap();
        fs::write(at("old.csv"), format!("{ANY_HEAD}1\nrows")).unwrap();
        fs::write(at("empty"), "").unwrap();
        fs::write(at("short"), &ANY_HEAD[..5]).unwrap();
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink(at("old.csv"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
        for name in ["thesis.txt", "short", "folder", "link", "dangling"] {
            assert!(ReportFile::new(at(name)).replace("new").is_err(), "{name}");
        }
        let device = ReportFile::new("/dev/null".into()).replace("new");
        assert_eq!(device.unwrap_err().to_string(), "is no regular file, and stays");
        assert_eq!(fs::read(at("thesis.txt")).unwrap(), b"years of work");
        assert!(fs::read_to_string(at("old.csv")).unwrap().ends_with("rows"));
        for name in ["old.csv", "empty", "other.csv"] {
            ReportFile::new(at(name)).replace("new").unwrap();
            assert_eq!(fs::read(at(name)).unwrap(), b"new", "{name}");
        }
        let unwritable = ReportFile::new("/proc/self/report.csv".into()).replace("new");
        assert!(unwritable.is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 8);
    }

    /// Variable that names a folder on a full file system.
    const FULL: &str = "NETSIG_TEST_FULL";

    #[test]
    fn a_full_disk_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let script = "mount -t tmpfs -o size=4096 none \"$NETSIG_TEST_FULL\" || exit 77
            head -c 4096 /dev/zero >\"$NETSIG_TEST_FULL/rest\" && exec \"$0\" --exact --ignored \"$1\"";
        let done = std::process::Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "bash", "-c", script])
            .arg(std::env::current_exe().unwrap())
            .arg("report_file::tests::nothing_is_kept")
            .env(FULL, folder.path())
            .output()
            .unwrap();
        if matches!(done.status.code(), Some(1 | 77)) {
            eprintln!("SKIPPED: no file system can be mounted");
            return;
        }
        let printed = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{printed}");
        assert!(printed.contains("1 passed"), "{printed}");
    }

    /// Started by the test above.
    #[test]
    #[ignore = "needs a full file system"]
    fn nothing_is_kept() {
        let folder = PathBuf::from(std::env::var_os(FULL).unwrap());
        let written = ReportFile::new(folder.join("report.csv")).replace("new");
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }
}
