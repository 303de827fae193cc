//! The list of options.

use crate::options::{LogSink, Options};
use std::sync::Arc;

#[test]
fn options_are_parsed_from_a_list() {
    let options = Options::parse("strict, trace=submit,hang=3", LogSink::none()).unwrap();
    assert!(options.strict && options.trace_submits && !options.trace_ioctls);
    assert_eq!(options.hang_seconds, 3);
    // Instructions of a draw, of a thread. The strict simulator is slower.
    for (list, [command, thread]) in [
        ("", [1_000_000_000, 62_500_000]),
        ("strict", [200_000_000, 12_500_000]),
        ("hang=32", [3_200_000_000, 200_000_000]),
        ("hang=3,strict", [60_000_000, 3_750_000]),
    ] {
        let options = Options::parse(list, LogSink::none()).unwrap();
        let limits = options.gpu(&Arc::default()).instruction_limits;
        assert_eq!([limits.command, limits.thread], [command, thread], "{list}");
    }
    // Stale data is strict mode's to know.
    assert!(Options::parse("stale", LogSink::none()).unwrap().strict);
    for word in ["hang=soon", "mild", "trace=ps"] {
        let error = Options::parse(&format!("strict,{word}"), LogSink::none()).unwrap_err();
        let line = error.to_string();
        assert!(
            line.contains(&format!(
                "{word:?}; there are strict, stale, lenient, hang=SECONDS"
            )),
            "{line}"
        );
        assert!(!line.contains('\n'));
    }
}
