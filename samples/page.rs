//! The gallery: a Markdown page that shows the rendered images.
//!
//! In:  programs, their image files, and the drivers that rendered them. Out: the page's text, with
//!      links relative to its folder.

use samples::programs::Program;
use std::path::Path;

/// An image on the page.
pub struct Entry {
    /// The program that drew it.
    pub program: &'static Program,
    /// The file, as named on the command line.
    pub file: std::path::PathBuf,
    /// Device and driver.
    pub drawn_by: String,
}

/// The page's text. `command` is the command line that generates it. Err: an image is not below the
/// page's folder.
pub fn page(path: &Path, command: &str, entries: &[Entry]) -> Result<String, String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut text = format!(
        "# Gallery\n\n\
        Each picture is drawn by one small program of `samples/programs`, which can be read on its own. Below it stands which device \
        and driver drew it; where that is an Intel GPU, it is the simulated one of `ingot sim`. The page is made by\n\n    \
        ingot sim --driver DRIVER -- {command}\n"
    );
    for entry in entries {
        let file = entry.file.strip_prefix(folder).map_err(|_| {
            format!(
                "{}: the images have to be below the folder of the page",
                path.display()
            )
        })?;
        let Program { name, about, .. } = entry.program;
        text.push_str(&format!(
            "\n## {name}\n\n![{about}]({})\n\n{about}. Drawn by {}.\n",
            file.display(),
            entry.drawn_by
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_links_are_relative_to_the_page() {
        let program = &samples::programs::ALL[0];
        let entry = |file: &str| Entry {
            program,
            file: file.into(),
            drawn_by: "a pencil".into(),
        };
        let text = page(Path::new("docs/page.md"), "draw", &[entry("docs/a/b.png")]).unwrap();
        assert!(text.contains("(a/b.png)") && text.contains("Drawn by a pencil."));
        assert!(text.contains(program.about));
        assert!(page(Path::new("docs/page.md"), "draw", &[entry("other/b.png")]).is_err());
    }
}
