//! The table of INGOT_DEBUG flags and its parser.
//!
//! In:  the text of the environment variable, read once by whoever owns `main` (the ICD, or a tool).
//! Out: [`Flags`], handed down as a value; nobody below reads the environment.

/// What a flag is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagInfo {
    /// Name in the comma-separated list.
    pub name: &'static str,
    /// One line for people.
    pub help: &'static str,
    /// Changes generated code: part of every cache key.
    pub changes_code: bool,
}

macro_rules! flags {
    ($($(#[$doc:meta])* $variant:ident $name:literal $changes:literal $help:literal;)*) => {
        /// One flag.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Flag { $($(#[$doc])* #[doc = $help] $variant,)* }

        /// The table, in the order of [`Flag`].
        pub static FLAGS: &[FlagInfo] = &[$(FlagInfo {
            name: $name, help: $help, changes_code: $changes,
        },)*];
    };
}

flags! {
    Cs "cs" false "dump NIR, LIR and assembly of compute shaders";
    Vs "vs" false "dump NIR, LIR and assembly of vertex shaders";
    Tcs "tcs" false "dump NIR, LIR and assembly of tessellation control shaders";
    Tes "tes" false "dump NIR, LIR and assembly of tessellation evaluation shaders";
    Gs "gs" false "dump NIR, LIR and assembly of geometry shaders";
    Fs "fs" false "dump NIR, LIR and assembly of fragment shaders";
    Bat "bat" false "dump every batch as it is submitted";
    Submit "submit" false "log every submission: buffers, fences, context";
    Perf "perf" false "say what costs speed: spills, fallbacks, stalls";
    NoCache "nocache" false "compile every pipeline anew";
    No8 "no8" true "no SIMD8 compute shaders, unless nothing else fits";
    No16 "no16" true "no SIMD16 shaders";
    No32 "no32" true "no SIMD32 shaders";
    Simd32Fs "simd32_fs" true "SIMD32 fragment shaders wherever they are legal, faster or not";
    SpillFs "spill_fs" true "spill everything in the FS backend";
    NoOpt "noopt" true "skip every optimisation that may be skipped";
    SoftFp64 "soft_fp64" true "doubles are computed as pairs of dwords, as on parts without a unit for them";
    SoftInt64 "soft_int64" true "64-bit integers are computed as pairs of dwords, as on parts without arithmetic for them";
    NoPushUbo "no-push-ubo" true "uniform buffers are read by messages: no ranges of them come with what starts a thread";
    NoMcs "no-mcs" false "no control surfaces of images with samples: each sample is stored";
    NoHiz "no-hiz" false "no hierarchies of depth: each depth is read and written where it lies";
    NoCcs "no-ccs" false "no control surfaces of images of one sample: nothing is said of blocks of colours";
    NoCcsE "no-ccs-e" false "colours of one sample are never compressed: their control surfaces tell of cleared blocks alone";
    NoFastClear "no-fast-clear" false "attachments are cleared by drawing";
    NoKeptClears "no-kept-clears" false "cleared blocks of colours get their colour when the rendering ends, not when others look at them";
    FastClears "fast-clears" false "small attachments, too, are cleared by blocks";
    Shm "shm" false "windows get copies of pictures, never the memory that was drawn to";
    Sync "sync" false "wait for each submission to end";
    Api "api" false "say why a Vulkan command fails";
    Help "help" false "list these flags and go on";
}

/// A set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u64);

/// A word of the list that is no flag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("INGOT_DEBUG: unknown flag “{0}” (INGOT_DEBUG=help lists them)")]
pub struct UnknownFlag(pub String);

impl Flags {
    /// Parses a comma-separated list; what is unknown is returned beside the flags that are known.
    pub fn parse(text: &str) -> (Flags, Vec<UnknownFlag>) {
        let mut flags = Flags::default();
        let mut unknown = Vec::new();
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match FLAGS.iter().position(|f| f.name == word) {
                Some(bit) => flags.0 |= 1 << bit,
                None => unknown.push(UnknownFlag(word.to_string())),
            }
        }
        (flags, unknown)
    }

    /// True if the flag is set.
    pub const fn has(self, flag: Flag) -> bool {
        self.0 >> flag as u32 & 1 == 1
    }

    /// The flags that change generated code, for cache keys.
    pub fn code_bits(self) -> u64 {
        let changing = FLAGS.iter().enumerate().filter(|(_, f)| f.changes_code);
        changing.fold(0, |bits, (i, _)| bits | (self.0 & 1 << i))
    }
}

/// The table as text.
pub fn help() -> String {
    let mut text = String::from("INGOT_DEBUG is a comma-separated list of:\n");
    for flag in FLAGS {
        text.push_str(&format!("  {:10} {}\n", flag.name, flag.help));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_sets_flags_and_reports_strangers() {
        let (flags, unknown) = Flags::parse("cs, no16,,foo");
        assert!(flags.has(Flag::Cs) && flags.has(Flag::No16) && !flags.has(Flag::Bat));
        assert_eq!(unknown, [UnknownFlag("foo".into())]);
        assert_eq!(flags.code_bits(), Flags::parse("no16").0.0);
        assert!(help().contains("no16"));
    }
}
