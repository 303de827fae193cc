//! Mappings and embedded samplers as words, for binaries of shader objects, which are created again
//! without their mappings.
//!
//! In:  the parameters of a layout for descriptor heaps. Out: words, and the parameters from them.

use abi::{HeapIndex, HeapMapping, HeapOffset, IndexLocation, MappingSource};
use ash::vk as api;

use crate::planar::{SamplerYcbcrConversion, YcbcrConversionInfo};
use crate::sampler::SamplerInfo;

/// The parameters of a layout for descriptor heaps: mappings, and the samplers that they embed.
#[derive(Clone, Debug, Default)]
pub struct HeapParameters {
    /// The mappings.
    pub mappings: Vec<HeapMapping>,
    /// The embedded samplers, by number.
    pub samplers: Vec<SamplerInfo>,
}

impl HeapParameters {
    /// The parameters as words.
    pub fn to_words(&self) -> Vec<u32> {
        let mut out = vec![self.mappings.len() as u32, self.samplers.len() as u32];
        for mapping in &self.mappings {
            out.extend([mapping.set, mapping.first_binding, mapping.binding_count]);
            out.push(mapping.resources);
            write_source(&mut out, &mapping.source);
        }
        for sampler in &self.samplers {
            write_sampler(&mut out, sampler);
        }
        out
    }

    /// The parameters from words; `None` if they are not those of parameters.
    pub fn from_words(words: &[u32]) -> Option<Self> {
        let mut words = Words(words);
        let [mappings, samplers] = words.next_chunk()?;
        let mut parameters = Self::default();
        for _ in 0..mappings {
            let [set, first_binding, binding_count, resources] = words.next_chunk()?;
            parameters.mappings.push(HeapMapping {
                set,
                first_binding,
                binding_count,
                resources,
                source: read_source(&mut words)?,
            });
        }
        for _ in 0..samplers {
            parameters.samplers.push(read_sampler(&mut words)?);
        }
        words.0.is_empty().then_some(parameters)
    }
}

/// The words that are left.
struct Words<'a>(&'a [u32]);

impl Words<'_> {
    fn next_chunk<const N: usize>(&mut self) -> Option<[u32; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    fn next(&mut self) -> Option<u32> {
        self.next_chunk().map(|[word]| word)
    }

    /// An enumerant.
    fn next_enum<T>(&mut self, from_raw: impl Fn(i32) -> T) -> Option<T> {
        self.next().map(|word| from_raw(word.cast_signed()))
    }

    /// Two words, if the word in front of them is not 0.
    fn optional(&mut self) -> Option<Option<u32>> {
        let [is_there, word] = self.next_chunk()?;
        Some((is_there != 0).then_some(word))
    }
}

fn write_optional(out: &mut Vec<u32>, value: Option<u32>) {
    out.extend([value.is_some().into(), value.unwrap_or(0)]);
}

fn write_source(out: &mut Vec<u32>, source: &MappingSource) {
    match *source {
        MappingSource::Descriptor {
            alone,
            combined,
            embedded,
        } => {
            out.push(0);
            for offset in [alone].into_iter().chain(combined) {
                write_offset(out, &offset);
            }
            write_optional(out, embedded);
        }
        MappingSource::HeapData {
            offset_bytes,
            push_offset_bytes,
        } => out.extend([1, offset_bytes, push_offset_bytes]),
        MappingSource::PushData { offset_bytes } => out.extend([2, offset_bytes]),
        MappingSource::PushAddress { push_offset_bytes } => out.extend([3, push_offset_bytes]),
        MappingSource::IndirectAddress {
            push_offset_bytes,
            address_offset_bytes,
        } => out.extend([4, push_offset_bytes, address_offset_bytes]),
    }
}

fn read_source(words: &mut Words<'_>) -> Option<MappingSource> {
    Some(match words.next()? {
        0 => MappingSource::Descriptor {
            alone: read_offset(words)?,
            combined: [read_offset(words)?, read_offset(words)?],
            embedded: words.optional()?,
        },
        1 => MappingSource::HeapData {
            offset_bytes: words.next()?,
            push_offset_bytes: words.next()?,
        },
        2 => MappingSource::PushData {
            offset_bytes: words.next()?,
        },
        3 => MappingSource::PushAddress {
            push_offset_bytes: words.next()?,
        },
        4 => MappingSource::IndirectAddress {
            push_offset_bytes: words.next()?,
            address_offset_bytes: words.next()?,
        },
        _ => return None,
    })
}

fn write_offset(out: &mut Vec<u32>, offset: &HeapOffset) {
    out.extend([offset.offset_bytes, offset.array_stride_bytes]);
    let Some(index) = offset.index else {
        out.push(0);
        return;
    };
    match index.location {
        IndexLocation::Push { offset_bytes } => out.extend([1, offset_bytes]),
        IndexLocation::Memory {
            push_offset_bytes,
            address_offset_bytes,
            is_array,
        } => {
            let tag = 2 + u32::from(is_array);
            out.extend([tag, push_offset_bytes, address_offset_bytes]);
        }
    }
    out.extend([
        index.first_bit.into(),
        index.bits.into(),
        index.stride_bytes,
    ]);
}

fn read_offset(words: &mut Words<'_>) -> Option<HeapOffset> {
    let [offset_bytes, array_stride_bytes] = words.next_chunk()?;
    let location = match words.next()? {
        0 => None,
        1 => Some(IndexLocation::Push {
            offset_bytes: words.next()?,
        }),
        tag @ (2 | 3) => Some(IndexLocation::Memory {
            push_offset_bytes: words.next()?,
            address_offset_bytes: words.next()?,
            is_array: tag == 3,
        }),
        _ => return None,
    };
    let index = match location {
        None => None,
        Some(location) => {
            let [first_bit, bits, stride_bytes] = words.next_chunk()?;
            Some(HeapIndex {
                location,
                first_bit: u8::try_from(first_bit).ok().filter(|&bit| bit < 32)?,
                bits: u8::try_from(bits).ok().filter(|&bits| bits <= 32)?,
                stride_bytes,
            })
        }
    };
    Some(HeapOffset {
        offset_bytes,
        array_stride_bytes,
        index,
    })
}

/// Custom border colours are left out: embedded samplers have none.
fn write_sampler(out: &mut Vec<u32>, info: &SamplerInfo) {
    out.push(info.flags.as_raw());
    let enumerants = [
        info.mag.as_raw(),
        info.min.as_raw(),
        info.mip.as_raw(),
        info.address[0].as_raw(),
        info.address[1].as_raw(),
        info.address[2].as_raw(),
        info.border.as_raw(),
        info.reduction.as_raw(),
    ];
    out.extend(enumerants.map(i32::cast_unsigned));
    out.extend([info.lod_bias, info.lod[0], info.lod[1]].map(f32::to_bits));
    write_optional(out, info.anisotropy.map(f32::to_bits));
    write_optional(out, info.compare.map(|op| op.as_raw().cast_unsigned()));
    out.push(info.unnormalised.into());
    let Some(conversion) = info.conversion.map(|conversion| conversion.info) else {
        out.push(0);
        return;
    };
    let components = conversion.components;
    let enumerants = [
        conversion.format.as_raw(),
        conversion.model.as_raw(),
        conversion.range.as_raw(),
        components.r.as_raw(),
        components.g.as_raw(),
        components.b.as_raw(),
        components.a.as_raw(),
        conversion.chroma[0].as_raw(),
        conversion.chroma[1].as_raw(),
        conversion.filter.as_raw(),
    ];
    out.push(1);
    out.extend(enumerants.map(i32::cast_unsigned));
}

fn read_sampler(words: &mut Words<'_>) -> Option<SamplerInfo> {
    let flags = api::SamplerCreateFlags::from_raw(words.next()?);
    let (mag, min) = (
        words.next_enum(api::Filter::from_raw)?,
        words.next_enum(api::Filter::from_raw)?,
    );
    let mip = words.next_enum(api::SamplerMipmapMode::from_raw)?;
    let address = words.next_chunk::<3>()?;
    let border = words.next_enum(api::BorderColor::from_raw)?;
    let reduction = words.next_enum(api::SamplerReductionMode::from_raw)?;
    let [lod_bias, first, last] = words.next_chunk()?.map(f32::from_bits);
    let anisotropy = words.optional()?.map(f32::from_bits);
    let compare = words.optional()?;
    let unnormalised = words.next()? != 0;
    let conversion = match words.next()? {
        0 => None,
        _ => Some(read_conversion(words)?),
    };
    Some(SamplerInfo {
        flags,
        mag,
        min,
        mip,
        address: address.map(|mode| api::SamplerAddressMode::from_raw(mode.cast_signed())),
        lod_bias,
        lod: [first, last],
        anisotropy,
        compare: compare.map(|op| api::CompareOp::from_raw(op.cast_signed())),
        border,
        custom: None,
        unnormalised,
        reduction,
        conversion,
    })
}

fn read_conversion(words: &mut Words<'_>) -> Option<SamplerYcbcrConversion> {
    let format = words.next_enum(api::Format::from_raw)?;
    let model = words.next_enum(api::SamplerYcbcrModelConversion::from_raw)?;
    let range = words.next_enum(api::SamplerYcbcrRange::from_raw)?;
    let components = words.next_chunk()?;
    let [r, g, b, a] = components.map(|c: u32| api::ComponentSwizzle::from_raw(c.cast_signed()));
    let chroma = words.next_chunk()?;
    let chroma = chroma.map(|at: u32| api::ChromaLocation::from_raw(at.cast_signed()));
    let filter = words.next_enum(api::Filter::from_raw)?;
    let info = YcbcrConversionInfo {
        format,
        model,
        range,
        components: api::ComponentMapping { r, g, b, a },
        chroma,
        filter,
    };
    Some(SamplerYcbcrConversion::new(&info))
}
