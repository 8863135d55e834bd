//! The pages of the user guide and the commands in them.

use std::fs;
use std::path::{Path, PathBuf};

/// One chapter of the guide.
pub struct GuidePage {
    pub path: PathBuf,
    pub text: String,
}

/// A fenced block: the words after the fence, and its lines.
pub struct FencedBlock<'a> {
    pub info: &'a str,
    pub lines: Vec<&'a str>,
}

pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn guide_folder() -> PathBuf {
    workspace().join("docs/guide/src")
}

/// All chapters, by name.
pub fn pages() -> Vec<GuidePage> {
    let entries = fs::read_dir(guide_folder()).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| !path.ends_with("SUMMARY.md"));
    paths.sort();
    let page = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        GuidePage { path, text }
    };
    paths.into_iter().map(page).collect()
}

/// Copies to `folder` the files that the commands of the guide read: the files listed in `examples/README.md`.
pub fn copy_examples(folder: &Path) {
    let examples = workspace().join("examples");
    let text = fs::read_to_string(examples.join("README.md")).unwrap();
    let table_rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = table_rows.filter_map(|line| line.split('|').nth(1));
    for name in cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
        fs::copy(examples.join(name), folder.join(name)).unwrap();
    }
}

impl GuidePage {
    pub fn name(&self) -> &str {
        self.path.file_stem().unwrap().to_str().unwrap()
    }

    pub fn blocks(&self) -> Vec<FencedBlock<'_>> {
        let mut blocks: Vec<FencedBlock> = Vec::new();
        let mut is_inside = false;
        for line in self.text.lines() {
            if let Some(info) = line.strip_prefix("```") {
                is_inside = !is_inside;
                if is_inside {
                    let lines = Vec::new();
                    blocks.push(FencedBlock { info, lines });
                }
            } else if is_inside {
                blocks.last_mut().unwrap().lines.push(line);
            }
        }
        blocks
    }
}

impl FencedBlock<'_> {
    /// The commands of a block for a shell or a console, each on one line.
    pub fn commands(&self) -> Vec<String> {
        let lines = self.lines.iter();
        match self.info {
            "console" => lines
                .filter_map(|line| line.strip_prefix("$ ").map(str::to_owned))
                .collect(),
            "sh" => {
                let text = self.lines.join("\n").replace("\\\n", " ");
                text.lines().map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}
