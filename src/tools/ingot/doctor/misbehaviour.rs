//! Faults of a simulated machine, for tests of `ingot doctor` itself.
//!
//! In:  `KIND` or `KIND@RUNG[:OPTION]`. Out: [`Misbehaviour`].

use std::fmt;

/// What the machine does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The batch is replaced by one that jumps to itself: the kernel finds a hang.
    Hang,
    /// The submission never returns: neither does the kernel answer.
    Stall,
    /// The batch is replaced by an empty one, so that nothing is written.
    Wrong,
    /// The submission is refused with EIO.
    Eio,
    /// The device node cannot be opened.
    NoPermission,
    /// Another kernel driver owns the device.
    Xe,
}

/// The names of the kinds.
const KINDS: &[(&str, FaultKind)] = &[
    ("hang", FaultKind::Hang),
    ("stall", FaultKind::Stall),
    ("wrong", FaultKind::Wrong),
    ("eio", FaultKind::Eio),
    ("no-permission", FaultKind::NoPermission),
    ("xe", FaultKind::Xe),
];

/// A fault: its kind, the rung that it strikes, and what prevents it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misbehaviour {
    /// The kind.
    pub kind: FaultKind,
    /// The rung that it strikes; `None`: each.
    pub rung: Option<String>,
    /// The option of INGOT_DEBUG that avoids it.
    pub cure: Option<String>,
}

impl fmt::Display for Misbehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = KINDS.iter().find(|(_, kind)| *kind == self.kind);
        write!(f, "{}", kind.map_or("?", |(name, _)| name))?;
        if let Some(rung) = &self.rung {
            write!(f, "@{rung}")?;
        }
        match &self.cure {
            Some(cure) => write!(f, ":{cure}"),
            None => Ok(()),
        }
    }
}

impl Misbehaviour {
    /// Parses `KIND[@RUNG[:OPTION]]`. Err: the possible kinds.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, place) = match text.split_once('@') {
            Some((kind, place)) => (kind, Some(place)),
            None => (text, None),
        };
        let found = KINDS.iter().find(|(name, _)| *name == kind);
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let (_, kind) = found.ok_or_else(|| format!("it may be {}", names.join(", ")))?;
        let (rung, cure) = match place.map(|place| place.split_once(':').unwrap_or((place, ""))) {
            Some((rung, cure)) => (Some(rung.to_string()), Some(cure.to_string())),
            None => (None, None),
        };
        Ok(Self {
            kind: *kind,
            rung,
            cure: cure.filter(|cure| !cure.is_empty()),
        })
    }

    /// Whether submissions of this rung are struck, with this value of INGOT_DEBUG.
    pub fn strikes(&self, rung: &str, debug_flags: &str) -> bool {
        let here = self.rung.as_ref().is_none_or(|only| only == rung);
        let cured = |cure: &String| debug_flags.split(',').any(|flag| flag == cure);
        here && !self.cure.as_ref().is_some_and(cured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_survives_its_text_and_strikes_only_its_rung() {
        for text in ["hang@depth:no-hiz", "eio@triangle", "xe"] {
            assert_eq!(Misbehaviour::parse(text).unwrap().to_string(), text);
        }
        assert!(Misbehaviour::parse("smoke").unwrap_err().contains("hang"));
        let fault = Misbehaviour::parse("hang@depth:no-hiz").unwrap();
        assert!(fault.strikes("depth", "no16") && !fault.strikes("hiz", ""));
        assert!(!fault.strikes("depth", "no16,no-hiz"));
    }
}
