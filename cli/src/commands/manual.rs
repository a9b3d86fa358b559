//! The manual page: one page for all commands, so that `man chaincover` tells everything.

use super::arguments::Arguments;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::io::Write;

/// What the options do not say; roff.
const REST: &str = r".SH EXIT STATUS
.TP
.B 0
every goal covered, every chain replayed, no requirement violated
.TP
.B 2
usage or configuration error
.TP
.B 3
C that does not parse or is not supported
.TP
.B 4
self\-check failed: the compiled code disagrees with the computed chain
.TP
.B 5
some goals undecided within the bounds
.TP
.B 6
internal error
.TP
.B 10
a requirement is violated: by an execution, or along the chain
.TP
.B 20
every goal not covered is proven unreachable; of prove: a requirement never applies
.TP
.BR 124 ,\  130
stopped by \-\-timeout, by Ctrl\-C; the best result so far is written
.SH FILES
.TP
.I chaincover.toml
the model: sources, step function, inputs, goals; \fBchaincover init\fR writes one
.TP
.I coverage.toml
beside it: coverage goals that a person excuses
.TP
.I chain.json
the result, from which all other formats derive
.SH ENVIRONMENT
.TP
.B NO_COLOR
messages are not coloured
";

/// The page in roff.
pub(super) fn page() -> std::io::Result<Vec<u8>> {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    let whole = Man::new(command.clone());
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    let is_told = |part: &&Command| part.get_name() != "help" && !part.is_hide_set();
    for part in command.get_subcommands().filter(is_told) {
        page.write_all(section(part)?.as_bytes())?;
    }
    page.write_all(REST.as_bytes())?;
    whole.render_version_section(&mut page)?;
    Ok(page)
}

/// The section of a command: its synopsis, what it does, its options.
fn section(command: &Command) -> std::io::Result<String> {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let manual = Man::new(command.clone());
    let mut parts = Vec::new();
    manual.render_synopsis_section(&mut parts)?;
    manual.render_options_section(&mut parts)?;
    let parts = String::from_utf8_lossy(&parts).into_owned();
    // The sections of a page of its own become subsections, under the name that is typed.
    let parts = parts.replace(".SH ", ".SS ").replace(&name.replace([' ', '-'], "\\-"), &name);
    Ok(format!(".SH \"{}\"\n{}\n{parts}", name.to_uppercase(), about.replace('-', "\\-")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_command_with_its_options_is_on_the_page() {
        let page = String::from_utf8(super::page().expect("a page")).expect("text");
        for expected in [
            ".SH \"CHAINCOVER CHAIN\"",
            "chaincover chain",
            "\\-\\-dwell",
            ".SH \"CHAINCOVER EXPORT\"",
            ".SH EXIT STATUS",
        ] {
            assert!(page.contains(expected), "{expected}");
        }
        assert!(!page.contains("chaincover\\-chain"), "there is only one page");
        assert!(!page.contains("CHAINCOVER WORKER"), "nobody calls it");
    }
}
