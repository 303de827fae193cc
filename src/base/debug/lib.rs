//! The table of INGOT_DEBUG flags and its parser.
//!
//! In:  the text of the environment variable, read once by the ICD or by a tool's `main`.
//! Out: [`Flags`], passed down as a value, so that no library crate reads the environment.

/// Description of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagInfo {
    /// Name in the comma-separated list.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// True if the flag changes generated code, and so belongs to every pipeline cache key.
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
    Perf "perf" false "log what costs performance: spills, fallbacks, stalls, shaders that no cache has";
    NoCache "nocache" false "ignore pipeline caches and the shader cache on disk, and compile every pipeline";
    No8 "no8" true "no SIMD8 compute shaders, unless no other width is possible";
    No16 "no16" true "no SIMD16 shaders";
    No32 "no32" true "no SIMD32 shaders";
    Simd32Fs "simd32_fs" true "SIMD32 fragment shaders wherever they are legal, even if slower";
    SpillFs "spill_fs" true "spill everything in the FS backend";
    Bool32 "bool32" true "booleans of 32 bits in registers, whatever they compare";
    NoOpt "noopt" true "skip every optional optimisation";
    SoftFp64 "soft_fp64" true "lower doubles to pairs of dwords, as on parts without an fp64 unit";
    SoftInt64 "soft_int64" true "lower 64-bit integers to pairs of dwords, as on parts without 64-bit integer arithmetic";
    NoPushUbo "no-push-ubo" true "read uniform buffers with messages, never as push constants";
    IndirectDescriptors "indirect-descriptors" false "indirect descriptors in every descriptor set that can have them, not only in large ones";
    NoMcs "no-mcs" false "no MCS for multisampled images: every sample is stored";
    NoHiz "no-hiz" false "no HiZ: depth is always read from and written to the depth buffer itself";
    NoCcs "no-ccs" false "no CCS for single-sampled images: no fast clears, no compression";
    NoCcsE "no-ccs-e" false "no lossless compression (CCS_E) of single-sampled images: CCS for fast clears only";
    NoFastClear "no-fast-clear" false "clear attachments with draws, never with fast clears";
    NoFastClearTracking "no-fast-clear-tracking" false "resolve fast-cleared colour when rendering ends, not when the image is next accessed otherwise";
    FastClears "fast-clears" false "fast-clear small attachments too";
    MipTail "mip-tail" false "Mip Tail Start LOD of sampled images is 1, though they have no mip tail";
    HeaderOnly "header-only" false "pixel shaders without attributes and constants start with the header alone, which may hang gen9";
    FullState "full-state" false "emit all state at every draw, whether it has changed or not";
    Shm "shm" false "present copies in shared memory, never the rendered memory itself";
    Sync "sync" false "wait for each submission to complete";
    Api "api" false "log why a Vulkan command fails";
    Help "help" false "list these flags and continue";
}

/// A set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u64);

/// An element of the list that is not the name of a flag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("INGOT_DEBUG: unknown flag “{0}” (INGOT_DEBUG=help lists them)")]
pub struct UnknownFlag(pub String);

impl Flags {
    /// Parses a comma-separated list; returns the known flags, and an error for each unknown name.
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
    fn a_list_sets_flags_and_reports_unknown_names() {
        let (flags, unknown) = Flags::parse("cs, no16,,foo");
        assert!(flags.has(Flag::Cs) && flags.has(Flag::No16) && !flags.has(Flag::Bat));
        assert_eq!(unknown, [UnknownFlag("foo".into())]);
        assert_eq!(flags.code_bits(), Flags::parse("no16").0.0);
        assert!(help().contains("no16"));
    }
}
