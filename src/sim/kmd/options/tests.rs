//! The list of options.

use crate::options::{LogSink, Options};

#[test]
fn options_are_parsed_from_a_list() {
    let options = Options::parse("strict, trace=submit,hang=3", LogSink::none()).unwrap();
    assert!(options.strict && options.trace_submits && !options.trace_ioctls);
    assert_eq!(options.hang_seconds, 3);
    let seconds = |list| Options::parse(list, LogSink::none()).unwrap().hang_seconds;
    // The strict simulator is slower.
    assert!(seconds("strict") > seconds(""));
    assert_eq!(seconds("hang=3,strict"), 3);
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
