//! What writes to render targets must keep to.
//!
//! In:  a render target as a message names it; the message. Out: the first broken rule.
//! Ref: SKL PRM vol. 7, "Render Target Write"; vol. 2d, "BLEND_STATE_ENTRY".

use crate::rules::{BLEND_LOGIC_OP, PS_END, TARGET_LENGTH, TARGET_SAMPLES, TARGET_SELECTS};
use crate::surface::{Image, Kind, Select};
use eu::{Message, Stop};

/// Checks a render target of a draw with this many samples, with both a logic op and blending or not; `at` is the message's
/// place.
pub(super) fn check(image: &Image, both: bool, samples: u32, at: u64) -> Result<(), Stop> {
    let own = image.samples;
    let kept = own == samples || image.kind == Kind::Null;
    TARGET_SAMPLES.check(kept, at, || {
        format!("{own} samples, where pixels have {samples}")
    })?;
    let [red, green, blue, alpha] = image.swizzle;
    let colours = [0, 1, 2].map(Select::Channel);
    let ordered = colours.iter().all(|c| [red, green, blue].contains(c));
    let kept = ordered && alpha == Select::Channel(3) || image.kind == Kind::Null;
    TARGET_SELECTS.check(kept, at, || format!("{:?}", image.swizzle))?;
    BLEND_LOGIC_OP.check(!both, at, || {
        "both a logic op and blending are enabled".into()
    })
}

/// Checks a write whose parts are `dwords` long.
pub(super) fn write(message: &Message<'_>, dwords: usize) -> Result<(), Stop> {
    let length = message.src0.len() + message.src1.len();
    TARGET_LENGTH.check(length == dwords, message.ip, || {
        format!("{length} dwords, where there should be {dwords}")
    })?;
    let last = message.desc >> 12 & 1 == 1;
    PS_END.check(last || !message.eot, message.ip, || {
        "the write that ends the thread is not said to be the last".into()
    })
}

/// Checks the end of a pixel shader's thread.
pub(super) fn ended(by_write: bool, at: u64) -> Result<(), Stop> {
    PS_END.check(by_write, at, || {
        "a thread ended otherwise than by a write to a render target".into()
    })
}
