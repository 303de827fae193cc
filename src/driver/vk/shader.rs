//! Shader modules.

use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};

/// `VkShaderModule`.
#[derive(Debug)]
pub struct ShaderModule {
    /// SPIR-V in host byte order; empty if only the identifier is known.
    pub words: Arc<[u32]>,
    identifier: OnceLock<ShaderModuleIdentifier>,
}

/// Hash of a module's SPIR-V.
pub type ShaderModuleIdentifier = [u8; 32];

/// `shaderModuleIdentifierAlgorithmUUID`: changes with the hash algorithm.
pub const IDENTIFIER_ALGORITHM: [u8; 16] = *b"ingot: sha-256 1";

impl ShaderModule {
    /// Creates a module from SPIR-V of either byte order. Only the header is checked; the rest is
    /// checked at pipeline creation.
    pub fn new(words: &[u32]) -> Result<Self> {
        const MAGIC: u32 = 0x0723_0203;
        match words.first() {
            Some(&MAGIC) => Ok(Self {
                words: words.into(),
                identifier: OnceLock::new(),
            }),
            Some(&first) if first == MAGIC.swap_bytes() => Ok(Self {
                words: words.iter().map(|word| word.swap_bytes()).collect(),
                identifier: OnceLock::new(),
            }),
            _ => Err(Error::InvalidShader {
                why: "not SPIR-V".into(),
            }),
        }
    }

    /// Creates a module of which only the identifier is known. An invalid identifier matches
    /// nothing.
    pub fn named(identifier: &[u8]) -> Self {
        let name = ShaderModuleIdentifier::try_from(identifier).unwrap_or_default();
        Self {
            words: Arc::default(),
            identifier: OnceLock::from(name),
        }
    }

    /// Whether it has SPIR-V.
    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Its identifier.
    pub fn identifier(&self) -> &ShaderModuleIdentifier {
        self.identifier
            .get_or_init(|| compile::identify(&self.words))
    }
}

/// Value of a specialization constant, or eight bytes of one that is longer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecializationConstant {
    /// `SpecId`.
    pub id: u32,
    /// Bits of the value, zero-extended.
    pub bits: u64,
}

/// Specialization constants of a `VkSpecializationInfo`.
///
/// In: entries (ID, offset, size) and the data. Out: constants; those of more than eight bytes
///      (OpSpecConstantDataKHR) are several, the first bytes first. Fails if an entry is beyond the
///      data.
pub fn constants(
    entries: &[(u32, u32, usize)],
    data: &[u8],
) -> Result<Vec<SpecializationConstant>> {
    let mut all = Vec::with_capacity(entries.len());
    for &(id, offset, length) in entries {
        let start = offset as usize;
        let bytes = start
            .checked_add(length)
            .and_then(|end| data.get(start..end));
        let bytes = bytes.ok_or(Error::InvalidUse {
            why: "a specialization constant beyond its data",
        })?;
        all.extend(bytes.chunks(8).map(|chunk| {
            // The data has the host's byte order, which is the GPU's: little endian.
            let bytes = chunk.iter().rev();
            let bits = bytes.fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            SpecializationConstant { id, bits }
        }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_may_have_either_byte_order() {
        assert_eq!(
            ShaderModule::new(&[0x0723_0203, 1]).unwrap().words[..],
            [0x0723_0203, 1]
        );
        assert_eq!(
            ShaderModule::new(&[0x0302_2307, 0x0100_0000])
                .unwrap()
                .words[..],
            [0x0723_0203, 1]
        );
        assert!(ShaderModule::new(&[]).is_err());
        assert!(ShaderModule::new(&[1]).is_err());
    }

    #[test]
    fn constants_beyond_the_data_are_refused() {
        let data = [1, 2, 3, 4, 5];
        let good = constants(&[(7, 0, 4), (9, 4, 1)], &data).unwrap();
        assert_eq!((good[0].bits, good[1].bits), (0x0403_0201, 5));
        assert!(constants(&[(7, 2, 4)], &data).is_err());
        let long = constants(&[(7, 1, 9)], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
        let bits = long.iter().map(|constant| (constant.id, constant.bits));
        assert!(bits.eq([(7, 0x0807_0605_0403_0201), (7, 9)]));
        assert!(constants(&[(7, 0, 17)], &[0; 16]).is_err());
        assert!(constants(&[(7, u32::MAX, usize::MAX)], &data).is_err());
    }
}
